/** Schema step: leases to pay an order. */
import type { Kysely } from 'kysely';
import { primary, required } from './columns.ts';
import type { Database } from './database.ts';

export async function createLeaseTables(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('paymentLeases')
    .addColumn('orderId', 'text', primary)
    .addColumn('holder', 'text', required)
    .addColumn('endsAtMs', 'bigint', required)
    .addColumn('passedOn', 'integer', required)
    .execute();
}
