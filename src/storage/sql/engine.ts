/** In what engines differ beneath the tables. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database.ts';
import type { Holds } from '../holds.ts';
import type { OrderEventRow } from '../order-events.ts';
import { statement } from './statement.ts';

export type NewEvent = Pick<OrderEventRow, 'orderId' | 'atMs' | 'body'>;

export interface Engine {
  readonly holds: (db: Kysely<Database>) => Holds;
  /** Rows that a write reads to change them are changed by no other until it ends. */
  readonly locksRows: boolean;
  /** Gives an event its place in its order and among all orders, and tells other processes once the write is committed. */
  addEvent(db: Kysely<Database>, event: NewEvent): Promise<OrderEventRow>;
}

/** Number of the next event of an order, whose events are added one after another. */
export function nextSeq(orderId: string): RawBuilder<number> {
  return sql<number>`(select coalesce(max(seq), 0) + 1 from order_events where order_id = ${orderId})`;
}

/** Writes come one after another, so that the next position is one more than the last. */
const ADD_EVENT = statement((db, { orderId, atMs, body }: NewEvent) =>
  db
    .insertInto('orderEvents')
    .values({
      position: sql<number>`(select coalesce(max(position), 0) + 1 from order_events)`,
      seq: nextSeq(orderId),
      orderId,
      atMs,
      body,
    })
    .returningAll(),
);

export const ALONE: Engine = {
  locksRows: false,
  holds: () => ({ take: async () => undefined }),
  addEvent: (db, event) => ADD_EVENT.only(db, event),
};
