/** Schema steps of an embedded chain. */
import { type Kysely, sql } from 'kysely';
import { type ColumnTypes, primary, required, requiredUnique } from './columns.ts';
import type { Database } from './database.ts';
import { createFacts, type Step } from './steps.ts';

/** Append-only, like the shop's steps. */
export const CHAIN_STEPS: readonly Step[] = [
  async (db, types) => {
    await createChain(db, types);
    await createFacts(db);
  },
  async (db) => {
    await db.schema
      .createIndex('chain_transactions_by_slot')
      .on('chainTransactions')
      .column('slot')
      .execute();
  },
];

/**
 * Drops the chain's tables from a shop's store, which held them once; they have been copied before
 * this step.
 */
export async function leaveChain(db: Kysely<Database>): Promise<void> {
  for (const table of ['chainMentions', 'chainTransactions', 'chainAccounts']) {
    await db.schema.dropTable(table).execute();
  }
  await db.deleteFrom('facts').where('name', 'like', sql.lit(CHAIN_FACTS)).execute();
}

/** Pattern of the chain's names in `facts`. */
export const CHAIN_FACTS = 'chain.%';

export async function createChain(db: Kysely<Database>, types: ColumnTypes): Promise<void> {
  await createChainAccounts(db, types);
  await db.schema
    .createTable('chainTransactions')
    .addColumn('position', 'bigint', primary)
    .addColumn('signature', 'text', requiredUnique)
    .addColumn('messageHash', 'text', requiredUnique)
    .addColumn('slot', 'bigint', required)
    .addColumn('blockTimeMs', 'bigint', required)
    .addColumn('error', 'text')
    .addColumn('wire', types.bytes, required)
    .addColumn('meta', 'text', required)
    .execute();
  await db.schema
    .createTable('chainMentions')
    .addColumn('address', 'text', required)
    .addColumn('position', 'bigint', (column) =>
      column.notNull().references('chainTransactions.position'),
    )
    .addPrimaryKeyConstraint('chain_mentions_key', ['address', 'position'])
    .execute();
}

async function createChainAccounts(db: Kysely<Database>, types: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('chainAccounts')
    .addColumn('address', 'text', primary)
    // As text: lamports are 64-bit, and engines or drivers keep fewer bits.
    .addColumn('lamports', 'text', required)
    .addColumn('owner', 'text', required)
    .addColumn('data', types.bytes, required)
    .addColumn('executable', 'integer', required)
    .execute();
  await db.schema
    .createIndex('chain_accounts_by_owner')
    .on('chainAccounts')
    .column('owner')
    .execute();
}
