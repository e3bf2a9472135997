/** Fourth schema step: refunds and losses. */
import type { Kysely } from 'kysely';
import { primary, required } from './columns.ts';
import type { Database } from './database.ts';

export async function createRefundTables(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('refunds')
    .addColumn('refundId', 'text', primary)
    .addColumn('orderId', 'text', required)
    .addColumn('kind', 'text', required)
    .addColumn('line', 'integer')
    .addColumn('coin', 'text', required)
    .addColumn('amountAtomic', 'text', required)
    .addColumn('decimals', 'integer', required)
    .addColumn('recipient', 'text')
    .addColumn('reason', 'text', required)
    .addColumn('createdAtMs', 'bigint', required)
    .execute();
  await db.schema.createIndex('refunds_of_order').on('refunds').column('orderId').execute();
}
