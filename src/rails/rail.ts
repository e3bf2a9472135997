/** A way to pay. Shared code asks the rail; it never tests which rail it is. Terms are x402's. */

import type {
  PaymentPayload,
  PaymentRequirement,
  SettleResponse,
  SupportedResponse,
  VerifyResponse,
} from '../contract/x402.ts';
import type { Message } from '../domain/message.ts';
import type { Atomic } from '../domain/money.ts';
import type { Outflow } from '../domain/spend-log.ts';

/** What holds a key: a file, a keystore, an external program. The secret never leaves it. */
export interface Signer {
  /** Base58 address of the key. */
  readonly address: string;
  /** Ed25519 signature (64 bytes) over the message bytes. */
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/** Where the payer's history stood before signing; what is newer may be the payment. */
export interface Baseline {
  /** The payer's token account that is debited. */
  readonly sourceAccount: string;
  /** Newest finalized signature on that account, or null when it had none. */
  readonly signature: string | null;
  readonly slot: number;
}

/** A payment that is signed and not yet sent. Every field is journaled before a byte goes out. */
export interface SignedPayment {
  /** Standard base64 of the wire transaction with the payer's signature alone. */
  readonly transaction: string;
  /** Hex sha256 of the message bytes: what a settlement is keyed on. */
  readonly messageHash: string;
  /** The payer's own signature, base58. On this rail the transaction id is the fee payer's, not this. */
  readonly signature: string;
  readonly blockhash: string;
  /** From our own RPC, never from the server. */
  readonly lastValidBlockHeight: number;
  readonly baseline: Baseline;
  readonly payer: string;
}

/** What the chain says of a signed payment. Only finalized data counts. */
export type PaymentFate =
  | { readonly fate: 'landed'; readonly transaction: string; readonly slot: number }
  /** Can never land: executed and failed, or expired and absent at finalized. */
  | { readonly fate: 'dead'; readonly proof: Message }
  | { readonly fate: 'pending' }
  /** The chain could not be asked, or cannot know. */
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
   * Refuses a requirement that names accounts we must not pay (checked against the chain: `payTo`
   * an owner and not a token account, its token account present, the fee payer not ours).
   * @throws {ScripError} REQUIREMENT_UNACCEPTABLE, CHAIN_UNREACHABLE
   */
  checkRequirement(requirement: PaymentRequirement, payer: string): Promise<void>;
  /**
   * Builds and signs, then decodes the bytes again and compares them with what was asked.
   * @throws {ScripError} FUNDS_TOO_LOW, REQUIREMENT_UNACCEPTABLE, CHAIN_UNREACHABLE
   */
  sign(input: {
    readonly requirement: PaymentRequirement;
    readonly amountAtomic: Atomic;
    readonly signer: Signer;
    /** Makes this attempt's bytes differ from every other attempt's. */
    readonly nonce: number;
  }): Promise<SignedPayment>;
  fate(payment: SignedPayment): Promise<PaymentFate>;
  /** Whether the payment can still be included: its blockhash is not past its last block. */
  isLive(payment: SignedPayment): Promise<boolean>;
  balances(owner: string): Promise<Balances>;
  /** Transfers from the buyer's own wallet, where the rail has them. */
  readonly direct?: DirectRail;
  /** What the rail can tell without paying, where it can. */
  readonly insight?: RailInsight;
}

/** Read-only questions to a rail about itself and addresses; signs nothing. */
export interface RailInsight {
  /** Decimals of what is paid with. */
  readonly decimals: number;
  /** Whether an address is on the curve, so that it can have a key; false for text that is none. */
  isOnCurve(address: string): boolean;
  /** The account that a payment to an owner is credited to; undefined for text that is no address. */
  recipientAccount(payTo: string): string | undefined;
  /** What a signed payment does, by its bytes alone; undefined where its parts do not belong together or the payer did not sign them. */
  readSigned(payment: SignedPayment): SignedTransfer | undefined;
  /** Id of the transaction that carries a signed payment, confirmed or final; undefined where none shows. @throws {ScripError} CHAIN_UNREACHABLE */
  transactionOf(payment: SignedPayment): Promise<string | undefined>;
  /** Payments that the owner signed and that left its accounts, newest first. @throws {ScripError} CHAIN_UNREACHABLE */
  ownPayments(owner: string, query: HistoryQuery): Promise<OwnHistory>;
  /**
   * What was done to the owner's USDC since an instant, confirmed, by any signer and in any form;
   * each transaction by what it left in the wallet.
   * @param known ids of transactions of which no amount is needed
   * @param expected ids of transactions that the caller has seen land; with it, an answer is refused that lacks
   * one of them or contradicts the accounts that the node shows
   * @throws {ScripError} CHAIN_UNREACHABLE; SPENDING_UNKNOWN where the node cannot tell all of it
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
  /** Height from which nothing that is signed by now can land any more. @throws {ScripError} CHAIN_UNREACHABLE */
  horizon(): Promise<number>;
  /** Whether the chain is past a height, finalized. @throws {ScripError} CHAIN_UNREACHABLE */
  isPast(height: number): Promise<boolean>;
  /** Time of the newest finalized block, by the node that is behind; null where no node tells. */
  timeMs(): Promise<number | null>;
  /** Whether the chain can be asked; what is wrong with a node is told, not thrown. */
  health(): Promise<RailHealth>;
}

export interface RailHealth {
  /** Every node that is asked. */
  readonly nodes: readonly NodeHealth[];
  /** What the chain says the time is; null where it does not. */
  readonly timeMs: number | null;
}

export interface NodeHealth {
  /** Its host. */
  readonly name: Message;
  /** Why it cannot be asked; the rest means nothing then. */
  readonly problem: Message | null;
  readonly isNetwork: boolean;
  /** What is paid with exists there as it should. */
  readonly hasAsset: boolean;
  readonly blockHeight: number;
}

/** What the payer of a transaction signed, read from its bytes. */
export interface SignedTransfer {
  readonly asset: string;
  readonly amountAtomic: Atomic;
  /** The account that is debited, which the payment is looked for on. */
  readonly source: string;
  readonly destination: string;
  /** Null where only the chain knows whose the destination is. */
  readonly payTo: string | null;
  readonly blockhash: string;
}

/** How much of a wallet's history is looked through. */
export interface HistoryQuery {
  /** Ids of transactions that need not be read again. */
  readonly known: ReadonlySet<string>;
  /** Transactions that are read at most; the newest first. */
  readonly mostReads: number;
  /** Also what is confirmed and not final yet; finalized history alone without it. */
  readonly isTip?: boolean;
  /** Nothing before this instant, by the chain's clock, is looked for. */
  readonly sinceMs?: number | undefined;
  /** Id of a final transaction: only what is newer is looked for. */
  readonly until?: string | undefined;
  /** As for `outflows`: without them the history is not whole. */
  readonly expected?: ReadonlySet<string> | undefined;
}

export interface OwnHistory {
  readonly payments: readonly OwnPayment[];
  /** False when there is more history than was read, or than the node keeps. */
  readonly isWhole: boolean;
  /** Why it is not whole, as the end of a sentence. */
  readonly gap?: Message;
  /** Id of the newest final transaction that was listed; `until` of a later look. */
  readonly newest?: string;
}

/** A payment as the chain has it. */
export interface OwnPayment {
  readonly transactionId: string;
  readonly slot: number;
  /** It can be undone no more. One that can is looked for again before anything is concluded. */
  readonly isFinal: boolean;
  /** When, by the chain; undefined where it does not tell. */
  readonly timeMs: number | undefined;
  readonly asset: string;
  readonly amountAtomic: Atomic;
  /** The account that was credited, and its owner where the chain still tells. */
  readonly destination: string;
  readonly payTo: string | null;
  readonly feePayer: string;
  readonly memo: string | undefined;
  /** What `sign` was given to make it differ; undefined where it was built by something else. */
  readonly nonce: number | undefined;
  /** As it was before the fee payer signed. */
  readonly signed: SignedPayment;
}

/** A coin that a rail can send by itself. */
export interface DirectAsset {
  /** Mint or, for the chain's own coin, its ticker: what a journal names it by. */
  readonly asset: string;
  /** Units of an amount are 10^-decimals of the coin. */
  readonly decimals: number;
}

/** Pays an address from the buyer's own wallet, which pays the network fee as well. */
export interface DirectRail {
  /** The coin by its ticker and the network's name on the wire; undefined when it cannot be sent. */
  asset(means: { readonly coin: string; readonly network: string }): DirectAsset | undefined;
  /** Whether an address is on the curve, so that it can have a key; false for text that is none. */
  isOnCurve(address: string): boolean;
  /**
   * Base units of the chain's own coin that opening the recipient's account takes; 0n when it is
   * there.
   * @throws {ScripError} REQUIREMENT_UNACCEPTABLE for a recipient whose money would be lost,
   * CHAIN_UNREACHABLE
   */
  openingCost(payTo: string, asset: DirectAsset): Promise<bigint>;
  /**
   * Builds and signs, then compares the bytes with what was asked. Nothing is sent.
   * @throws {ScripError} FUNDS_TOO_LOW, REQUIREMENT_UNACCEPTABLE, CHAIN_UNREACHABLE
   */
  sign(input: {
    readonly asset: DirectAsset;
    readonly payTo: string;
    readonly amountAtomic: Atomic;
    readonly signer: Signer;
    readonly nonce: number;
    /** The buyer agreed to pay for opening the recipient's account. */
    readonly mayOpenAccount: boolean;
  }): Promise<SignedPayment>;
  /** Broadcasts; the same bytes may be sent any number of times. @throws {ScripError} CHAIN_UNREACHABLE */
  send(payment: SignedPayment): Promise<void>;
}

/** What a payment commits to, read from its signed bytes alone. */
export interface PaymentFacts {
  readonly messageHash: string;
  readonly payer: string;
  /** Token account that is credited; it names the session, since `payTo` is per order. */
  readonly destination: string;
}

/** The merchant's side of a rail. */
export interface MerchantRail {
  readonly network: string;
  /** States a requirement with a destination of its own for this session. */
  requirement(input: {
    readonly sessionId: string;
    readonly amountAtomic: Atomic;
    readonly description: string;
  }): Promise<{ readonly requirement: PaymentRequirement; readonly destination: string }>;
  /** @throws {ScripError} PAYMENT_MALFORMED */
  inspect(payload: PaymentPayload): PaymentFacts;
}

/** x402's facilitator: embedded, or remote over HTTP with the same three calls. */
export interface Facilitator {
  supported(): Promise<SupportedResponse>;
  verify(payload: PaymentPayload, requirement: PaymentRequirement): Promise<VerifyResponse>;
  /**
   * Settles once per message, however often it is called. `errorReason` `settlement_pending` with a
   * transaction means sent and not yet decided: call again, never treat it as unpaid.
   * @param allowance what the fee is taken from, where it is paid for another party
   * @throws {ScripError} FACILITATOR_UNAVAILABLE
   */
  settle(
    payload: PaymentPayload,
    requirement: PaymentRequirement,
    allowance?: FeeAllowance,
  ): Promise<SettleResponse>;
  /**
   * Asked before a payment is asked for: whether the fee of one could be paid now.
   * @throws {ScripError} FACILITATOR_UNAVAILABLE
   */
  checkFunds(): Promise<void>;
}

/** What payments for other parties may cost the fee payer. */
export interface FeeAllowance {
  /** Sets the fee of a message aside, once however often it is asked; false when it is too much. */
  reserve(messageHash: string, lamports: bigint): Promise<boolean>;
  /** Gives back what was set aside for a message that costs nothing. */
  release(messageHash: string): Promise<void>;
}
