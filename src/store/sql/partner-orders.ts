import { type Kysely, sql } from 'kysely';
import type { Database } from '../database.ts';
import type { NextLook, PartnerOrderRow, PartnerOrders } from '../partner-orders.ts';
import { insertDeliveries } from './deliveries.ts';
import { dueWorkOf } from './due-work.ts';
import { ALONE } from './engine.ts';
import { statement, textStatement } from './statement.ts';

const INSERT = statement((db, row: PartnerOrderRow) => db.insertInto('partnerOrders').values(row));

const byId = (db: Kysely<Database>, orderId: string) =>
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

const WAKE = statement(
  (
    db,
    {
      atMs,
      ...of
    }: { readonly atMs: number } & (
      | { readonly orderId: string }
      | { readonly addresses: readonly string[] }
    ),
  ) =>
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

export function partnerOrdersIn(
  db: Kysely<Database>,
  { locksRows, addEvent, insertOrder } = ALONE,
): PartnerOrders {
  return {
    insert: async (row, deliveries, first) => {
      const event = first && { ...first, orderId: row.orderId };
      if (insertOrder && event && deliveries.length > 0) {
        await insertOrder.run(db, { row, deliveries, event });
        return;
      }
      await INSERT.run(db, row);
      await insertDeliveries(db, deliveries);
      if (event) await addEvent.run(db, event);
    },
    byId: (orderId) => (locksRows ? BY_ID_LOCKED : BY_ID).first(db, { orderId }),
    ofPage: (id) => OF_PAGE.first(db, { id }),
    byIdempotencyKey: (applicationId, key) => BY_KEY.first(db, { applicationId, key }),
    ...dueOrders(db, locksRows),
    putOff: async (looks) => {
      if (looks.length > 0) await PUT_OFF.run(db, { looks });
    },
    wake: async (of, atMs) => {
      if ('addresses' in of && of.addresses.length === 0) return;
      await WAKE.run(db, { ...of, atMs });
    },
    update: ({ orderId, version }, { orderId: _key, ...after }) =>
      UPDATE.changesOne(db, { orderId, version, after: { ...after, version: version + 1 } }),
    ...countsIn(db),
  };
}

type Counts = Pick<PartnerOrders, 'paidBy' | 'couponUse' | 'closedSince' | 'lastCreatedAtMs'>;

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

function countsIn(db: Kysely<Database>): Counts {
  return {
    paidBy: (email, sinceMs) => PAID_BY.all(db, { email, sinceMs }),
    couponUse: async (code, email) =>
      (await COUPON_USE.first(db, { code, email })) ?? { total: 0, byCustomer: 0 },
    closedSince: async (applicationId, sinceMs, name) => {
      const { fact, ...counts } = await CLOSED_SINCE.only(db, {
        applicationId,
        sinceMs,
        fact: name,
      });
      return { ...counts, fact: fact ?? undefined };
    },
    lastCreatedAtMs: async (applicationId) =>
      (await LAST_CREATED.first(db, { applicationId }))?.createdAtMs,
  };
}
