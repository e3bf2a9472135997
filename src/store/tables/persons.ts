/** What is a person's in the orders of both surfaces, over all tables: docs/operate/persons.md lists the columns. */
import { type Db, join, named, type Sql, sql } from '../sql.ts';
import { ENDPOINT_GONE, SUPPLIER_FAULT } from './facts.ts';

/** Stands where a person was. */
export const ERASED = 'erased';

/** Why an order still needs its person. */
export type PersonNeed = 'order' | 'payment' | 'delivery' | 'refund' | 'webhook';

/** An order of either surface, or an offer over x402 that was not paid, which has no order. */
export interface PersonKeys {
  readonly orderId: string | null;
  readonly sessionId: string | null;
  /** 1 for another's order for this person. */
  readonly isRecipient: 0 | 1;
}

/** Tables whose rows name their order. */
const OF_ORDERS = [
  ...['partner_orders', 'orders', 'settlements', 'deliveries', 'order_events', 'outbox'],
  ...['payment_leases', 'payment_requests', 'refunds', 'sales'],
];

const needsOf = (id: Sql) => sql<{ readonly need: PersonNeed }>`
  select 'order' as need from partner_orders as one
    where one.order_id = ${id} and one.next_look_at_ms is not null
  union select 'order' from orders as one where one.order_id = ${id} and one.status = 'processing'
  union select 'payment' from settlements as one
    where one.order_id = ${id} and one.state = 'submitting'
  union select 'payment' from payment_requests as one where one.order_id = ${id} and one.state = 'live'
  union select case when one.state = 'waiting' then 'order' else 'delivery' end
    from deliveries as one where one.order_id = ${id} and one.state in ('waiting', 'pending')
  union select 'refund' from refunds inner join payouts on payouts.refund_id = refunds.refund_id
    where refunds.order_id = ${id} and payouts.state in ('open', 'sending')
  union select 'webhook' from outbox as one where one.order_id = ${id} and one.state = 'pending'`;

const UNPAID = sql`erased_at_ms is null and not exists (
  select 1 from settlements where settlements.session_id = sessions.session_id
)`;

/** Without patterns, whose characters an address may have. */
const contains = (column: Sql, text: string) =>
  sql`replace(lower(${column}), ${text.toLowerCase()}, '') <> lower(${column})`;

/** Addresses are in lower case. */
export function personsIn(db: Db) {
  const { all, run } = db;
  const eraseSession = (which: Sql, atMs: number) =>
    // No request has the hash of a session without its person, so it takes no payment.
    run(sql`update sessions set body_hash = ${ERASED}, body = '{}', lines = '[]',
      erased_at_ms = ${atMs} where ${which}`);
  return {
    needs: async (orderId: string) => (await all(needsOf(sql`${orderId}`))).map(({ need }) => need),
    of: (email: string) =>
      all(sql<PersonKeys>`
        with own as (
          select order_id, null as session_id from partner_orders where lower(email) = ${email}
          union all select order_id, session_id from orders where lower(email) = ${email}
        )
        select own.*, 0 as is_recipient from own
        union all select null, session_id, 0 from sessions
          where ${contains(sql`body`, email)} and ${UNPAID}
        union all select distinct order_id, null, 1 from deliveries
          where lower(beneficiary) = ${email} and order_id not in (select order_id from own)`),
    /** All that orders have, of buyers and recipients. */
    addresses: async () =>
      (
        await all(sql<{ readonly email: string }>`
          select lower(email) as email from partner_orders
          union select lower(email) from orders
          union select lower(beneficiary) from deliveries`)
      ).map(({ email }) => email),
    /** Ended orders that nothing needs, and offers that were not paid, each from before a time; oldest first. */
    ended: (of: { readonly ordersMs: number; readonly offersMs: number }, limit: number) =>
      all(sql<PersonKeys>`
        select * from (
          select order_id, null as session_id, 0 as is_recipient from partner_orders
          where erased_at_ms is null and created_at_ms <= ${of.ordersMs}
            and updated_at_ms <= ${of.ordersMs}
            and not exists (${needsOf(sql`partner_orders.order_id`)})
          order by created_at_ms limit ${limit}
        ) as partner
        union all select * from (
          select orders.order_id, sessions.session_id, 0 from sessions
          inner join orders on orders.session_id = sessions.session_id
          where sessions.erased_at_ms is null and sessions.created_at_ms <= ${of.ordersMs}
            and orders.updated_at_ms <= ${of.ordersMs}
            and not exists (${needsOf(sql`orders.order_id`)})
          order by sessions.created_at_ms limit ${limit}
        ) as checkout
        union all select * from (
          select null, session_id, 0 from sessions
          where created_at_ms <= ${of.offersMs} and ${UNPAID}
          order by created_at_ms limit ${limit}
        ) as offers`),
    eraseOffer: (sessionId: string, atMs: number) =>
      eraseSession(sql`session_id = ${sessionId} and ${UNPAID}`, atMs),
    /** What stays are products, amounts, transactions and states. */
    eraseOrder: async (orderId: string, atMs: number) => {
      await eraseSession(
        sql`session_id in (select session_id from orders where order_id = ${orderId})`,
        atMs,
      );
      await run(sql`delete from facts where name in (
        select ${ENDPOINT_GONE} || url from outbox where order_id = ${orderId}
        union select ${SUPPLIER_FAULT} || delivery_id from deliveries where order_id = ${orderId})`);
      for (const name of ['outbox', 'payment_leases']) {
        await run(sql`delete from ${named(name)} where order_id = ${orderId}`);
      }
      await run(sql`update orders set email = ${ERASED}, callback_url = null
        where order_id = ${orderId}`);
      // Its fee counts for the day's limit.
      await run(sql`update payment_requests set account = ${ERASED}, wire = ''
        where order_id = ${orderId}`);
      await run(sql`update settlements set payload = '{}' where order_id = ${orderId}`);
      await run(sql`update deliveries set voucher = null,
          failure_reason = case when failure_reason is not null then ${ERASED} end
        where order_id = ${orderId}`);
      await run(sql`update operator_actions set reason = null
        where ${contains(sql`subject`, orderId)}`);
    },
    /** Of an order, or of one recipient of it. */
    eraseRecipients: async (orderId: string, email?: string) => {
      const lines = await all(sql<{ deliveryId: string; beneficiary: string; goods: string }>`
        select delivery_id, beneficiary, goods from deliveries where order_id = ${orderId}`);
      for (const { deliveryId, beneficiary, goods } of lines) {
        if (email !== undefined && beneficiary.toLowerCase() !== email) continue;
        const without = JSON.stringify({ ...JSON.parse(goods), beneficiary: ERASED });
        await run(sql`update deliveries set beneficiary = ${ERASED}, goods = ${without}
          where delivery_id = ${deliveryId}`);
      }
      if (email === undefined) return;
      // Its hash stays: by it the buyer, who has paid, is answered again.
      await run(sql`update sessions set body = '{}', lines = '[]'
        where session_id in (select session_id from orders where order_id = ${orderId})`);
    },
    /** Guided purchases under way, and what operators wrote. */
    eraseMentions: async (email: string) => {
      await run(sql`delete from wizard_sessions where ${contains(sql`answers`, email)}`);
      await run(
        sql`update operator_actions set reason = null where ${contains(sql`reason`, email)}`,
      );
    },
    /** Everything there is of a person, by table. */
    rowsOf: async (email: string, keys: readonly PersonKeys[]) => {
      const own = keys.filter(({ isRecipient }) => isRecipient === 0);
      // A list must not be empty.
      const idsOf = (name: 'orderId' | 'sessionId') =>
        join([...own.flatMap((one) => one[name] ?? []), ERASED]);
      const ofOrders = sql`order_id in (${idsOf('orderId')})`;
      const about = own.flatMap(({ orderId }) => (orderId ? contains(sql`subject`, orderId) : []));
      const places: readonly (readonly [string, Sql])[] = [
        ...OF_ORDERS.map((table) => [table, ofOrders] as const),
        ['payouts', sql`refund_id in (select refund_id from refunds where ${ofOrders})`],
        ['claims', sql`message_hash in (select message_hash from settlements where ${ofOrders})`],
        [
          'facts',
          sql`name in (select ${SUPPLIER_FAULT} || delivery_id from deliveries where ${ofOrders})`,
        ],
        ['sessions', sql`session_id in (${idsOf('sessionId')})`],
        ['wizard_sessions', contains(sql`answers`, email)],
        ['operator_actions', join([contains(sql`reason`, email), ...about], ' or ')],
      ];
      const rowsIn = (table: string, where: Sql) =>
        all(sql<Readonly<Record<string, unknown>>>`select * from ${named(table)} where ${where}`);
      const tables = places.map(
        async ([name, where]) => [name, await rowsIn(name, where)] as const,
      );
      // Who has the id of another's order reads its codes.
      const received = all(sql<Readonly<Record<string, unknown>>>`
        select delivery_id, state, goods from deliveries
        where lower(beneficiary) = ${email} and not ${ofOrders}`);
      return [...(await Promise.all(tables)), ['received', await received] as const];
    },
  };
}
