/** A schema step: the catalogs that a shop has sold. */
import type { Kysely } from 'kysely';
import { primary, required } from './columns.ts';
import type { Database } from './database.ts';

export async function createCatalogTable(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('catalogs')
    .addColumn('version', 'text', primary)
    .addColumn('text', 'text', required)
    .addColumn('takenAtMs', 'bigint', required)
    .execute();
}
