/** A schema step: the servers that lease work. */
import type { Kysely } from 'kysely';
import { primary } from './columns.ts';
import type { Database } from './database.ts';

export async function createServersTable(db: Kysely<Database>): Promise<void> {
  await db.schema.createTable('servers').addColumn('name', 'text', primary).execute();
}
