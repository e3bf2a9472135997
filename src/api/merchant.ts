/**
 * The port that every merchant implements: the checkout host, which is paid first; the partner API, which
 * creates the order first; and the scripted merchant of the tests. Their differences are declared as values;
 * the purchase flow (`order.ts`) makes no other distinction.
 */

import type { WireOrderStatus } from '../contract/checkout.ts';
import type { WireRefund } from '../contract/order-refunds.ts';
import type { WirePartnerOrder, WireProblem, WireValidation } from '../contract/partner-orders.ts';
import type { Entry, Intent } from '../domain/journal/journal.ts';
import type { OwnText } from '../domain/message/command-text.ts';
import type { ScripError } from '../domain/message/errors.ts';
import type { Said } from '../domain/message/message.ts';
import type { Atomic } from '../domain/money/money.ts';
import type { CatalogReader } from './catalog-reader.ts';
import type { PayRequest } from './partner/pay-terms.ts';
import type { Paying } from './paying.ts';
import type { IntentInput } from './payment/intent.ts';
import type { Receipt } from './receipt.ts';
import type { Recipient } from './recipient.ts';
import type { Timeouts } from './timeouts.ts';

/** One product for one recipient, as the user names it. */
export interface OrderItem {
  readonly productId: string;
  /** As typed, in any case. */
  readonly country: string;
  readonly brand?: string | undefined;
  /** Face value of a range product, as typed. */
  readonly value?: string | undefined;
  readonly quantity: number;
  /** An e-mail address or a phone number. */
  readonly to: string;
}

/** What to buy, and the maximum to pay for it. */
export interface OrderInput {
  readonly items: readonly OrderItem[];
  /** The buyer's contact address for the merchant. */
  readonly email?: string | undefined;
  /** Maximum to pay, as typed, in the coin of the payment. */
  readonly maxAmount?: string | undefined;
  readonly coin?: string | undefined;
  readonly network?: string | undefined;
  readonly paymentVia?: string | undefined;
  readonly coupon?: string | undefined;
  readonly refundAddress?: string | undefined;
  /** URL that the merchant calls on each change of the order. */
  readonly callbackUrl?: string | undefined;
}

/** Options that a merchant may not support. */
export type Extra = 'quantity' | 'coupon' | 'coin' | 'paymentVia' | 'refundAddress';

export interface Price {
  /** As the merchant writes it. */
  readonly text: string;
  readonly atomic: Atomic;
  /** The maximum to sign for. */
  readonly capAtomic: Atomic;
  readonly decimals: number;
}

/** One line of a quote. */
export interface QuoteLine {
  /** Such as `Amazon.com 25 USD`. */
  readonly name: string;
  /** With its currency; empty when the merchant does not report it. */
  readonly faceValue: string;
  readonly quantity: number;
  readonly recipient: Recipient;
}

/** A merchant's quote: products, price and problems. Asking for one costs nothing. */
export interface Quote<Body extends object = object> {
  /** The order request, which identifies this purchase. */
  readonly body: Body;
  readonly summary: Intent['summary'];
  readonly kinds: IntentInput['kinds'];
  readonly lines: readonly QuoteLine[];
  readonly email: string | undefined;
  readonly coin: string;
  readonly network: string;
  /** Undefined when a problem prevents a price. */
  readonly price: Price | undefined;
  /** When the price expires, ISO 8601; undefined when the merchant does not report it. */
  readonly expiresAt: string | undefined;
  /** Whether this machine's wallet can send the coin. */
  readonly isSendable: boolean;
  /** Refund address, if the order names one. */
  readonly refundsTo: string | undefined;
  /** Why the merchant would refuse the order. */
  readonly problems: readonly WireProblem[];
  /** The merchant's own validation of the order, if it has one. */
  readonly validation?: WireValidation | undefined;
}

/** Options of an order besides its products. */
export interface OrderTerms {
  /** The caller's idempotency key. */
  readonly key: string | undefined;
  readonly note?: string | undefined;
  /** The cart items in this order. */
  readonly cart?: Intent['cart'] | undefined;
  readonly allowsDuplicate: boolean;
  /** Accepts paying for the recipient's token account too. */
  readonly opensAccount: boolean;
  /** Whether to wait for the goods. */
  readonly isWaiting: boolean;
  /** Signs nothing: the order is paid, and no one has agreed to another payment. */
  readonly signsNothing?: boolean;
  readonly timeouts: Timeouts;
}

/** Terms for paying an order created earlier. */
export interface PaymentTerms extends Omit<PayRequest, 'orderId'>, Pick<OrderTerms, 'isWaiting'> {
  readonly waitMs: number;
  /** The command that continues the payment if this run does not complete it. */
  readonly goOn: OwnText;
}

/** An order not paid yet, as far as this run knows. */
export interface Placed {
  readonly entry: Entry;
  /** The merchant's order, if it exists before the payment. */
  readonly order?: WirePartnerOrder;
}

/** The merchant's order, with our name for it and the merchant's beside it. */
export type CalledOrder = WireOrderStatus & { readonly merchant_order_id?: string };

/** An order as its merchant describes it. */
export type OrderDocument =
  | { readonly form: 'checkout'; readonly order: CalledOrder }
  | { readonly form: 'partner'; readonly order: WirePartnerOrder };

/** What a purchase returns: the merchant's document, or the journal's receipt. */
export type BoughtDocument =
  | OrderDocument
  | { readonly form: 'receipt'; readonly receipt: Receipt };

/** The state of an order, as the merchant returned it. */
export interface OrderSnapshot {
  readonly document: OrderDocument;
  /** In the merchant's words. */
  readonly status: string;
  readonly paymentState: string | null;
  readonly isOver: boolean;
  /** Why it failed; undefined on success. */
  readonly error: ScripError | undefined;
}

/** The result of a purchase. */
export interface Bought {
  readonly document: BoughtDocument;
  /** The error to report; undefined on plain success. */
  readonly error: ScripError | undefined;
  /** True when it was paid earlier, or by another run. */
  readonly isBoughtBefore: boolean;
  /** The wallet's finalized transactions for the order, if it was created earlier. */
  readonly transactions?: readonly string[];
}

/** The result of finishing a journaled purchase. */
export interface Finished {
  readonly receipt: Omit<Receipt, 'deliveries'> & { readonly deliveries: readonly unknown[] };
  readonly error: ScripError | undefined;
}

export interface FollowOptions {
  /** `auto` streams if the merchant can, and polls once that fails for good; `poll` always polls. */
  readonly mode: 'sse' | 'poll' | 'auto';
  /** Total time limit; 0 reads once. */
  readonly timeoutMs: number;
  /** Minimum time between two polls, if longer than the merchant's own pace. */
  readonly leastPollMs?: number;
  /** Our name for the order, if the merchant's id is not a plain word. */
  readonly calledAs?: string;
  readonly seen?: (snapshot: OrderSnapshot) => void;
  /** Called when a connection ends, with the reason and the wait before the next. */
  readonly reconnecting?: ((reason: Said, waitMs: number) => void) | undefined;
  /** Called when the merchant cannot be asked now; it is asked again. */
  readonly unanswered?: ((error: ScripError) => void) | undefined;
}

/** Where refunds go, and the key of the order's creation as proof. */
export interface NamedAddress {
  readonly key: string;
  readonly address: string;
}

/** Features that only some merchants have. */
export interface Abilities {
  /** Whether the order is created before it is paid, so that it may stay unpaid or be paid from anywhere. */
  readonly ordersFirst: boolean;
  readonly takes: ReadonlySet<Extra>;
  /** Fields of an item that it requires, besides the country. */
  readonly needs: readonly 'brand'[];
}

export interface Merchant<Body extends object = object> extends Abilities {
  /** Name in the journal. */
  readonly host: string;
  /** Base address of its API. */
  readonly url: string;
  readonly catalog: CatalogReader;
  /** Returns wallet, chain and journal for its payments, opened once. @throws as `openPaying` */
  paying(): Promise<Paying>;
  /** Whether a journaled purchase is from this merchant. */
  sells(intent: Intent): boolean;
  /** Whether an unfinished purchase of the same order should be continued; always, if omitted. */
  readonly isStillMeant?: (begun: Intent) => boolean;
  /**
   * Quotes an order.
   * @throws {ScripError} for anything wrong with the order: EMAIL_INVALID, PHONE_INVALID, COUNTRY_UNKNOWN,
   * BRAND_UNKNOWN, PRODUCT_UNKNOWN, VALUE_REQUIRED and the other VALUE codes, AMOUNT_OVER_CAP
   */
  quote(orderInput: OrderInput): Promise<Quote<Body>>;
  /**
   * Journals the purchase, and creates the order if the merchant does so before payment. Returns the existing
   * one for the same key or the same request.
   * @throws {ScripError} DUPLICATE_PURCHASE, IDEMPOTENCY_KEY_REUSED, JOURNAL_UNUSABLE, ORDER_PROBLEMS,
   * OUTCOME_UNKNOWN
   */
  place(quote: Quote<Body>, terms: OrderTerms): Promise<Placed>;
  /**
   * Pays once, never more than the confirmed maximum, and waits for delivery. The result is a value that
   * includes its error; see `paid` in order.ts.
   * @throws {ScripError} the reason not to pay (fundsAtRisk `none`), INTERRUPTED, and outcomes without a
   * document
   */
  pay(placed: Placed, quote: Quote<Body>, terms: OrderTerms): Promise<Bought>;
  /**
   * Pays an order created earlier; exists only if `ordersFirst`.
   * @throws {ScripError} ORDER_UNKNOWN, what `agree` throws, and as `pay`
   */
  payPlaced?(orderId: string, terms: PaymentTerms): Promise<Bought>;
  /**
   * Follows an order, and returns its last state.
   * @throws {ScripError} ORDER_UNKNOWN and the codes of a call
   */
  follow(orderId: string, options: FollowOptions): Promise<OrderSnapshot>;
  /**
   * Reads the refunds of an order, as the merchant says; undefined if it tells of none.
   * @throws {ScripError} the codes of a call
   */
  refunds(orderId: string): Promise<readonly WireRefund[] | undefined>;
  /**
   * Names where refunds of an order go; exists only where a refund may lack an address.
   * @throws {ScripError} the codes of a call
   */
  nameRefundAddress?(orderId: string, named: NamedAddress): Promise<readonly WireRefund[]>;
  /**
   * Finds the outcome of a journaled purchase, and finishes it if it was paid; signs nothing.
   * @throws {ScripError} JOURNAL_UNUSABLE, WALLET_MISSING, INTERRUPTED and the codes of a call
   */
  finish(entry: Entry, timeouts: Timeouts): Promise<Finished>;
}
