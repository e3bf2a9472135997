/** What is a person's in the orders of both surfaces, over all tables: docs/operate/persons.md lists the columns. */
import { type Db, join, named, type Sql, sql } from '../sql.ts';
import type { DeliveryRow } from './deliveries.ts';
import { ENDPOINT_GONE, SUPPLIER_FAULT } from './facts.ts';

/** Stands where a person was. */
export const ERASED = 'erased';

/** Why an order still needs its person. */
export type PersonNeed = 'order' | 'payment' | 'delivery' | 'refund' | 'webhook';

/** Tables whose rows name their order. */
const OF_ORDERS = [
  'partner_orders',
  'orders',
  'settlements',
  'deliveries',
  'order_events',
  'outbox',
  'payment_leases',
  'payment_requests',
  'refunds',
] as const;

/** Where a page of ended orders or offers begins. */
export interface PersonCursor {
  readonly atMs: number;
  readonly id: string;
}

/** An order, an offer that was not paid, or both ids of an order of the checkout host. */
export interface PersonKeys {
  readonly orderId: string | null;
  readonly sessionId: string | null;
}

type Ended = PersonKeys & PersonCursor;

const needsOf = (id: Sql) => sql<{ readonly need: PersonNeed }>`
  select 'order' as need from partner_orders as one
    where one.order_id = ${id} and one.next_look_at_ms is not null
  union select 'order' from orders as one where one.order_id = ${id} and one.status = 'processing'
  union select 'payment' from settlements as one
    where one.order_id = ${id} and one.state = 'submitting'
  union select 'payment' from payment_requests as one where one.order_id = ${id} and one.state = 'live'
  union select 'delivery' from deliveries as one
    where one.order_id = ${id} and one.state in ('waiting', 'pending')
  union select 'refund' from refunds inner join payouts on payouts.refund_id = refunds.refund_id
    where refunds.order_id = ${id} and payouts.state in ('open', 'sending')
  union select 'webhook' from outbox as one where one.order_id = ${id} and one.state = 'pending'`;

const UNPAID = sql`not exists (
  select 1 from settlements where settlements.session_id = sessions.session_id
)`;

/** Without patterns, whose characters an address may have. */
const contains = (column: Sql, text: string) =>
  sql`replace(lower(${column}), ${text.toLowerCase()}, '') <> lower(${column})`;

export function personsIn(db: Db) {
  const { all, run } = db;
  return {
    needs: async (orderId: string) =>
      (await all(needsOf(sql`${orderId}`))).map(({ need }) => need).toSorted(),
    /** Orders, and offers that were not paid. @param email in lower case */
    of: async (email: string): Promise<readonly PersonKeys[]> => [
      ...(await all(sql<PersonKeys>`
        select order_id, null as session_id from partner_orders where lower(email) = ${email}
        union all select order_id, session_id from orders where lower(email) = ${email}
        union all select null, session_id from sessions
          where erased_at_ms is null and ${contains(sql`body`, email)} and ${UNPAID}`)),
    ],
    /** Lines of others' orders for this person. @param email in lower case */
    receivedBy: (email: string) =>
      all(sql<Pick<DeliveryRow, 'orderId' | 'deliveryId' | 'state' | 'goods'>>`
        select order_id, delivery_id, state, goods from deliveries as one
        where lower(beneficiary) = ${email}
          and not exists (select 1 from partner_orders
            where order_id = one.order_id and lower(email) = ${email})
          and not exists (select 1 from orders
            where order_id = one.order_id and lower(email) = ${email})`),
    /** All addresses of buyers and recipients, and bodies of offers that were not paid. */
    addresses: () =>
      all(sql<{ readonly email: string | null; readonly body: string | null }>`
        select lower(email) as email, null as body from partner_orders
        union select lower(email), null from orders
        union select lower(beneficiary), null from deliveries
        union select null, body from sessions where erased_at_ms is null and ${UNPAID}`),
    /** Ended orders of the partner API that changed last before then and have their person, oldest first. */
    endedPartnerOrders: (beforeMs: number, from: PersonCursor, limit: number) =>
      all(sql<Ended>`
        select order_id, null as session_id, created_at_ms as at_ms, order_id as id
        from partner_orders
        where erased_at_ms is null and created_at_ms <= ${beforeMs} and updated_at_ms <= ${beforeMs}
          and (created_at_ms, order_id) > (${from.atMs}, ${from.id})
          and not exists (${needsOf(sql`partner_orders.order_id`)})
        order by created_at_ms, order_id limit ${limit}`),
    /** The same of the checkout host. */
    endedOrders: (beforeMs: number, from: PersonCursor, limit: number) =>
      all(sql<Ended>`
        select orders.order_id, sessions.session_id, sessions.created_at_ms as at_ms,
          sessions.session_id as id
        from sessions inner join orders on orders.session_id = sessions.session_id
        where sessions.erased_at_ms is null and sessions.created_at_ms <= ${beforeMs}
          and orders.updated_at_ms <= ${beforeMs}
          and (sessions.created_at_ms, sessions.session_id) > (${from.atMs}, ${from.id})
          and not exists (${needsOf(sql`orders.order_id`)})
        order by sessions.created_at_ms, sessions.session_id limit ${limit}`),
    /** Offers from before then that were not paid. */
    unpaidOffers: (beforeMs: number, from: PersonCursor, limit: number) =>
      all(sql<Ended>`
        select null as order_id, session_id, created_at_ms as at_ms, session_id as id
        from sessions
        where erased_at_ms is null and created_at_ms <= ${beforeMs}
          and (created_at_ms, session_id) > (${from.atMs}, ${from.id}) and ${UNPAID}
        order by created_at_ms, session_id limit ${limit}`),
    /** Of an order of either surface; what stays are products, amounts, transactions and states. */
    eraseOrder: async (orderId: string) => {
      const lines = await all(sql<{ readonly deliveryId: string; readonly goods: string }>`
        select delivery_id, goods from deliveries where order_id = ${orderId}`);
      for (const { deliveryId, goods } of lines) {
        const without = JSON.stringify({ ...JSON.parse(goods), beneficiary: ERASED });
        await run(sql`update deliveries set beneficiary = ${ERASED}, goods = ${without},
            voucher = null, failure_reason = case when failure_reason is not null then ${ERASED} end
          where delivery_id = ${deliveryId}`);
        await run(sql`delete from facts where name = ${SUPPLIER_FAULT + deliveryId}`);
      }
      await run(sql`delete from facts where name in (
        select ${ENDPOINT_GONE} || url from outbox where order_id = ${orderId})`);
      for (const name of ['outbox', 'payment_leases', 'payment_requests']) {
        await run(sql`delete from ${named(name)} where order_id = ${orderId}`);
      }
      await run(sql`update orders set email = ${ERASED}, callback_url = null
        where order_id = ${orderId}`);
      await run(sql`update settlements set payload = '{}' where order_id = ${orderId}`);
      await run(sql`update operator_actions set reason = null
        where ${contains(sql`subject`, orderId)}`);
    },
    /** No request is equal to the body of a session without its person, so it takes no payment. */
    eraseSession: (sessionId: string, atMs: number) =>
      run(sql`update sessions set body_hash = ${ERASED}, body = '{}', lines = '[]',
        erased_at_ms = ${atMs} where session_id = ${sessionId}`),
    /** Takes the recipient out of another's order. @param email in lower case */
    eraseRecipient: async (orderId: string, email: string) => {
      const pattern = new RegExp(email.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), 'gi');
      const without = (text: string) => text.replaceAll(pattern, ERASED);
      const lines = await all(sql<{ deliveryId: string; goods: string; beneficiary: string }>`
        select delivery_id, goods, beneficiary from deliveries where order_id = ${orderId}`);
      for (const { deliveryId, goods, beneficiary } of lines) {
        await run(sql`update deliveries set goods = ${without(goods)},
          beneficiary = ${without(beneficiary)} where delivery_id = ${deliveryId}`);
      }
      const [order] = await all(sql<{ readonly request: string }>`
        select request from partner_orders where order_id = ${orderId}`);
      if (order) {
        await run(sql`update partner_orders set request = ${without(order.request)},
          version = version + 1 where order_id = ${orderId}`);
      }
      const [session] = await all(sql<{ sessionId: string; body: string; lines: string }>`
        select sessions.session_id, body, lines from sessions
        inner join orders on orders.session_id = sessions.session_id where order_id = ${orderId}`);
      if (session === undefined) return;
      await run(sql`update sessions set body_hash = ${ERASED}, body = ${without(session.body)},
        lines = ${without(session.lines)} where session_id = ${session.sessionId}`);
    },
    /** Guided purchases under way, and what operators wrote. @param email in lower case */
    eraseMentions: async (email: string) => {
      await run(sql`delete from wizard_sessions where ${contains(sql`answers`, email)}`);
      await run(sql`update operator_actions set reason = null
        where ${contains(sql`coalesce(reason, '')`, email)}`);
    },
    /** All rows of these orders and sessions, and those that name the person, by table. */
    rowsOf: async (keys: readonly PersonKeys[], email: string) => {
      type Rows = readonly Readonly<Record<string, unknown>>[];
      const found: Record<string, Rows> = {};
      const read = async (table: string, where: Sql) => {
        found[table] = await all(sql<Rows[number]>`select * from ${named(table)} where ${where}`);
      };
      const ids = (name: keyof PersonKeys) =>
        join([...keys.flatMap((one) => one[name] ?? []), ERASED]);
      for (const table of OF_ORDERS) await read(table, sql`order_id in (${ids('orderId')})`);
      await read(
        'payouts',
        sql`refund_id in (select refund_id from refunds where order_id in (${ids('orderId')}))`,
      );
      await read(
        'claims',
        sql`message_hash in (
          select message_hash from settlements where order_id in (${ids('orderId')}))`,
      );
      await read('sessions', sql`session_id in (${ids('sessionId')})`);
      await read('wizard_sessions', contains(sql`answers`, email));
      const own = keys.flatMap(({ orderId }) => orderId ?? []);
      const about = own.map((orderId) => contains(sql`subject`, orderId));
      await read(
        'operator_actions',
        join([contains(sql`coalesce(reason, '')`, email), ...about], ' or '),
      );
      await read(
        'facts',
        sql`name in (select ${SUPPLIER_FAULT} || delivery_id from deliveries
          where order_id in (${ids('orderId')}))`,
      );
      return found;
    },
  };
}
