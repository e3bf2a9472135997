/** The parts of SQL that differ between engines. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database.ts';
import type { Holds } from '../holds.ts';
import type { OrderEventRow } from '../order-events.ts';
import type { NewOrder } from '../partner-orders.ts';
import { type Statement, statement } from './statement.ts';

export type NewEvent = Pick<OrderEventRow, 'orderId' | 'atMs' | 'body'>;

/** A new order of the partner API with its first event. */
export interface WholeOrder extends NewOrder {
  readonly event: NewEvent;
}

export interface Engine {
  readonly holds: (db: Kysely<Database>) => Holds;
  /** Whether a write locks the rows that it reads in order to change them. */
  readonly locksRows: boolean;
  /** Numbers an event within its order and among all orders. */
  readonly addEvent: Statement<NewEvent, Pick<OrderEventRow, 'position' | 'seq'>>;
  /** Inserts a whole order by one statement, if that is cheaper than several. */
  readonly insertOrder?: Statement<WholeOrder, unknown>;
}

/** @param position of the next event among those of all orders */
export function addEventAt(position: RawBuilder<number>): Engine['addEvent'] {
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

/** Of an engine that runs one write at a time. */
export const ALONE: Engine = {
  locksRows: false,
  holds: () => ({ take: async () => undefined }),
  addEvent: addEventAt(sql`(select coalesce(max(position), 0) + 1 from order_events)`),
};
