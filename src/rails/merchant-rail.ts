/** The ports of the side that is paid: its rail and x402's facilitator. */

import type {
  PaymentPayload,
  PaymentRequirement,
  SettleResponse,
  SupportedResponse,
  VerifyResponse,
} from '../contract/x402.ts';
import type { Atomic } from '../domain/money/money.ts';
import type { Claim, Outcome } from '../domain/payment/claim.ts';
import type { PayerFailure } from '../domain/payment/payer-failures.ts';
import type { Received, Signer, SignIn } from './rail.ts';

/** What a payment commits to, read from its signed bytes. */
export interface PaymentFacts {
  readonly messageHash: string;
  readonly payer: string;
  /** Token account that pays. */
  readonly source: string;
  /** The fields of the payload that the rail knows. */
  readonly payload: PaymentPayload['payload'];
}

/** A rail that the checkout host is paid on. */
export interface CheckoutRail extends MerchantRail {
  /** Settles the payments that are made on it. */
  readonly facilitator: Facilitator;
}

/** The merchant's side of a rail. */
export interface MerchantRail {
  readonly network: string;
  /** Address of USDC there. */
  readonly asset: string;
  readonly signIn: Pick<SignIn, 'type' | 'account' | 'signedBy'>;
  /** Address that all sessions are paid to; undefined where each has one of its own. */
  readonly payTo?: string | undefined;
  /** Creates the requirement of a session. `destination` is the token account that it is paid to. */
  requirement(input: {
    readonly amountAtomic: Atomic;
    readonly description: string;
  }): Promise<{ readonly requirement: PaymentRequirement; readonly destination: string }>;
  /** Reads a payment. @throws {ScripError} PAYMENT_MALFORMED */
  inspect(payload: PaymentPayload): PaymentFacts;
  /** Undefined where a wallet sends its payments itself. */
  walletRequest?(order: OwnPayment): Promise<WalletRequest>;
}

/** The payment of one order to its own address. */
interface OwnPayment {
  readonly payTo: string;
  readonly amountAtomic: Atomic;
  /** 32 bytes that no other payment has. */
  readonly reference: Uint8Array;
}

/** What a browser's wallet signs, and the facilitator settles. */
export interface WalletRequest {
  readonly requirement: PaymentRequirement;
  /** EIP-712; the payer fills in its address and the validity. */
  readonly typedData: object;
  /** Whether a payment carries the reference: then a wallet can make only one of it. */
  isOf(payload: PaymentPayload): boolean;
}

/** x402's facilitator: embedded, or remote over HTTP with the same three calls. */
export interface Facilitator {
  supported(): Promise<SupportedResponse>;
  verify(payload: PaymentPayload, requirement: PaymentRequirement): Promise<VerifyResponse>;
  /**
   * Settles a message at most once, however often it is called. `errorReason` `settlement_pending`
   * with a transaction means sent but undecided: call again, never treat it as unpaid.
   * @throws {ScripError} FACILITATOR_UNAVAILABLE
   */
  settle(
    payload: PaymentPayload,
    requirement: PaymentRequirement,
    options?: SettleOptions,
  ): Promise<SettleResponse>;
  /**
   * Checks that the fee payer can pay a fee now; called before a payment is requested.
   * @throws {ScripError} FACILITATOR_UNAVAILABLE
   */
  checkFunds(): Promise<void>;
}

export interface SettleOptions {
  /** Stops following a message that is sent but undecided. */
  readonly signal?: AbortSignal | undefined;
  /** When the payment was put on record: it was not on the chain before. */
  readonly sinceMs?: number | undefined;
}

/** Limits how often a payer may fail: a failed payment costs the fee payer, not the payer. */
export interface PayerBudget {
  isBlocked(payer: string): Promise<boolean>;
  /** Counts a failed message once, however often it is called. */
  note(payer: string, failure: PayerFailure): Promise<void>;
}

/** The part of an order that finding its payment needs. */
export interface WatchedOrder {
  readonly orderId: string;
  /** Address used only by this order; null if a processor takes the payment. */
  readonly address: string | null;
  readonly coin: string;
  /** Name of the network; null if a processor takes the payment. */
  readonly network: string | null;
}

/** An order and what is known to have come in. */
export interface KnownOrder extends WatchedOrder {
  /** In the coin's smallest unit. */
  readonly seenAtomic: Atomic;
  /** Whether all of it is confirmed. */
  readonly isConfirmed: boolean;
}

/** Sums over all transactions, in the coin's smallest unit. */
export interface Receipts {
  /** Confirmed payments; orders are delivered for nothing else. */
  readonly confirmedAtomic: Atomic;
  /** Confirmed payments plus unconfirmed ones, which may still disappear. */
  readonly seenAtomic: Atomic;
  /** Final money on the account that no transaction shown by the node brought; by default none. */
  readonly unexplainedAtomic?: Atomic;
  /** Transaction ids, oldest first. */
  readonly transactions: readonly string[];
}

export interface PaymentWatch {
  /**
   * Returns an order's payments.
   * @throws {ScripError} CHAIN_UNREACHABLE, which says nothing about the payment
   */
  received(order: WatchedOrder): Promise<Receipts>;
  /**
   * Returns the ids of those orders whose receipts may differ from what is known of them; asks for
   * many at once. Undefined if each has to be asked about.
   * @throws {ScripError} CHAIN_UNREACHABLE
   */
  changed?(orders: readonly KnownOrder[]): Promise<ReadonlySet<string>>;
  /** Undefined if nothing reports payments: orders are then polled in turn. */
  readonly news?: PaymentNews | undefined;
}

/** Ids of the orders that a watch has to be asked about; of all, if it cannot tell them apart. */
export async function changedOrders(
  watch: PaymentWatch,
  orders: readonly KnownOrder[],
): Promise<ReadonlySet<string>> {
  if (watch.changed === undefined) return new Set(orders.map(({ orderId }) => orderId));
  return orders.length === 0 ? new Set() : watch.changed(orders);
}

/** Asks for each order the watch that finds its payments. */
export function routedWatch(
  watches: readonly PaymentWatch[],
  watchOf: (order: WatchedOrder) => PaymentWatch,
): Pick<PaymentWatch, 'changed' | 'received'> {
  return {
    changed: async (orders) => {
      const found = await Promise.all(
        watches.map((watch) =>
          changedOrders(
            watch,
            orders.filter((order) => watchOf(order) === watch),
          ),
        ),
      );
      return new Set(found.flatMap((ids) => [...ids]));
    },
    received: (order) => watchOf(order).received(order),
  };
}

/** Addresses that orders are paid to, each derived from a number. */
export interface ReceivingRail {
  /** CAIP-2 id. */
  readonly network: string;
  /** A transfer to the treasury is looked at no more often: until it is final its account stays open. */
  readonly followEveryMs: number;
  ownerAt(position: number): Signer;
  /** Makes an address ready for payments. @throws {ScripError} CHAIN_UNREACHABLE */
  open(owner: string): Promise<void>;
  /** Takes back what an empty address cost. @throws {ScripError} CHAIN_UNREACHABLE */
  close(owner: Signer): Promise<void>;
  /** USDC of each; null where there is nothing to close. @throws {ScripError} CHAIN_UNREACHABLE */
  held(owners: readonly string[]): Promise<readonly (bigint | null)[]>;
  /** What tells payments after now from those before; null if there was none. @throws {ScripError} CHAIN_UNREACHABLE */
  baselineOf(owner: string): Promise<string | null>;
}

/** Reports the addresses that received something, so orders need not be polled before. */
export interface PaymentNews {
  /** Whether this order's payments are reported: by this news, or by the code that simulates them. */
  covers(order: WatchedOrder): boolean;
  /**
   * Returns the addresses that received something since a mark, and the next mark. Without a mark
   * it starts at the beginning.
   */
  since(mark: string | undefined): Promise<{
    readonly addresses: readonly string[];
    readonly mark: string;
  }>;
}

/** A payment that our fee payer has signed and the buyer has not. */
export interface SponsoredPayment {
  readonly messageHash: string;
  /** Id that the transaction has on the chain. */
  readonly transaction: string;
  /** Standard base64 of the wire transaction; the buyer's signature is missing. */
  readonly wire: string;
  /** In base units of the chain's own coin. */
  readonly fee: bigint;
  /** Until when it can land, in the rail's own terms. */
  readonly validUntil: number;
}

/** Why nothing is signed for an account. */
export type SponsorRefusal = 'not_an_account' | 'blocked' | 'would_fail';

/** `live`: it may still land, or has landed and is not final. */
export type SponsoredFate = 'live' | 'landed' | 'failed' | 'expired';

export interface PaymentSponsor {
  /** Whether it pays the fee of this coin on this network. */
  covers(means: { readonly coin: string; readonly network: string | null }): boolean;
  /**
   * Builds a message of its own, simulates it and signs it; it sends nothing.
   * @throws {ScripError} CHAIN_UNREACHABLE; FACILITATOR_UNAVAILABLE when the fee payer has too little
   */
  prepare(account: string, order: OwnPayment): Promise<SponsoredPayment | SponsorRefusal>;
  /**
   * A payment that failed on the chain counts against its account.
   * @throws {ScripError} CHAIN_UNREACHABLE
   */
  fate(
    payment: Pick<SponsoredPayment, 'messageHash' | 'transaction' | 'validUntil'> & {
      readonly account: string;
    },
  ): Promise<SponsoredFate>;
}

/** Stores claims by message hash. */
export interface ClaimStore {
  /** Writes the claim, or returns the one already stored. */
  claim(claim: Claim): Promise<Claim>;
  byMessage(messageHash: string): Promise<Claim | undefined>;
  /** Changes the state from `submitting`; only the first decision counts. Returns the stored claim. */
  decide(messageHash: string, outcome: Outcome): Promise<Claim | undefined>;
}

/** A transfer of the shop's own USDC: a refund, or money on its way to the treasury. */
export interface ShopTransfer {
  /** Wallet that is debited. */
  readonly owner: Signer;
  /** Wallet to credit; it can receive USDC. */
  readonly payTo: string;
  readonly amountAtomic: Atomic;
  /** 32 bytes by which it is found on the chain. */
  readonly reference?: Uint8Array | undefined;
}

/** A transfer that a node names: final, or still open. */
export type FoundTransfer =
  | { readonly kind: 'final'; readonly transaction: string }
  | { readonly kind: 'open' };

/** A change of an owner's USDC in one transaction; negative where money left it. */
export interface BalanceChange {
  readonly transaction: string;
  readonly change: bigint;
  readonly atMs: number;
  readonly feePayer: string;
}

/** The account that pays the network fees of what the shop sends. */
export interface FeeAccount {
  readonly address: string;
  /** Ticker of the chain's own coin. */
  readonly coin: string;
  readonly decimals: number;
  readonly balance: bigint;
}

/**
 * The shop's own money on a rail, and what its records are compared with. What asks a node throws
 * CHAIN_UNREACHABLE if it cannot.
 */
export interface ShopRail {
  /** CAIP-2 id. */
  readonly network: string;
  isAddress(text: string): boolean;
  /** Whether an address can have a private key; false for text that is not an address. */
  isKeyAddress(text: string): boolean;
  /** Whether the text has the form of a transaction's id. */
  isTransactionId(text: string): boolean;
  /** Whether a transfer of USDC can reach an address. */
  canReceive(owner: string): Promise<boolean>;
  /** USDC of each owner; null where it has no account for it. */
  usdcOf(owners: readonly string[]): Promise<readonly (bigint | null)[]>;
  feeAccount(): Promise<FeeAccount>;

  /**
   * Signs a transfer without sending it: it is put on record first.
   * @throws {ScripError} FACILITATOR_UNAVAILABLE if the chain would refuse it
   */
  sign(transfer: ShopTransfer): Promise<Claim>;
  /**
   * Sends a transfer on record until it is final or can never land, and records which; undefined
   * while it is neither.
   */
  follow(claim: Claim, forMs: number): Promise<Outcome | undefined>;
  /**
   * What the shop paid the chain for a decided claim, in base units of the chain's own coin; undefined if the claim is
   * of another rail, or if the node does not show it.
   */
  feeOf(claim: Claim): Promise<bigint | undefined>;
  /** Looks for a transfer of the owner with this reference, also one that no record knows. */
  landed(sought: {
    readonly owner: string;
    readonly reference: Uint8Array;
  }): Promise<FoundTransfer | undefined>;

  /** What a transaction credited to an owner, in USDC; undefined if a node does not have it, or it failed. */
  received(transactionId: string, owner: string): Promise<Received | undefined>;
  /**
   * What a final transaction changed of the owners' USDC, in their order; undefined if the nodes
   * show it differently, or not as final.
   */
  changesIn(
    transactionId: string,
    owners: readonly string[],
  ): Promise<readonly BalanceChange[] | undefined>;
  /**
   * All changes of an owner's USDC, oldest first, by each node; the shop's own node comes first.
   * @param sinceMs nothing older is read
   */
  histories(owner: string, sinceMs: number): Promise<readonly (readonly BalanceChange[])[]>;
  /** Number of the newest final block, by each node; undefined where one is away. */
  heads(): Promise<readonly (number | undefined)[]>;
}
