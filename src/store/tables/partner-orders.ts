/** Orders of the partner API, and the counts that limits need. */
import { sql } from 'kysely';
import type { OrderStates } from '../../domain/order-states.ts';
import { addColumn, createIndex, createTable, inTurn, type Step } from '../columns.ts';
import type { Db } from '../database.ts';
import { dueWorkOf } from '../due-work.ts';
import { type Statement, statement, textStatement } from '../statement.ts';
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
  /** Increases with every change. */
  readonly version: number;
}

/** A new order, and a delivery for each of its lines. */
export interface NewOrder {
  readonly row: PartnerOrderRow;
  readonly deliveries: readonly DeliveryRow[];
}

declare module '../database.ts' {
  interface Database {
    readonly partnerOrders: PartnerOrderRow;
  }
}

export const createPartnerOrders = inTurn(
  createTable(
    'partnerOrders',
    {
      orderId: 'text key',
      applicationId: 'text',
      orderState: 'text',
      paymentState: 'text',
      email: 'text',
      request: 'text',
      lines: 'text',
      quote: 'text',
      valueUsd: 'text',
      couponCode: 'text?',
      coin: 'text',
      network: 'text?',
      decimals: 'integer',
      coinAmountAtomic: 'text',
      receivedAtomic: 'text',
      seenAtomic: 'text',
      walletAddress: 'text unique?',
      transactions: 'text',
      notificationUrl: 'text?',
      refundAddress: 'text?',
      idempotencyKey: 'text?',
      createdAtMs: 'bigint',
      windowEndsAtMs: 'bigint',
      updatedAtMs: 'bigint',
      closedAtMs: 'bigint?',
      nextLookAtMs: 'bigint?',
      version: 'integer',
    },
    // Null keys count as different from each other.
    { unique: ['partner_orders_by_key', ['applicationId', 'idempotencyKey']] },
  ),
  createIndex('partner_orders_due', 'partnerOrders', ['nextLookAtMs']),
  createIndex('partner_orders_by_email', 'partnerOrders', ['email', 'createdAtMs']),
  createIndex('partner_orders_by_coupon', 'partnerOrders', ['couponCode']),
  createIndex('partner_orders_closed', 'partnerOrders', ['applicationId', 'closedAtMs']),
  createIndex('partner_orders_created', 'partnerOrders', ['applicationId', 'createdAtMs']),
);

/** Who created an order. */
export const nameMakers = addColumn('partnerOrders', 'maker', 'text');

/** Paid orders per email address, for spending limits. */
export const countPaidOrders = createIndex(
  'partner_orders_paid',
  'partnerOrders',
  ['email', 'createdAtMs'],
  { where: sql`${sql.ref('paymentState')} = 'PaymentReceived'` },
);

/** For lists and monitors. */
export const indexPartnerOrdersByState = createIndex('partner_orders_by_state', 'partnerOrders', [
  'orderState',
  'updatedAtMs',
]);

/** Ids of payment pages, so that a page's link does not hold the order's id. */
export const namePages: Step = inTurn(
  (db, types) => types.addPageIds(db),
  createIndex('partner_orders_by_page', 'partnerOrders', ['pageId'], { isUnique: true }),
);

/** When to check an order next; `version` is that of the row it was decided by. */
export type NextLook = Pick<PartnerOrderRow, 'orderId' | 'version' | 'nextLookAtMs'>;

const INSERT = statement((db, row: PartnerOrderRow) => db.insertInto('partnerOrders').values(row));

const byId = (db: Db, orderId: string) =>
  db.selectFrom('partnerOrders').selectAll().where('orderId', '=', orderId);

const BY_ID = statement((db, { orderId }: { readonly orderId: string }) => byId(db, orderId));

const BY_ID_LOCKED = statement((db, { orderId }: { readonly orderId: string }) =>
  byId(db, orderId).forUpdate(),
);

const OF_PAGE = statement((db, { id }: { readonly id: string }) =>
  db
    .selectFrom('partnerOrders')
    .selectAll()
    .where((eb) => eb.or([eb('pageId', '=', id), eb('orderId', '=', id)])),
);

const BY_KEY = statement(
  (db, { applicationId, key }: { readonly applicationId: string; readonly key: string }) =>
    db
      .selectFrom('partnerOrders')
      .selectAll()
      .where('applicationId', '=', applicationId)
      .where('idempotencyKey', '=', key),
);

const dueOrders = dueWorkOf<PartnerOrderRow>(
  { name: 'partnerOrders', key: 'orderId', dueAt: 'nextLookAtMs', count: 'version' },
  (db, { atMs, limit }) =>
    db
      .selectFrom('partnerOrders')
      .selectAll()
      .where('nextLookAtMs', '<=', atMs)
      .orderBy('nextLookAtMs')
      .orderBy('orderId')
      .limit(limit),
);

/** A list of values, whose types PostgreSQL is told. */
const PUT_OFF = textStatement((_db, { looks }: { readonly looks: readonly NextLook[] }) => {
  const values = looks.map(
    ({ orderId, version, nextLookAtMs }) =>
      sql`(${orderId}, cast(${version} as integer), cast(${nextLookAtMs} as bigint))`,
  );
  return sql`with looks (order_id, version, at_ms) as (values ${sql.join(values)})
    update partner_orders
    set next_look_at_ms = looks.at_ms, version = partner_orders.version + 1
    from looks
    where partner_orders.order_id = looks.order_id and partner_orders.version = looks.version`;
});

type Wakened = { readonly orderId: string } | { readonly addresses: readonly string[] };

const WAKE = statement((db, { atMs, ...of }: { readonly atMs: number } & Wakened) =>
  db
    .updateTable('partnerOrders')
    // Raise the version, so that a writer which read the row earlier cannot postpone the check.
    .set((eb) => ({ nextLookAtMs: atMs, version: eb('version', '+', 1) }))
    .where((eb) =>
      'orderId' in of ? eb('orderId', '=', of.orderId) : eb('walletAddress', 'in', of.addresses),
    )
    .where('nextLookAtMs', '>', atMs),
);

const UPDATE = statement(
  (
    db,
    {
      orderId,
      version,
      after,
    }: {
      readonly orderId: string;
      readonly version: number;
      readonly after: Omit<PartnerOrderRow, 'orderId'>;
    },
  ) =>
    db
      .updateTable('partnerOrders')
      .set(after)
      .where('orderId', '=', orderId)
      .where('version', '=', version),
);

/** A new order with its first event. */
export interface WholeOrder extends NewOrder {
  readonly event: NewEvent;
}

interface Engine {
  readonly locksRows: boolean;
  readonly addEvent: AddEvent;
  /** Inserts a whole order by one statement, if that is cheaper than several. */
  readonly insertOrder?: Statement<WholeOrder, unknown>;
}

export function partnerOrdersIn(db: Db, { locksRows, addEvent, insertOrder }: Engine) {
  type Found = Promise<PartnerOrderRow | undefined>;
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
      first?: Pick<NewEvent, 'atMs' | 'body'>,
    ) => {
      const event = first && { ...first, orderId: row.orderId };
      if (insertOrder && event && deliveries.length > 0) {
        await insertOrder.run(db, { row, deliveries, event });
        return;
      }
      await INSERT.run(db, row);
      await insertDeliveries(db, deliveries);
      if (event) await addEvent.run(db, event);
    },
    byId: (orderId: string): Found => (locksRows ? BY_ID_LOCKED : BY_ID).first(db, { orderId }),
    /** @param id of a page, or of an order, which links of earlier versions have */
    ofPage: (id: string): Found => OF_PAGE.first(db, { id }),
    byIdempotencyKey: (applicationId: string, key: string): Found =>
      BY_KEY.first(db, { applicationId, key }),
    /** Ends leases: sets when each order is checked next, unless another write changed it. */
    putOff: async (looks: readonly NextLook[]) => {
      if (looks.length > 0) await PUT_OFF.run(db, { looks });
    },
    /** Makes orders with these ids or addresses due now; finished orders stay finished. */
    wake: async (of: Wakened, atMs: number) => {
      if ('addresses' in of && of.addresses.length === 0) return;
      await WAKE.run(db, { ...of, atMs });
    },
    /** Compare-and-swap on `version`; false if another write was first. */
    update: (
      { orderId, version }: Pick<PartnerOrderRow, 'orderId' | 'version'>,
      { orderId: _key, ...after }: PartnerOrderRow,
    ) => UPDATE.changesOne(db, { orderId, version, after: { ...after, version: version + 1 } }),
  };
}

const PAID_BY = statement(
  (db, { email, sinceMs }: { readonly email: string; readonly sinceMs: number }) =>
    db
      .selectFrom('partnerOrders')
      .select(['createdAtMs', 'valueUsd'])
      .where('email', '=', email)
      .where('createdAtMs', '>=', sinceMs)
      // A literal: with a bound value the planner would not use the partial index.
      .where('paymentState', '=', sql.lit('PaymentReceived'))
      .where('orderState', '!=', 'Refunded'),
);

/** Ends without full payment: such an order no longer holds its coupon. */
const UNPAID_ENDS = ['Expired', 'ExpiredAfterPaymentDetection', 'PaymentCanceled'] as const;

const COUPON_USE = statement(
  (db, { code, email }: { readonly code: string; readonly email: string }) =>
    db
      .selectFrom('partnerOrders')
      .select(({ fn, eb }) => [
        fn.countAll<number>().as('total'),
        fn.count<number>(eb.case().when('email', '=', email).then(1).end()).as('byCustomer'),
      ])
      .where('couponCode', '=', code)
      .where('paymentState', 'not in', UNPAID_ENDS)
      .where('orderState', 'not in', ['PaymentSetupFailed', 'Refunded']),
);

interface ClosedAsked {
  readonly applicationId: string;
  readonly sinceMs: number;
  readonly fact: string;
}

const CLOSED_SINCE = statement((db, { applicationId, sinceMs, fact }: ClosedAsked) =>
  db
    .selectFrom(
      db
        .selectFrom('partnerOrders')
        .select(['paymentState', 'receivedAtomic'])
        .where('applicationId', '=', applicationId)
        .where('closedAtMs', '>', sinceMs)
        // Such an order could not be paid.
        .where('orderState', '!=', 'PaymentSetupFailed')
        // While a table is empty all its indexes cost the same, and PostgreSQL keeps its choice for a while:
        // the order makes it choose the one by this time.
        .orderBy('closedAtMs')
        .as('closed'),
    )
    .select(({ fn, eb, and, selectFrom }) => [
      selectFrom('facts').select('value').where('name', '=', fact).as('fact'),
      fn.countAll<number>().as('closed'),
      fn
        .count<number>(
          eb
            .case()
            .when(
              and([eb('paymentState', '!=', 'PaymentReceived'), eb('receivedAtomic', '=', '0')]),
            )
            .then(1)
            .end(),
        )
        .as('unpaid'),
    ]),
);

const LAST_CREATED = statement((db, { applicationId }: { readonly applicationId: string }) =>
  db
    .selectFrom('partnerOrders')
    .select('createdAtMs')
    .where('applicationId', '=', applicationId)
    .orderBy('createdAtMs', 'desc')
    .limit(1),
);

function countsIn(db: Db) {
  return {
    /** Returns an email address's paid orders created since an instant. */
    paidBy: (email: string, sinceMs: number) => PAID_BY.all(db, { email, sinceMs }),
    /** Counts open or paid orders with the coupon, and those of one customer among them. */
    couponUse: async (code: string, email: string) =>
      (await COUPON_USE.first(db, { code, email })) ?? { total: 0, byCustomer: 0 },
    /** Counts closed orders and those never paid, and reads the fact of this name beside them. */
    closedSince: async (applicationId: string, sinceMs: number, name: string) => {
      const asked = { applicationId, sinceMs, fact: name };
      const { fact, ...counts } = await CLOSED_SINCE.only(db, asked);
      return { ...counts, fact: fact ?? undefined };
    },
    lastCreatedAtMs: async (applicationId: string) =>
      (await LAST_CREATED.first(db, { applicationId }))?.createdAtMs,
  };
}
