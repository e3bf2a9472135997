/** Orders of the partner API, and the counts that limits need. */
import type { OrderStates } from '../domain/order-states.ts';
import type { DeliveryRow } from './checkout-orders.ts';
import type { DueWork } from './due-work.ts';
import type { OrderEventRow } from './order-events.ts';

/** An order of the partner API: request, price and state. */
export interface PartnerOrderRow extends OrderStates {
  /** UUID version 4. A caller with it may read the codes. */
  readonly orderId: string;
  /** Id of its payment page, whose link may be shared; random, and in another form than order ids. */
  readonly pageId: string;
  /** Partner id that created the order; only it may read the order. */
  readonly applicationId: string;
  readonly email: string;
  /** JSON of the accepted request. */
  readonly request: string;
  /** JSON of the priced lines, each with its cost in the coin. */
  readonly lines: string;
  /** JSON of the sums: summary, fee, points. */
  readonly quote: string;
  /** Value of the products in 10^-6 USD, as digits; limits use it. */
  readonly valueUsd: string;
  readonly couponCode: string | null;
  readonly coin: string;
  /** Null if the payment via itself moves the money. */
  readonly network: string | null;
  /** Decimals of the amounts below. */
  readonly decimals: number;
  /** Digits: amount to pay, confirmed amount, and amount seen including unconfirmed. */
  readonly coinAmountAtomic: string;
  readonly receivedAtomic: string;
  readonly seenAtomic: string;
  /** Null if nothing is left to pay, a processor takes the payment, or another order uses the address now. */
  readonly walletAddress: string | null;
  /** JSON array of transaction ids, oldest first. */
  readonly transactions: string;
  readonly notificationUrl: string | null;
  readonly refundAddress: string | null;
  /** At most one order per key and application. */
  readonly idempotencyKey: string | null;
  /** Digest of the network address that created the order, if only that address may repeat it. */
  readonly maker: string | null;
  readonly createdAtMs: number;
  /** Until when a payment may start. */
  readonly windowEndsAtMs: number;
  readonly updatedAtMs: number;
  /** When the order was paid in full, or ended unpaid. */
  readonly closedAtMs: number | null;
  /** When to check it next; null once it is finished. */
  readonly nextLookAtMs: number | null;
  /** Increases with every change. */
  readonly version: number;
}

/** A new order, and a delivery for each of its lines. */
export interface NewOrder {
  readonly row: PartnerOrderRow;
  readonly deliveries: readonly DeliveryRow[];
}

/** Number of open or paid orders that use a coupon. */
export interface CouponCount {
  readonly total: number;
  readonly byCustomer: number;
}

/** A partner's orders closed since an instant, and how many of them were never paid. */
export interface ClosedCount {
  readonly closed: number;
  readonly unpaid: number;
  /** Value of the fact that was asked for with them. */
  readonly fact: string | undefined;
}

export type Wakened = { readonly orderId: string } | { readonly addresses: readonly string[] };

/** When to check an order next; `version` is that of the row it was decided by. */
export type NextLook = Pick<PartnerOrderRow, 'orderId' | 'version' | 'nextLookAtMs'>;

export interface PartnerOrders extends DueWork<PartnerOrderRow> {
  /**
   * Inserts an order with its deliveries and its first event, which is announced to no server: nothing
   * can follow an order that is not yet known.
   * @throws {ScripError} RECORD_EXISTS if another order has the id, address or idempotency key
   */
  insert(
    row: PartnerOrderRow,
    deliveries: readonly DeliveryRow[],
    event?: Pick<OrderEventRow, 'atMs' | 'body'>,
  ): Promise<void>;
  byId(orderId: string): Promise<PartnerOrderRow | undefined>;
  /** @param id of a page, or of an order, which links of earlier versions have */
  ofPage(id: string): Promise<PartnerOrderRow | undefined>;
  byIdempotencyKey(applicationId: string, key: string): Promise<PartnerOrderRow | undefined>;
  /** Ends leases: sets when each order is checked next, unless another write changed it. */
  putOff(looks: readonly NextLook[]): Promise<void>;
  /** Makes orders with these ids or addresses due now; finished orders stay finished. */
  wake(of: Wakened, atMs: number): Promise<void>;
  /** Compare-and-swap on `version`; false if another write was first. */
  update(
    before: Pick<PartnerOrderRow, 'orderId' | 'version'>,
    after: PartnerOrderRow,
  ): Promise<boolean>;
  /** Returns an email address's paid orders created since an instant. */
  paidBy(
    email: string,
    sinceMs: number,
  ): Promise<readonly Pick<PartnerOrderRow, 'createdAtMs' | 'valueUsd'>[]>;
  /** Counts open or paid orders with the coupon. */
  couponUse(code: string, email: string): Promise<CouponCount>;
  /** Counts closed orders, and reads the fact of this name beside them. */
  closedSince(applicationId: string, sinceMs: number, fact: string): Promise<ClosedCount>;
  lastCreatedAtMs(applicationId: string): Promise<number | undefined>;
}
