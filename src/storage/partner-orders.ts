/** Orders of the partner API, and what limits count of them. */
import type { OrderStates } from '../domain/order-states.ts';
import type { DeliveryRow } from './checkout-orders.ts';

/** An order of the partner API: what was asked for, what it costs, and how far it is. */
export interface PartnerOrderRow extends OrderStates {
  /** UUID version 4. */
  readonly orderId: string;
  /** Partner id that made it, and that alone may read it. */
  readonly applicationId: string;
  readonly email: string;
  /** JSON of the request, as it was accepted. */
  readonly request: string;
  /** JSON of the priced lines, with what each of them costs in the coin. */
  readonly lines: string;
  /** JSON of the sums: summary, fee, points. */
  readonly quote: string;
  /** Value of the goods in 10^-6 USD, as digits; limits are counted in it. */
  readonly valueUsd: string;
  readonly couponCode: string | null;
  readonly coin: string;
  /** Null where the payment via moves the money. */
  readonly network: string | null;
  /** Decimals of the amounts below. */
  readonly decimals: number;
  /** What is to be sent, what is confirmed, and what was seen at all; digits. */
  readonly coinAmountAtomic: string;
  readonly receivedAtomic: string;
  readonly seenAtomic: string;
  /** Null where nothing is left to pay, or a processor takes the payment. */
  readonly walletAddress: string | null;
  /** JSON array of transaction ids, oldest first. */
  readonly transactions: string;
  readonly notificationUrl: string | null;
  readonly refundAddress: string | null;
  /** One order per key and application. */
  readonly idempotencyKey: string | null;
  /** Digest of the address that made it, where only that address may repeat its creation. */
  readonly maker: string | null;
  readonly createdAtMs: number;
  /** Until when a payment may start. */
  readonly windowEndsAtMs: number;
  readonly updatedAtMs: number;
  /** When the order was paid in full, or ended without that. */
  readonly closedAtMs: number | null;
  /** When to check it next; null when it is finished. */
  readonly nextLookAtMs: number | null;
  /** One more with every change. */
  readonly version: number;
}

/** How often a coupon is held by orders that are open or paid. */
export interface CouponCount {
  readonly total: number;
  readonly byCustomer: number;
}

/** A partner's orders that closed since an instant, and how many of them were never paid. */
export interface ClosedCount {
  readonly closed: number;
  readonly unpaid: number;
}

export type Wakened = { readonly orderId: string } | { readonly addresses: readonly string[] };

export interface PartnerOrders {
  /** @throws {ScripError} RECORD_EXISTS on a second order with one id, address or idempotency key */
  insert(row: PartnerOrderRow, deliveries: readonly DeliveryRow[]): Promise<void>;
  byId(orderId: string): Promise<PartnerOrderRow | undefined>;
  byIdempotencyKey(applicationId: string, key: string): Promise<PartnerOrderRow | undefined>;
  /** Those whose next look is due, longest overdue first. */
  due(atMs: number, limit: number): Promise<readonly PartnerOrderRow[]>;
  /** Makes the orders of these ids or addresses due, of those that are looked at ever again. */
  wake(of: Wakened, atMs: number): Promise<void>;
  /** Compare-and-swap on `version`, which `after` has one more of; false when another was first. */
  update(
    before: Pick<PartnerOrderRow, 'orderId' | 'version'>,
    after: PartnerOrderRow,
  ): Promise<boolean>;
  /** Paid orders of an address since an instant, by when they were made. */
  paidBy(
    email: string,
    sinceMs: number,
  ): Promise<readonly Pick<PartnerOrderRow, 'createdAtMs' | 'valueUsd'>[]>;
  /** Orders with the coupon that are open or paid. */
  couponUse(code: string, email: string): Promise<CouponCount>;
  closedSince(applicationId: string, sinceMs: number): Promise<ClosedCount>;
  lastCreatedAtMs(applicationId: string): Promise<number | undefined>;
}
