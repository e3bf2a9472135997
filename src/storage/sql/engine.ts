/** In what engines differ beneath the tables. */
import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { Holds } from '../holds.ts';

export interface Engine {
  readonly holds: (db: Kysely<Database>) => Holds;
  /** Rows that a write reads to change them are changed by no other until it ends. */
  readonly locksRows: boolean;
  /** Position of the next event among those of all orders. */
  nextPosition(db: Kysely<Database>): Promise<number>;
  /** Tells other processes, once the write is committed. */
  notify(db: Kysely<Database>, orderId: string): Promise<void>;
}

/** Writes come one after another, so that the next number is one more than the last. */
export const ALONE: Engine = {
  locksRows: false,
  holds: () => ({ take: async () => undefined }),
  nextPosition: async (db) => {
    const last = await db
      .selectFrom('orderEvents')
      .select('position')
      .orderBy('position', 'desc')
      .limit(1)
      .executeTakeFirst();
    return (last?.position ?? 0) + 1;
  },
  notify: async () => undefined,
};
