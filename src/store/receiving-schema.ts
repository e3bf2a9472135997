/** A schema step: accounts that a shop's orders are paid to. */
import type { Kysely } from 'kysely';
import { primary, required, requiredUnique } from './columns.ts';
import type { Database } from './database.ts';

export async function createReceivingTables(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('receivingAccounts')
    .addColumn('owner', 'text', primary)
    .addColumn('position', 'integer', requiredUnique)
    .addColumn('lease', 'text')
    .addColumn('lastLease', 'text')
    .addColumn('leasedAtMs', 'bigint')
    .addColumn('baseline', 'text')
    .addColumn('sweep', 'text')
    .addColumn('createdAtMs', 'bigint', required)
    .addColumn('version', 'integer', required)
    .execute();
}

/** A later step: accounts are closed once they are idle. */
export async function closeReceivingAccounts(db: Kysely<Database>): Promise<void> {
  await db.schema.alterTable('receivingAccounts').addColumn('closedAtMs', 'bigint').execute();
  await db.schema
    .createIndex('receiving_accounts_closed')
    .on('receivingAccounts')
    .column('closedAtMs')
    .execute();
}
