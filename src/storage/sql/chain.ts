import type { Kysely } from 'kysely';
import type { ChainAccountRow, ChainRecords, ChainTransactionRow } from '../chain-records.ts';
import type { ChainAccountRecord, ChainTransactionRecord, Database } from '../database.ts';

export function chainIn(db: Kysely<Database>): ChainRecords {
  return { ...accountsIn(db), ...transactionsIn(db) };
}

type AccountRecords = Pick<
  ChainRecords,
  'account' | 'accounts' | 'ownedBy' | 'putAccount' | 'removeAccount'
>;

function accountsIn(db: Kysely<Database>): AccountRecords {
  const all = () => db.selectFrom('chainAccounts').selectAll();
  return {
    account: async (address) => {
      const found = await all().where('address', '=', address).executeTakeFirst();
      return found && accountRow(found);
    },
    accounts: async (addresses) => {
      if (addresses.length === 0) return [];
      return (await all().where('address', 'in', addresses).execute()).map(accountRow);
    },
    ownedBy: async (program) =>
      (await all().where('owner', '=', program).orderBy('address').execute()).map(accountRow),
    putAccount: async (row) => {
      const { address, ...rest } = accountRecord(row);
      await db
        .insertInto('chainAccounts')
        .values({ address, ...rest })
        .onConflict((conflict) => conflict.column('address').doUpdateSet(rest))
        .execute();
    },
    removeAccount: async (address) => {
      await db.deleteFrom('chainAccounts').where('address', '=', address).execute();
    },
  };
}

function accountRow(record: ChainAccountRecord): ChainAccountRow {
  return { ...record, executable: record.executable === 1 };
}

function accountRecord(row: ChainAccountRow): ChainAccountRecord {
  return { ...row, executable: row.executable ? 1 : 0 };
}

type TransactionRecords = Omit<ChainRecords, keyof AccountRecords>;

function transactionsIn(db: Kysely<Database>): TransactionRecords {
  const by = async (column: 'signature' | 'messageHash', value: string) => {
    const found = await db
      .selectFrom('chainTransactions')
      .selectAll()
      .where(column, '=', value)
      .executeTakeFirst();
    return found && transactionRow(found);
  };
  return {
    putTransaction: (row, addresses) => putTransaction(db, row, addresses),
    transaction: (signature) => by('signature', signature),
    transactionByMessage: (messageHash) => by('messageHash', messageHash),
    signaturesOf: (address, page) => signaturesOf(db, address, page),
    transactionCount: async () => (await lastPosition(db)) ?? 0,
    transactionsAfter: (position, limit) =>
      db
        .selectFrom('chainTransactions')
        .selectAll()
        .where('position', '>', position)
        .orderBy('position')
        .limit(limit)
        .execute(),
    transactions: ({ after = 0, limit }) =>
      db
        .selectFrom('chainTransactions')
        .selectAll()
        .where('position', '>', after)
        .orderBy('position')
        .limit(limit)
        .execute(),
  };
}

function transactionRow({ position: _order, ...row }: ChainTransactionRecord): ChainTransactionRow {
  return row;
}

/** Nothing is ever deleted from the ledger, so its last position is also its length. */
async function lastPosition(db: Kysely<Database>): Promise<number | undefined> {
  const last = await db
    .selectFrom('chainTransactions')
    .select('position')
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.position;
}

async function putTransaction(
  db: Kysely<Database>,
  row: ChainTransactionRow,
  addresses: readonly string[],
): Promise<void> {
  const position = ((await lastPosition(db)) ?? 0) + 1;
  await db
    .insertInto('chainTransactions')
    .values({ ...row, position })
    .execute();
  const mentions = [...new Set(addresses)].map((address) => ({ address, position }));
  if (mentions.length > 0) await db.insertInto('chainMentions').values(mentions).execute();
}

async function signaturesOf(
  db: Kysely<Database>,
  address: string,
  page: Parameters<ChainRecords['signaturesOf']>[1],
): Promise<readonly ChainTransactionRow[]> {
  const { before, until, maxSlot } = page;
  let query = db
    .selectFrom('chainMentions')
    .innerJoin('chainTransactions', 'chainTransactions.position', 'chainMentions.position')
    .selectAll('chainTransactions')
    .where('chainMentions.address', '=', address)
    .orderBy('chainMentions.position', 'desc')
    .limit(page.limit);
  if (maxSlot !== undefined) query = query.where('chainTransactions.slot', '<=', maxSlot);
  // A signature that is not known leaves `before` without a place to start, and `until` without an end.
  if (before !== undefined) {
    query = query.where('chainMentions.position', '<', (await positionOf(db, before)) ?? 0);
  }
  if (until !== undefined) {
    query = query.where('chainMentions.position', '>', (await positionOf(db, until)) ?? 0);
  }
  return (await query.execute()).map(transactionRow);
}

async function positionOf(db: Kysely<Database>, signature: string): Promise<number | undefined> {
  const found = await db
    .selectFrom('chainTransactions')
    .select('position')
    .where('signature', '=', signature)
    .executeTakeFirst();
  return found?.position;
}
