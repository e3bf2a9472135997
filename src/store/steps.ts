/** Steps of the schema, and what of them differs between engines. */

import { sql } from 'kysely';
import type { Db } from './statement.ts';

/** One schema change; applied in order, steps lead from an empty database to this program's. */
export type Step = (db: Db, types: ColumnTypes) => Promise<void>;

/** What differs between engines. */
export interface ColumnTypes {
  readonly bytes: 'blob' | 'bytea';
  /**
   * Adds a text of 32 random hex digits to each order, also to those that a server of the version
   * before adds, which does not know the column.
   */
  addPageIds(db: Db): Promise<void>;
}

export const SQLITE_TYPES: ColumnTypes = {
  bytes: 'blob',
  async addPageIds(db) {
    const give = sql`update partner_orders set page_id = lower(hex(randomblob(16)))`;
    await sql`alter table partner_orders add column page_id text`.execute(db);
    await give.execute(db);
    await sql`create trigger partner_orders_page after insert on partner_orders
      when new.page_id is null begin ${give} where order_id = new.order_id; end`.execute(db);
  },
};

export const POSTGRES_TYPES: ColumnTypes = {
  bytes: 'bytea',
  async addPageIds(db) {
    await sql`alter table partner_orders add column page_id text not null
      default replace(gen_random_uuid()::text, '-', '')`.execute(db);
  },
};

/** Steps that were added together. */
export function inTurn(...steps: readonly Step[]): Step {
  return async (db, types) => {
    for (const step of steps) await step(db, types);
  };
}
