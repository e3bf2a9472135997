/** A schema step: payments whose network fee the shop pays. */
import { type Kysely, sql } from 'kysely';
import { primary, required } from './columns.ts';
import type { Database } from './database.ts';

export async function createPaymentRequestTable(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('paymentRequests')
    .addColumn('messageHash', 'text', primary)
    .addColumn('orderId', 'text', required)
    .addColumn('account', 'text', required)
    .addColumn('amountAtomic', 'text', required)
    .addColumn('transaction', 'text', required)
    .addColumn('wire', 'text', required)
    .addColumn('lamports', 'text', required)
    .addColumn('lastValidBlockHeight', 'bigint', required)
    .addColumn('state', 'text', required)
    .addColumn('createdAtMs', 'bigint', required)
    .addColumn('nextLookAtMs', 'bigint')
    .execute();
  await db.schema
    .createIndex('payment_requests_live')
    .unique()
    .on('paymentRequests')
    .column('orderId')
    .where(sql.ref('state'), '=', sql.lit('live'))
    .execute();
  await db.schema
    .createIndex('payment_requests_by_time')
    .on('paymentRequests')
    .column('createdAtMs')
    .execute();
}
