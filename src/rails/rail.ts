/** The port for ways to pay. Shared code asks the rail and never tests which rail it is. Terms are x402's. */

import type { PaymentRequirement } from '../contract/x402.ts';
import type { Message } from '../domain/message.ts';
import type { Atomic } from '../domain/money.ts';
import type { Outflow } from '../domain/spend-log.ts';

/** Signs with a key held by a file, a keystore or an external program. The secret never leaves it. */
export interface Signer {
  /** Base58 address of the key. */
  readonly address: string;
  /** Ed25519 signature (64 bytes) over the message bytes. */
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/** The payer's history before signing; anything newer may be the payment. */
export interface Baseline {
  /** The payer's token account that is debited. */
  readonly sourceAccount: string;
  /** Newest finalized signature on that account, or null if it had none. */
  readonly signature: string | null;
  readonly slot: number;
}

/** A signed payment before it is sent. The journal records every field before any byte is sent. */
export interface SignedPayment {
  /** Standard base64 of the wire transaction with only the payer's signature. */
  readonly transaction: string;
  /** Hex sha256 of the message bytes; identifies a settlement. */
  readonly messageHash: string;
  /**
   * The payer's own signature, base58. On this rail the transaction id is the fee payer's signature
   * instead.
   */
  readonly signature: string;
  readonly blockhash: string;
  /** From our own RPC, never from the server. */
  readonly lastValidBlockHeight: number;
  readonly baseline: Baseline;
  readonly payer: string;
}

/** What the chain shows of a signed payment. Only finalized data counts. */
export type PaymentFate =
  | { readonly fate: 'landed'; readonly transaction: string; readonly slot: number }
  /** Can never land: this transaction executed it and failed, or it expired and is absent at finalized. */
  | { readonly fate: 'dead'; readonly proof: Message; readonly transaction?: string }
  | { readonly fate: 'pending' }
  /** The chain could not be reached, or does not keep enough history. */
  | { readonly fate: 'unknown'; readonly reason: Message };

export interface Balances {
  readonly address: string;
  readonly lamports: bigint;
  /** USDC in atomic units; null when the token account does not exist. */
  readonly usdcAtomic: Atomic | null;
}

/** The payer's side of a rail. */
export interface PayerRail {
  /** CAIP-2 id. */
  readonly network: string;
  /**
   * Refuses a requirement that names accounts we must not pay. Checked on the chain: `payTo` is an
   * owner and not a token account, its token account exists, the fee payer is not ours.
   * @throws {ScripError} REQUIREMENT_UNACCEPTABLE, CHAIN_UNREACHABLE
   */
  checkRequirement(requirement: PaymentRequirement, payer: string): Promise<void>;
  /**
   * Builds and signs a payment, then decodes its bytes and compares them with the input.
   * @throws {ScripError} FUNDS_TOO_LOW, REQUIREMENT_UNACCEPTABLE, CHAIN_UNREACHABLE
   */
  sign(input: {
    readonly requirement: PaymentRequirement;
    readonly amountAtomic: Atomic;
    readonly signer: Signer;
    /** Makes this attempt's bytes differ from those of every other attempt. */
    readonly nonce: number;
  }): Promise<SignedPayment>;
  fate(payment: SignedPayment): Promise<PaymentFate>;
  /** Whether a block can still include the payment: its blockhash has not expired. */
  isLive(payment: SignedPayment): Promise<boolean>;
  balances(owner: string): Promise<Balances>;
  /** Transfers from the buyer's own wallet, if the rail supports them. */
  readonly direct?: DirectRail;
  /** Read-only queries, if the rail supports them. */
  readonly insight?: RailInsight;
}

/** Read-only queries about the rail, addresses and history; it signs nothing. */
export interface RailInsight {
  /** Decimals of the token that payments use. */
  readonly decimals: number;
  /** Whether an address is on the curve, so that it can have a key; false for text that is not an address. */
  isOnCurve(address: string): boolean;
  /** Returns the account that a payment to an owner credits; undefined for text that is not an address. */
  recipientAccount(payTo: string): string | undefined;
  /**
   * Reads what a signed payment does from its bytes; undefined if its parts contradict each other
   * or the payer's signature is invalid.
   */
  readSigned(payment: SignedPayment): SignedTransfer | undefined;
  /**
   * Returns the id of the confirmed or final transaction that carries a signed payment; undefined if there is
   * none.
   * @throws {ScripError} CHAIN_UNREACHABLE
   */
  transactionOf(payment: SignedPayment): Promise<string | undefined>;
  /**
   * Lists payments that the owner signed and that left its accounts, newest first.
   * @throws {ScripError} CHAIN_UNREACHABLE
   */
  ownPayments(owner: string, query: HistoryQuery): Promise<OwnHistory>;
  /**
   * Lists the confirmed losses of the owner's USDC since an instant, by any signer or program, from
   * the balances that each transaction left in the wallet.
   * @param known ids of transactions whose amount is not needed
   * @param expected ids of transactions that the caller saw land; if given, a history that lacks
   * one of them or contradicts the node's accounts is refused
   * @throws {ScripError} CHAIN_UNREACHABLE; SPENDING_UNKNOWN where the node does not have all of it
   */
  outflows(
    owner: string,
    span: {
      readonly sinceMs: number;
      readonly nowMs: number;
      readonly known: ReadonlySet<string>;
      readonly expected?: ReadonlySet<string> | undefined;
    },
  ): Promise<readonly Outflow[]>;
  /**
   * Reads what a transaction credited to an owner, in the token of payments; undefined if a node does not
   * have it, or it failed.
   * @throws {ScripError} CHAIN_UNREACHABLE
   */
  received(transactionId: string, owner: string): Promise<Received | undefined>;
  /**
   * Returns the block height after which nothing signed so far can land.
   * @throws {ScripError} CHAIN_UNREACHABLE
   */
  horizon(): Promise<number>;
  /** Whether the finalized chain is past a height. @throws {ScripError} CHAIN_UNREACHABLE */
  isPast(height: number): Promise<boolean>;
  /**
   * Returns the time of the newest finalized block, from the node that lags most; null if no node
   * knows it.
   */
  timeMs(): Promise<number | null>;
  /** Checks the nodes; it returns their problems instead of throwing. */
  health(): Promise<RailHealth>;
}

export interface RailHealth {
  /** Every configured node. */
  readonly nodes: readonly NodeHealth[];
  /** The chain's time; null if unknown. */
  readonly timeMs: number | null;
}

export interface NodeHealth {
  /** Name in messages, such as `the second RPC`. */
  readonly name: Message;
  /** Why the node is unusable; the other fields then mean nothing. */
  readonly problem: Message | null;
  readonly isNetwork: boolean;
  /** Whether the token of payments exists there as expected. */
  readonly hasAsset: boolean;
  readonly blockHeight: number;
}

/** What the payer of a transaction signed, read from its bytes. */
export interface SignedTransfer {
  readonly asset: string;
  readonly amountAtomic: Atomic;
  /** The account that is debited; its history shows the payment. */
  readonly source: string;
  readonly destination: string;
  /** Null if only the chain knows who owns the destination. */
  readonly payTo: string | null;
  readonly blockhash: string;
}

/** How much of a wallet's history to read. */
export interface HistoryQuery {
  /** Ids of transactions that need not be read again. */
  readonly known: ReadonlySet<string>;
  /** Maximum number of transactions to read, newest first. */
  readonly mostReads: number;
  /** Includes confirmed transactions that are not final; by default only finalized ones. */
  readonly isTip?: boolean;
  /** Read nothing before this instant, by the chain's clock. */
  readonly sinceMs?: number | undefined;
  /** Id of a final transaction: read only newer ones. */
  readonly until?: string | undefined;
  /** As for `outflows`: a history without these transactions is incomplete. */
  readonly expected?: ReadonlySet<string> | undefined;
}

export interface OwnHistory {
  readonly payments: readonly OwnPayment[];
  /** False if there is more history than was read, or than the node keeps. */
  readonly isWhole: boolean;
  /** Why it is incomplete, as the end of a sentence. */
  readonly gap?: Message;
  /** Id of the newest final transaction listed; pass it as `until` of a later query. */
  readonly newest?: string;
}

/** A payment as the chain shows it. */
export interface OwnPayment {
  readonly transactionId: string;
  readonly slot: number;
  /** Whether it is final. Query a payment that is not final again before relying on it. */
  readonly isFinal: boolean;
  /** Time of its block; undefined if the node does not give it. */
  readonly timeMs: number | undefined;
  readonly asset: string;
  readonly amountAtomic: Atomic;
  /** The credited account, and its owner if the chain still has it. */
  readonly destination: string;
  readonly payTo: string | null;
  readonly feePayer: string;
  readonly memo: string | undefined;
  /** The `nonce` given to `sign`; undefined if other software built the payment. */
  readonly nonce: number | undefined;
  /** The payment as it was before the fee payer signed. */
  readonly signed: SignedPayment;
}

/** A credit as all configured nodes show it. */
export interface Received {
  /** 0 if the owner was not credited. */
  readonly amountAtomic: Atomic;
  readonly isFinal: boolean;
}

/** A coin that a rail can send by itself. */
export interface DirectAsset {
  /** Mint, or the ticker of the chain's own coin; the journal's name for the asset. */
  readonly asset: string;
  /** Amounts are in units of 10^-decimals of the coin. */
  readonly decimals: number;
}

/** Pays an address from the buyer's own wallet, which also pays the network fee. */
export interface DirectRail {
  /**
   * Returns the asset for a ticker and the network's name on the wire; undefined if the rail cannot
   * send it.
   */
  asset(means: { readonly coin: string; readonly network: string }): DirectAsset | undefined;
  /** Whether an address is on the curve, so that it can have a key; false for text that is not an address. */
  isOnCurve(address: string): boolean;
  /**
   * Returns what opening the recipient's account costs, in base units of the chain's own coin; 0n
   * if it exists.
   * @throws {ScripError} REQUIREMENT_UNACCEPTABLE for a recipient whose money would be lost,
   * CHAIN_UNREACHABLE
   */
  openingCost(payTo: string, asset: DirectAsset): Promise<bigint>;
  /**
   * Builds and signs a transfer, then compares its bytes with the input. It sends nothing.
   * @throws {ScripError} FUNDS_TOO_LOW, REQUIREMENT_UNACCEPTABLE, CHAIN_UNREACHABLE
   */
  sign(input: {
    readonly asset: DirectAsset;
    readonly payTo: string;
    readonly amountAtomic: Atomic;
    readonly signer: Signer;
    readonly nonce: number;
    /** Whether the buyer agreed to pay for opening the recipient's account. */
    readonly mayOpenAccount: boolean;
  }): Promise<SignedPayment>;
  /** Broadcasts a payment; sending the same bytes again is safe. @throws {ScripError} CHAIN_UNREACHABLE */
  send(payment: SignedPayment): Promise<void>;
}
