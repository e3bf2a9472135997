/** One schema change; applied in order, steps lead from an empty database to this program's. */
import type { Kysely } from 'kysely';
import { type ColumnTypes, primary, required } from './columns.ts';
import type { Database } from './database.ts';

export type Step = (db: Kysely<Database>, types: ColumnTypes) => Promise<void>;

/** Creates the table of named values. */
export async function createFacts(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('facts')
    .addColumn('name', 'text', primary)
    .addColumn('value', 'text', required)
    .execute();
}
