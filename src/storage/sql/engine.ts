/** The parts of SQL that differ between engines. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database.ts';
import type { Holds } from '../holds.ts';
import type { OrderEventRow } from '../order-events.ts';
import { statement } from './statement.ts';

export type NewEvent = Pick<OrderEventRow, 'orderId' | 'atMs' | 'body'>;

export interface Engine {
  readonly holds: (db: Kysely<Database>) => Holds;
  /** Whether a write locks the rows that it reads in order to change them. */
  readonly locksRows: boolean;
  /** Whether one statement may insert into two tables, which saves a trip to the server. */
  readonly insertsTogether: boolean;
  /**
   * Numbers an event within its order and among all orders, and notifies other processes when the
   * write commits.
   */
  addEvent(db: Kysely<Database>, event: NewEvent): Promise<OrderEventRow>;
}

/** Next event number of an order, whose events are added one at a time. */
export function nextSeq(orderId: string): RawBuilder<number> {
  return sql<number>`(select coalesce(max(seq), 0) + 1 from order_events where order_id = ${orderId})`;
}

/** Writes run one at a time, so the next position is the last plus one. */
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
    .returning(['position', 'seq']),
);

export const ALONE: Engine = {
  locksRows: false,
  insertsTogether: false,
  holds: () => ({ take: async () => undefined }),
  addEvent: async (db, event) => ({ ...event, ...(await ADD_EVENT.only(db, event)) }),
};
