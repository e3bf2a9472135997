/** A schema step: tries of work whose own row does not count them. */
import type { Kysely } from 'kysely';
import { primary, required } from './columns.ts';
import type { Database } from './database.ts';

export async function createTriesTable(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('tries')
    .addColumn('name', 'text', primary)
    .addColumn('attempts', 'integer', required)
    .addColumn('nextAttemptAtMs', 'bigint', required)
    .execute();
}
