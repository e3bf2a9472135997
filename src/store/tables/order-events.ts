/** Events of the orders of both surfaces. */
import { type RawBuilder, sql } from 'kysely';
import { type Db, statement } from '../statement.ts';
import { table } from '../table.ts';

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

const orderEvents = table<OrderEventRow>('orderEvents', 'position');

/** No foreign key: orders of both surfaces have events. */
export const createOrderEvents = orderEvents.create(
  { position: 'bigint key', orderId: 'text', seq: 'integer', atMs: 'bigint', body: 'text' },
  { unique: ['order_events_by_order', ['orderId', 'seq']] },
);

const LATEST_SEQ = statement(
  ({ orderId }: Pick<OrderEventRow, 'orderId'>) => sql<Pick<OrderEventRow, 'seq'>>`
    select seq from order_events where order_id = ${orderId} order by seq desc limit 1`,
);

const LATEST_POSITION = statement(
  (_all: object) => sql<Pick<OrderEventRow, 'position'>>`
    select position from order_events order by position desc limit 1`,
);

const SINCE = statement(
  ({ orderId, seq }: Pick<OrderEventRow, 'orderId' | 'seq'>) => sql<OrderEventRow>`
    select * from order_events where order_id = ${orderId} and seq > ${seq} order by seq`,
);

const AFTER = statement(
  ({ position, limit }: { readonly position: number; readonly limit: number }) =>
    sql<OrderEventRow>`
      select * from order_events where position > ${position} order by position limit ${limit}`,
);

export type NewEvent = Pick<OrderEventRow, 'orderId' | 'atMs' | 'body'>;

/** Numbers an event within its order and among all orders. */
export type AddEvent = ReturnType<typeof addEventAt>;

/** @param position of the next event among those of all orders */
export function addEventAt(position: RawBuilder<number>) {
  // An order's writes run one at a time, so each event's number is the last plus one.
  return statement(
    ({ orderId, atMs, body }: NewEvent) => sql<Pick<OrderEventRow, 'position' | 'seq'>>`
      insert into order_events (position, seq, order_id, at_ms, body)
      values (
        ${position},
        (select coalesce(max(seq), 0) + 1 from order_events where order_id = ${orderId}),
        ${orderId}, ${atMs}, ${body}
      )
      returning position, seq`,
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
    at: (orderId: string, seq: number) => orderEvents.in(db).first({ orderId, seq }),
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
