/** A schema step: what of a delivered code is unique, and why a line has no goods. */
import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';

/** In the words of its index. */
export const UNDIGESTED = sql<boolean>`state = 'completed' and code_digest is null`;

/** In the words of its index. */
export const FAULTY = sql<boolean>`state = 'pending' and fault is not null`;

export async function rememberCodes(db: Kysely<Database>): Promise<void> {
  await db.schema.alterTable('deliveries').addColumn('codeDigest', 'text').execute();
  await db.schema.alterTable('deliveries').addColumn('fault', 'text').execute();
  await db.schema
    .createIndex('deliveries_by_code')
    .unique()
    .on('deliveries')
    .column('codeDigest')
    .where(sql<boolean>`code_digest is not null`)
    .execute();
  await db.schema
    .createIndex('deliveries_undigested')
    .on('deliveries')
    .column('deliveryId')
    .where(UNDIGESTED)
    .execute();
  await db.schema
    .createIndex('deliveries_faulty')
    .on('deliveries')
    .column('fault')
    .where(FAULTY)
    .execute();
}
