/** A schema step: how refunds are paid. Refunds that were recorded before it have no row here. */
import type { Kysely } from 'kysely';
import { primary, required, unique } from './columns.ts';
import type { Database } from './database.ts';

export async function createPayoutTables(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('payouts')
    .addColumn('refundId', 'text', primary)
    .addColumn('state', 'text', required)
    .addColumn('waitsFor', 'text')
    .addColumn('approvedBy', 'text')
    .addColumn('transfer', 'text', unique)
    .addColumn('transaction', 'text', unique)
    .addColumn('reservedAtMs', 'bigint')
    .addColumn('attempts', 'integer', required)
    .addColumn('nextAtMs', 'bigint')
    .addColumn('updatedAtMs', 'bigint', required)
    .addColumn('version', 'integer', required)
    .execute();
  await db.schema.createIndex('payouts_due').on('payouts').column('nextAtMs').execute();
  await db.schema.createIndex('payouts_reserved').on('payouts').column('reservedAtMs').execute();
}
