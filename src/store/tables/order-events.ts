/** Events of the orders of both surfaces. */
import { type Db, type Sql, sql } from '../sql.ts';
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

export type NewEvent = Pick<OrderEventRow, 'orderId' | 'atMs' | 'body'>;

/** Numbers an event within its order and among all orders. */
export type AddEvent = ReturnType<typeof addEventAt>;

/** @param position of the next event among those of all orders */
export function addEventAt(position: Sql) {
  // An order's writes run one at a time, so each event's number is the last plus one.
  return ({ orderId, atMs, body }: NewEvent) => sql<Pick<OrderEventRow, 'position' | 'seq'>>`
    insert into order_events (position, seq, order_id, at_ms, body)
    values (
      ${position},
      (select coalesce(max(seq), 0) + 1 from order_events where order_id = ${orderId}),
      ${orderId}, ${atMs}, ${body}
    )
    returning position, seq`;
}

export function orderEventsIn(db: Db, addEvent: AddEvent) {
  const { first, select } = orderEvents.in(db);
  return {
    /** Adds the next event of an order; call it in the write that changes the state. */
    append: async (event: NewEvent): Promise<OrderEventRow> => ({
      ...event,
      ...(await db.only(addEvent(event))),
    }),
    /** Returns an order's events after `seq`, oldest first. */
    since: (orderId: string, seq: number) =>
      select(sql`where order_id = ${orderId} and seq > ${seq} order by seq`),
    at: (orderId: string, seq: number) => first({ orderId, seq }),
    /** 0 if there is none. */
    latestSeq: async (orderId: string) => {
      const [last] = await select(sql`where order_id = ${orderId} order by seq desc limit 1`);
      return last?.seq ?? 0;
    },
    /** Returns events of all orders after a position, oldest first. */
    after: (position: number, limit: number) =>
      select(sql`where position > ${position} order by position limit ${limit}`),
    /** 0 if there is none. */
    latestPosition: async () =>
      (await select(sql`order by position desc limit 1`))[0]?.position ?? 0,
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
