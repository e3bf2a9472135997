/** Orders of the partner API, and the counts that limits need. */
import type { OrderStates } from '../../domain/order/order-states.ts';
import { dueWorkOf } from '../due-work.ts';
import { type Db, forUpdate, join, type Sql, sql } from '../sql.ts';
import { table } from '../table.ts';
import { type DeliveryRow, insertDeliveries } from './deliveries.ts';
import type { AddEvent, NewEvent } from './order-events.ts';

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
  /** When its person was erased. */
  readonly erasedAtMs?: number | null;
  /** Increases with every change. */
  readonly version: number;
}

/** A new order, and a delivery for each of its lines. */
export interface NewOrder {
  readonly row: PartnerOrderRow;
  readonly deliveries: readonly DeliveryRow[];
}

export const partnerOrders = table<PartnerOrderRow>('partnerOrders', 'orderId');

/** When to check an order next; `version` is that of the row it was decided by. */
export type NextLook = Pick<PartnerOrderRow, 'orderId' | 'version' | 'nextLookAtMs'>;

const dueOrders = dueWorkOf<PartnerOrderRow>({
  name: 'partnerOrders',
  key: 'orderId',
  dueAt: 'nextLookAtMs',
  count: 'version',
});

type Wakened = { readonly orderId: string } | { readonly addresses: readonly string[] };

/** A new order with its first event. */
export interface WholeOrder extends NewOrder {
  readonly event: NewEvent;
}

interface Engine {
  readonly locksRows: boolean;
  readonly addEvent: AddEvent;
  /** Inserts a whole order by one statement, if that is cheaper than several. */
  readonly insertOrder?: (order: WholeOrder) => Sql;
}

export function partnerOrdersIn(db: Db, { locksRows, addEvent, insertOrder }: Engine) {
  const { insert, first, select, update, rows } = partnerOrders.in(db);
  return {
    ...dueOrders(db, locksRows),
    ...countsIn(db),
    /**
     * Inserts an order with its deliveries and its first event, which is announced to no server: nothing
     * can follow an order that is not yet known.
     * @throws {ScripError} RECORD_EXISTS if another order has the id, address or idempotency key
     */
    insert: async (
      row: PartnerOrderRow,
      deliveries: readonly DeliveryRow[],
      begun?: Pick<NewEvent, 'atMs' | 'body'>,
    ) => {
      const event = begun && { ...begun, orderId: row.orderId };
      if (insertOrder && event && deliveries.length > 0) {
        await db.run(insertOrder({ row, deliveries, event }));
        return;
      }
      await insert(row);
      await insertDeliveries(db, deliveries);
      if (event) await db.run(addEvent(event));
    },
    byId: async (orderId: string): Promise<PartnerOrderRow | undefined> =>
      (await select(sql`where order_id = ${orderId} ${forUpdate(locksRows)}`))[0],
    ofPage: (pageId: string) => first({ pageId }),
    paidAt: (walletAddress: string) => first({ walletAddress }),
    rows,
    /** @param keys forms in which one key may be stored */
    byIdempotencyKey: async (applicationId: string, ...keys: readonly string[]) =>
      (
        await select(
          sql`where application_id = ${applicationId} and idempotency_key in (${join(keys)})`,
        )
      )[0],
    /** Ends leases: sets when each order is checked next, unless another write changed it. */
    putOff: async (looks: readonly NextLook[]) => {
      if (looks.length === 0) return;
      // PostgreSQL is told the types of a list of values.
      const values = looks.map(
        ({ orderId, version, nextLookAtMs }) =>
          sql`(${orderId}, cast(${version} as integer), cast(${nextLookAtMs} as bigint))`,
      );
      await db.run(sql`with looks (order_id, version, at_ms) as (values ${join(values)})
        update partner_orders
        set next_look_at_ms = looks.at_ms, version = partner_orders.version + 1
        from looks
        where partner_orders.order_id = looks.order_id and partner_orders.version = looks.version`);
    },
    /**
     * Makes orders with these ids or addresses due now; finished orders stay finished. Raises the version,
     * so that a writer which read the row earlier cannot postpone the check.
     */
    wake: async (of: Wakened, atMs: number) => {
      if ('addresses' in of && of.addresses.length === 0) return;
      const which =
        'orderId' in of
          ? sql`order_id = ${of.orderId}`
          : sql`wallet_address in (${join(of.addresses)})`;
      await db.run(sql`update partner_orders set next_look_at_ms = ${atMs}, version = version + 1
        where ${which} and next_look_at_ms > ${atMs}`);
    },
    /** Compare-and-swap on `version`; false if another write was first. */
    update: ({ orderId, version }: PartnerOrderRow, { orderId: _key, ...after }: PartnerOrderRow) =>
      update({ orderId, version }, { ...after, version: version + 1 }),
  };
}

function countsIn(db: Db) {
  return {
    /** Returns an email address's paid orders created since an instant. */
    paidBy: (email: string, sinceMs: number) =>
      // A literal: with a bound value the planner would not use the partial index.
      db.all(sql<Pick<PartnerOrderRow, 'createdAtMs' | 'valueUsd'>>`
        select created_at_ms, value_usd from partner_orders
        where email = ${email} and created_at_ms >= ${sinceMs}
          and payment_state = 'PaymentReceived' and order_state <> 'Refunded'`),
    /**
     * Counts open or paid orders with the coupon, and those of one customer among them: one that ended
     * without full payment no longer holds its coupon.
     */
    couponUse: (code: string, email: string) =>
      db.only(sql<{ readonly total: number; readonly byCustomer: number }>`
        select count(*) as total, count(case when email = ${email} then 1 end) as by_customer
        from partner_orders
        where coupon_code = ${code}
          and payment_state not in ('Expired', 'ExpiredAfterPaymentDetection', 'PaymentCanceled')
          and order_state not in ('PaymentSetupFailed', 'Refunded')`),
    /**
     * Counts closed orders and those never paid, and reads the fact of this name beside them. An order whose
     * setup failed could not be paid. While a table is empty all its indexes cost the same, and PostgreSQL
     * keeps its choice for a while: the order makes it choose the one by this time.
     */
    closedSince: async (applicationId: string, sinceMs: number, name: string) => {
      const { fact, ...counts } = await db.only(sql<{
        readonly fact: string | null;
        readonly closed: number;
        readonly unpaid: number;
      }>`select (select value from facts where name = ${name}) as fact, count(*) as closed,
          count(case when payment_state <> 'PaymentReceived' and received_atomic = '0' then 1 end)
            as unpaid
        from (
          select payment_state, received_atomic from partner_orders
          where application_id = ${applicationId} and closed_at_ms > ${sinceMs}
            and order_state <> 'PaymentSetupFailed'
          order by closed_at_ms
        ) as closed`);
      return { ...counts, fact: fact ?? undefined };
    },
    lastCreatedAtMs: async (applicationId: string) => {
      const last = await db.first(sql<Pick<PartnerOrderRow, 'createdAtMs'>>`
        select created_at_ms from partner_orders
        where application_id = ${applicationId} order by created_at_ms desc limit 1`);
      return last?.createdAtMs;
    },
  };
}
