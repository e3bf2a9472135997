/** Schema step: network fees paid for other hosts. */
import type { Kysely } from 'kysely';
import { primary, required } from './columns.ts';
import type { Database } from './database.ts';

export async function createCallerFeeTable(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('callerFees')
    .addColumn('messageHash', 'text', primary)
    .addColumn('caller', 'text', required)
    .addColumn('day', 'text', required)
    .addColumn('lamports', 'text', required)
    .execute();
  await db.schema
    .createIndex('caller_fees_of_day')
    .on('callerFees')
    .columns(['day', 'caller'])
    .execute();
}
