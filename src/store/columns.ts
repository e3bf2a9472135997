/** Column constraints shared by many tables, and columns that differ between engines. */
import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';

export interface ColumnTypes {
  readonly bytes: 'blob' | 'bytea';
  /**
   * Adds a text of 32 random hex digits to each order, also to those that a server of the version
   * before adds, which does not know the column.
   */
  addPageIds(db: Kysely<Database>): Promise<void>;
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

export const required = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
  column.notNull();
export const primary = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
  column.primaryKey().notNull();
export const unique = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.unique();
export const requiredUnique = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
  column.notNull().unique();
