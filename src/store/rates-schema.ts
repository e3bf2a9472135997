/** A schema step: rate limits that several servers share. */
import type { Kysely } from 'kysely';
import { primary, required } from './columns.ts';
import type { Database } from './database.ts';

export async function createRatesTable(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('rates')
    .addColumn('name', 'text', primary)
    .addColumn('fullAtMs', 'bigint', required)
    .execute();
}
