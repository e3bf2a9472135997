/** Events of the orders of both surfaces. */
import { type RawBuilder, sql } from 'kysely';
import { createTable } from '../columns.ts';
import type { Db } from '../database.ts';
import { statement } from '../statement.ts';

/** One change of an order's state, on either surface; it never contains vouchers. */
export interface OrderEventRow {
  /** Position among the events of all orders, from 1; readers ask for events after their last position. */
  readonly position: number;
  readonly orderId: string;
  /** Number within the order, from 1. */
  readonly seq: number;
  readonly atMs: number;
  /** JSON: `{status}` on the checkout host, `{order_state, payment_state}` on the partner API. */
  readonly body: string;
}

declare module '../database.ts' {
  interface Database {
    readonly orderEvents: OrderEventRow;
  }
}

/** No foreign key: orders of both surfaces have events. */
export const createOrderEvents = createTable(
  'orderEvents',
  { position: 'bigint key', orderId: 'text', seq: 'integer', atMs: 'bigint', body: 'text' },
  { unique: ['order_events_by_order', ['orderId', 'seq']] },
);

const LATEST_SEQ = statement((db, { orderId }: { readonly orderId: string }) =>
  db
    .selectFrom('orderEvents')
    .select('seq')
    .where('orderId', '=', orderId)
    .orderBy('seq', 'desc')
    .limit(1),
);

const LATEST_POSITION = statement((db) =>
  db.selectFrom('orderEvents').select('position').orderBy('position', 'desc').limit(1),
);

const SINCE = statement(
  (db, { orderId, seq }: { readonly orderId: string; readonly seq: number }) =>
    db
      .selectFrom('orderEvents')
      .selectAll()
      .where('orderId', '=', orderId)
      .where('seq', '>', seq)
      .orderBy('seq'),
);

const AT = statement((db, { orderId, seq }: { readonly orderId: string; readonly seq: number }) =>
  db.selectFrom('orderEvents').selectAll().where('orderId', '=', orderId).where('seq', '=', seq),
);

const AFTER = statement(
  (db, { position, limit }: { readonly position: number; readonly limit: number }) =>
    db
      .selectFrom('orderEvents')
      .selectAll()
      .where('position', '>', position)
      .orderBy('position')
      .limit(limit),
);

export type NewEvent = Pick<OrderEventRow, 'orderId' | 'atMs' | 'body'>;

/** Numbers an event within its order and among all orders. */
export type AddEvent = ReturnType<typeof addEventAt>;

/** @param position of the next event among those of all orders */
export function addEventAt(position: RawBuilder<number>) {
  return statement((db, { orderId, atMs, body }: NewEvent) =>
    db
      .insertInto('orderEvents')
      // An order's writes run one at a time, so each event's number is the last plus one.
      .values({
        position,
        seq: sql<number>`(select coalesce(max(seq), 0) + 1 from order_events where order_id = ${orderId})`,
        orderId,
        atMs,
        body,
      })
      .returning(['position', 'seq']),
  );
}

export function orderEventsIn(db: Db, addEvent: AddEvent) {
  return {
    /** Adds the next event of an order; call it in the write that changes the state. */
    append: async (event: NewEvent): Promise<OrderEventRow> => ({
      ...event,
      ...(await addEvent.only(db, event)),
    }),
    /** Returns an order's events after `seq`, oldest first. */
    since: (orderId: string, seq: number): Promise<readonly OrderEventRow[]> =>
      SINCE.all(db, { orderId, seq }),
    at: (orderId: string, seq: number): Promise<OrderEventRow | undefined> =>
      AT.first(db, { orderId, seq }),
    /** 0 if there is none. */
    latestSeq: async (orderId: string) => (await LATEST_SEQ.first(db, { orderId }))?.seq ?? 0,
    /** Returns events of all orders after a position, oldest first. */
    after: (position: number, limit: number): Promise<readonly OrderEventRow[]> =>
      AFTER.all(db, { position, limit }),
    /** 0 if there is none. */
    latestPosition: async () => (await LATEST_POSITION.first(db, {}))?.position ?? 0,
  };
}

type OrderEvents = ReturnType<typeof orderEventsIn>;

/** The same tables; adds the orders whose events are appended to `changed`. */
export function noteChanges<Rows extends { readonly orderEvents: OrderEvents }>(
  tables: Rows,
  changed: Set<string>,
): Rows {
  const append: OrderEvents['append'] = (event) => {
    changed.add(event.orderId);
    return tables.orderEvents.append(event);
  };
  return { ...tables, orderEvents: { ...tables.orderEvents, append } };
}
