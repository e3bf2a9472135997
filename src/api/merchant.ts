/**
 * The port that every merchant implements: the checkout host, which is paid first; the partner API,
 * which takes the order first; and the scripted one of the tests. Differences are declared as values:
 * the flow of a purchase (`order.ts`) knows no others.
 */

import type { WireOrderStatus } from '../contract/checkout.ts';
import type { WirePartnerOrder, WireProblem, WireValidation } from '../contract/partner-orders.ts';
import type { OwnText } from '../domain/command-text.ts';
import type { ScripError } from '../domain/errors.ts';
import type { Entry, Intent } from '../domain/journal.ts';
import type { Said } from '../domain/message.ts';
import type { Atomic } from '../domain/money.ts';
import type { CatalogReader } from './catalog-reader.ts';
import type { PayRequest } from './partner/pay-terms.ts';
import type { Paying } from './paying.ts';
import type { IntentInput } from './payment/intent.ts';
import type { Receipt } from './receipt.ts';
import type { Recipient } from './recipient.ts';
import type { Timeouts } from './timeouts.ts';

/** One product for one beneficiary, as the user names it. */
export interface OrderItem {
  readonly productId: string;
  /** As typed, in any case. */
  readonly country: string;
  readonly brand?: string | undefined;
  /** Face value, for products that let it be chosen, as typed. */
  readonly value?: string | undefined;
  readonly quantity: number;
  /** An e-mail address or a phone number. */
  readonly to: string;
}

/** What to buy, and the most to pay for it. */
export interface OrderInput {
  readonly items: readonly OrderItem[];
  /** Where the merchant reaches the buyer. */
  readonly email?: string | undefined;
  /** The most to pay, as typed, in the coin that is paid. */
  readonly maxAmount?: string | undefined;
  readonly coin?: string | undefined;
  readonly network?: string | undefined;
  readonly paymentVia?: string | undefined;
  readonly coupon?: string | undefined;
  /** Where money goes back to. */
  readonly refundAddress?: string | undefined;
  /** Address that is told of each change of the order. */
  readonly callbackUrl?: string | undefined;
}

/** Options that a merchant may not support. */
export type Extra = 'quantity' | 'coupon' | 'coin' | 'paymentVia' | 'refundAddress';

export interface Price {
  /** As the merchant writes it. */
  readonly text: string;
  readonly atomic: Atomic;
  /** The most that may be signed for. */
  readonly capAtomic: Atomic;
  readonly decimals: number;
}

/** One line of a quote. */
export interface QuoteLine {
  /** Such as `Amazon.com 25 USD`. */
  readonly name: string;
  /** With its currency; empty where the merchant does not tell it. */
  readonly faceValue: string;
  readonly quantity: number;
  readonly recipient: Recipient;
}

/** A merchant's quote: products, price and problems. Asking for one costs nothing. */
export interface Quote<Body extends object = object> {
  /** The order request: what tells this purchase from all others. */
  readonly body: Body;
  readonly summary: Intent['summary'];
  readonly kinds: IntentInput['kinds'];
  readonly lines: readonly QuoteLine[];
  readonly email: string | undefined;
  readonly coin: string;
  readonly network: string;
  /** Undefined where a problem keeps it from being priced. */
  readonly price: Price | undefined;
  /** Until when the price holds, ISO 8601; undefined where the merchant does not say. */
  readonly expiresAt: string | undefined;
  /** The wallet of this machine can send the coin. */
  readonly isSendable: boolean;
  /** Where money comes back to, where the order says so. */
  readonly refundsTo: string | undefined;
  /** Why the order would not be taken. */
  readonly problems: readonly WireProblem[];
  /** The merchant's own check of the order, where it makes one. */
  readonly validation?: WireValidation | undefined;
}

/** Options of an order besides its products. */
export interface OrderTerms {
  /** The caller's idempotency key. */
  readonly key: string | undefined;
  readonly note?: string | undefined;
  /** Which part of a cart it is. */
  readonly cart?: Intent['cart'] | undefined;
  readonly allowsDuplicate: boolean;
  /** Opening the recipient's account is paid for as well. */
  readonly opensAccount: boolean;
  /** Whether its goods are waited for. */
  readonly isWaiting: boolean;
  readonly timeouts: Timeouts;
}

/** An order that was made before and is paid now. */
export interface PaymentTerms extends Omit<PayRequest, 'orderId'>, Pick<OrderTerms, 'isWaiting'> {
  readonly waitMs: number;
  /** The command that goes on with it, where it does not come to an end. */
  readonly goOn: OwnText;
}

/** An order that nothing was paid for yet, as far as this run knows. */
export interface Placed {
  readonly entry: Entry;
  /** The merchant's order, where there is one before it is paid. */
  readonly order?: WirePartnerOrder;
}

/** As the merchant gives it, but for its name here. */
export type CalledOrder = WireOrderStatus & { readonly merchant_order_id?: string };

/** An order, as its merchant describes it. */
export type OrderDocument =
  | { readonly form: 'checkout'; readonly order: CalledOrder }
  | { readonly form: 'partner'; readonly order: WirePartnerOrder };

/** What an order comes to that was made: the merchant's document, or what the journal has of it. */
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
  /** The reason it failed; undefined on success. */
  readonly error: ScripError | undefined;
}

/** An order that was placed. */
export interface Bought {
  readonly document: BoughtDocument;
  /** The reason it is not a plain success. */
  readonly error: ScripError | undefined;
  /** What was paid was paid before, or by another run. */
  readonly isBoughtBefore: boolean;
  /** Of this wallet for an order that was made before, all of them final. */
  readonly transactions?: readonly string[];
}

/** A purchase of the journal that was looked after. */
export interface Finished {
  readonly receipt: Omit<Receipt, 'deliveries'> & { readonly deliveries: readonly unknown[] };
  readonly error: ScripError | undefined;
}

export interface FollowOptions {
  /** Streams where the merchant has them; `poll` asks in any case. */
  readonly mode: 'sse' | 'poll' | 'auto';
  /** 0 asks once. */
  readonly timeoutMs: number;
  /** The least time between two questions, beside the merchant's own pace. */
  readonly leastPollMs?: number;
  /** What the order is called here, where the merchant's id is no plain word. */
  readonly calledAs?: string;
  readonly seen?: (snapshot: OrderSnapshot) => void;
  readonly reconnecting?: (reason: Said, waitMs: number) => void;
}

/** Everything that only some merchants can. */
export interface Abilities {
  /** The order is made before it is paid: it may be left unpaid, and paid from anywhere. */
  readonly ordersFirst: boolean;
  readonly takes: ReadonlySet<Extra>;
  /** What of an item it cannot do without. */
  readonly needs: readonly ('country' | 'brand')[];
}

export interface Merchant<Body extends object = object> extends Abilities {
  /** How the journal names it. */
  readonly host: string;
  /** Base address of what is asked. */
  readonly url: string;
  /** What it sells. */
  readonly catalog: CatalogReader;
  /** Wallet, chain and journal that its payments are made with, opened once. @throws as `openPaying` */
  paying(): Promise<Paying>;
  /** Whether a purchase of the journal is of this merchant. */
  sells(intent: Intent): boolean;
  /** Whether an unfinished purchase of the same is still meant; always, where it is left out. */
  readonly isStillMeant?: (begun: Intent) => boolean;
  /**
   * Asks what an order would cost.
   * @throws {ScripError} for anything wrong with the order: EMAIL_INVALID, PHONE_INVALID, COUNTRY_UNKNOWN,
   * BRAND_UNKNOWN, PRODUCT_UNKNOWN, VALUE_REQUIRED and its like, AMOUNT_OVER_CAP
   */
  quote(orderInput: OrderInput): Promise<Quote<Body>>;
  /**
   * Puts the purchase on disk and makes the order, where the merchant takes one before it is paid; or
   * finds the one that the same key or the same request made before.
   * @throws {ScripError} DUPLICATE_PURCHASE, IDEMPOTENCY_KEY_REUSED, JOURNAL_UNUSABLE, ORDER_PROBLEMS,
   * OUTCOME_UNKNOWN
   */
  place(offer: Quote<Body>, terms: OrderTerms): Promise<Placed>;
  /**
   * Pays once, never more than the confirmed maximum, and waits for delivery. What came of it is a value with
   * its error; see `paid` in order.ts.
   * @throws {ScripError} the reason not to pay (fundsAtRisk `none`), INTERRUPTED, and outcomes
   * without a document
   */
  pay(placed: Placed, offer: Quote<Body>, terms: OrderTerms): Promise<Bought>;
  /**
   * Pays an order that was made before; there where `ordersFirst`.
   * @throws {ScripError} ORDER_UNKNOWN, what `agree` throws, and as `pay`
   */
  payPlaced?(orderId: string, terms: PaymentTerms): Promise<Bought>;
  /** How an order stands. @throws {ScripError} ORDER_UNKNOWN and the codes of a call */
  follow(orderId: string, options: FollowOptions): Promise<OrderSnapshot>;
  /**
   * Finds out what became of a purchase of the journal and finishes it if it was paid; signs nothing.
   * @throws {ScripError} JOURNAL_UNUSABLE, WALLET_MISSING, INTERRUPTED and the codes of a call
   */
  finish(entry: Entry, timeouts: Timeouts): Promise<Finished>;
}
