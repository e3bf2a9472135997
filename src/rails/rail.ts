/** The port for ways to pay. Shared code asks the rail and never tests which rail it is. Terms are x402's. */

import type { PaymentPayload, PaymentRequirement } from '../contract/x402.ts';
import type { SignedPayment } from '../domain/journal/journal.ts';
import type { Message } from '../domain/message/message.ts';
import type { Atomic } from '../domain/money/money.ts';
import type { Check } from '../domain/payment/requirement-checks.ts';
import type { Outflow } from '../domain/policy/spend-log.ts';

/** Signs with a key held by a file, a keystore or an external program. The secret never leaves it. */
export interface Signer {
  readonly address: string;
  /** Signature over all that is agreed to: a whole message or typed data, never a hash of it. */
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/** How a wallet of a rail signs in (CAIP-122). */
export interface SignIn {
  /** The algorithm's name in x402. */
  readonly type: 'ed25519' | 'eip191';
  /** What its wallets are called in the text. */
  readonly account: 'Solana' | 'Ethereum';
  /** What is signed for a text; it can never move money. */
  message(text: string): Uint8Array;
  /** A signature as it is sent. */
  encode(signature: Uint8Array): string;
  /** The address that signed the text, as payments name it; undefined unless it is the one given. */
  signedBy(address: string, text: string, signature: string): Promise<string | undefined>;
}

/** What the chain shows of a signed payment. Only finalized data counts. */
export type PaymentFate =
  | { readonly fate: 'landed'; readonly transaction: string; readonly slot: number }
  /** Proven by the rail's own rules: it can never land. */
  | { readonly fate: 'dead'; readonly proof: Message; readonly transaction?: string }
  | { readonly fate: 'pending' }
  /** The chain could not be reached, or does not keep enough history. */
  | {
      readonly fate: 'unknown';
      readonly reason: Message;
      /** A final payment of the same wallet with its mark, signed elsewhere: this one can never land. */
      readonly takenBy?: string | undefined;
    };

/** A coin that a rail can send. */
export interface Asset {
  /** Address of the token, or the ticker of the chain's own coin; the journal's name for the asset. */
  readonly asset: string;
  /** Amounts are in units of 10^-decimals of the coin. */
  readonly decimals: number;
}

export interface Balances {
  readonly address: string;
  /** The chain's own coin, which pays network fees, in units of 10^-9. */
  readonly coinAtomic: Atomic;
  /** USDC in atomic units; null when the wallet has no account for it. */
  readonly usdcAtomic: Atomic | null;
}

interface Signing {
  readonly amountAtomic: Atomic;
  readonly signer: Signer;
  /** 32 bytes that make this payment differ from every other, and by which it is recognized. */
  readonly tag: Uint8Array;
}

/** What to sign: a payment for a merchant's requirement, which another party sends. */
export interface RequiredPayment extends Signing {
  readonly way: 'x402';
  readonly requirement: PaymentRequirement;
}

/** What to sign: a transfer that the wallet sends, paying the network fee. */
export interface DirectPayment extends Signing {
  readonly way: 'direct';
  readonly asset: Asset;
  readonly payTo: string;
  /** Whether the buyer agreed to pay for opening the recipient's account. */
  readonly mayOpenAccount: boolean;
}

/** The payer's side of a rail. What asks a node throws CHAIN_UNREACHABLE if it cannot. */
export interface PayerRail {
  /** CAIP-2 id. */
  readonly network: string;
  /** Its name for people; hosts that accept several networks know it in small letters. */
  readonly name: string;
  /**
   * Whether what is signed for one chain is valid on every other that calls itself the same, such as a
   * sandbox's.
   */
  readonly isReplayable: boolean;
  readonly signIn: SignIn;
  /** USDC there. */
  readonly usdc: Asset;
  /** Ticker of the chain's own coin. */
  readonly coin: string;
  /** Whether an address can have a private key; false for text that is not an address. */
  isKeyAddress(address: string): boolean;
  /** The account that a payment to an owner credits; undefined for text that is not an address. */
  recipientAccount(payTo: string, asset?: string): string | undefined;
  /** The asset for a ticker and the network's name on the wire; undefined if the wallet cannot send it. */
  asset(means: { readonly coin: string; readonly network: string }): Asset | undefined;
  balances(owner: string): Promise<Balances>;

  /** Checks of a requirement's fields that only this rail's payments use, each by itself. */
  requirementChecks(requirement: PaymentRequirement, payer: string | undefined): readonly Check[];
  /**
   * Refuses a requirement that the rail cannot pay, or whose money would be lost or reach someone else.
   * @throws {ScripError} REQUIREMENT_UNACCEPTABLE
   */
  checkRequirement(requirement: PaymentRequirement, payer: string): Promise<void>;
  /**
   * Returns what opening the recipient's account costs, with its coin; null if it exists.
   * @throws {ScripError} REQUIREMENT_UNACCEPTABLE for a recipient whose money would be lost
   */
  openingCost(payTo: string, asset: Asset): Promise<string | null>;
  /**
   * Builds and signs a payment, then decodes its bytes and compares them with the input. It sends nothing.
   * @throws {ScripError} FUNDS_TOO_LOW, REQUIREMENT_UNACCEPTABLE
   */
  sign(order: RequiredPayment | DirectPayment): Promise<SignedPayment>;

  /** What x402 sends of a payment that was signed for a requirement. */
  payload(payment: SignedPayment): PaymentPayload['payload'];
  /** Broadcasts a direct payment; sending the same bytes again is safe. */
  send(payment: SignedPayment): Promise<void>;
  /** Whether a block can still include the payment. */
  isLive(payment: SignedPayment): Promise<boolean>;
  fate(payment: SignedPayment): Promise<PaymentFate>;
  /** The id of the confirmed or final transaction that carries a payment; undefined if there is none. */
  transactionOf(payment: SignedPayment): Promise<string | undefined>;
  /** The end of the validity of what is signed within this time from now. */
  horizon(withinMs?: number): Promise<Horizon>;

  /** Lists payments that the owner signed and that left its accounts, newest first. */
  ownPayments(owner: string, query: HistoryQuery): Promise<OwnHistory>;
  /**
   * Lists the confirmed losses of the owner's USDC since an instant, by any signer or program, from
   * the balances that each transaction left in the wallet.
   * @throws {ScripError} SPENDING_UNKNOWN where the node does not have all of it
   */
  outflows(owner: string, span: Span): Promise<readonly Outflow[]>;
  /** What a transaction credited to an owner, in USDC; undefined if a node does not have it, or it failed. */
  received(transactionId: string, owner: string): Promise<Received | undefined>;
  /** The time of the newest finalized block, from the node that lags most; null if no node knows it. */
  timeMs(): Promise<number | null>;
  /** Checks the nodes; it returns their problems instead of throwing. */
  health(): Promise<RailHealth>;
}

/** A rail, and the address of a wallet that pays on it. */
export interface PayingRail {
  readonly rail: PayerRail;
  readonly address: string;
}

/** A limit of validity, by blocks or by time: what it covers can land only before it. */
export interface Horizon {
  covers(payment: SignedPayment): boolean;
  /** Whether the finalized chain is past it. @throws {ScripError} CHAIN_UNREACHABLE */
  isPast(): Promise<boolean>;
  /**
   * Reads a payment of an unproven record from what its payer signed; it is valid up to here at most, and may
   * have landed at any time. Undefined if its parts contradict each other or the signature is invalid.
   */
  recover(payment: SignedPayment): RecoveredPayment | undefined;
}

export interface RecoveredPayment {
  readonly asset: string;
  readonly amountAtomic: Atomic;
  /** The credited account, and its owner if the bytes name it. */
  readonly destination: string;
  readonly payTo: string | null;
  readonly signed: SignedPayment;
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
  /** Number of its newest final block. */
  readonly block: number;
}

interface Span {
  readonly sinceMs: number;
  readonly nowMs: number;
  /** Ids of transactions whose amount is not needed. */
  readonly known: ReadonlySet<string>;
  /**
   * Ids of transactions that the caller saw land; if given, a history that lacks one of them or contradicts
   * the node's accounts is refused.
   */
  readonly expected?: ReadonlySet<string> | undefined;
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
  /** Payments with other tags are not needed: a rail that can ask for a tag lists these alone. */
  readonly tags?: readonly Uint8Array[];
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
  readonly gap?: Message | undefined;
  /** Id of the newest final transaction listed; pass it as `until` of a later query. */
  readonly newest?: string | undefined;
}

/** A payment as the chain shows it. */
export interface OwnPayment extends RecoveredPayment {
  /** CAIP-2 id of its network; by default that of the rail. */
  readonly network?: string | undefined;
  readonly transactionId: string;
  readonly slot: number;
  /** Whether it is final. Query a payment that is not final again before relying on it. */
  readonly isFinal: boolean;
  /** Time of its block; undefined if the node does not give it. */
  readonly timeMs: number | undefined;
  /** Whether the wallet sent it; otherwise it was signed for a requirement with this `extra`. */
  readonly isDirect: boolean;
  readonly extra: PaymentRequirement['extra'];
  /** Whether it was signed with this tag. */
  carries(tag: Uint8Array): boolean;
}

/** A credit as all configured nodes show it. */
export interface Received {
  /** 0 if the owner was not credited. */
  readonly amountAtomic: Atomic;
  readonly isFinal: boolean;
}
