import { type Kysely, sql } from 'kysely';
import type { ChainAccountRow, ChainRecords, ChainTransactionRow } from '../chain-records.ts';
import type { ChainAccountRecord, ChainTransactionRecord, Database } from '../database.ts';
import { statement } from './statement.ts';

export function chainIn(db: Kysely<Database>): ChainRecords {
  return { ...accountsIn(db), ...transactionsIn(db) };
}

type AccountRecords = Pick<
  ChainRecords,
  'account' | 'accounts' | 'ownedBy' | 'putAccount' | 'addAccounts' | 'removeAccount'
>;

interface Address {
  readonly address: string;
}

const ACCOUNT = statement((db, { address }: Address) =>
  db.selectFrom('chainAccounts').selectAll().where('address', '=', address),
);

const ACCOUNTS = statement((db, { addresses }: { readonly addresses: readonly string[] }) =>
  db.selectFrom('chainAccounts').selectAll().where('address', 'in', addresses),
);

const OWNED_BY = statement((db, { program }: { readonly program: string }) =>
  db.selectFrom('chainAccounts').selectAll().where('owner', '=', program).orderBy('address'),
);

const PUT_ACCOUNTS = statement((db, { rows }: { readonly rows: readonly ChainAccountRecord[] }) =>
  db
    .insertInto('chainAccounts')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('address').doUpdateSet(({ ref }) => ({
        lamports: ref('excluded.lamports'),
        owner: ref('excluded.owner'),
        data: ref('excluded.data'),
        executable: ref('excluded.executable'),
      })),
    ),
);

const ADD_ACCOUNTS = statement((db, { rows }: { readonly rows: readonly ChainAccountRecord[] }) =>
  db
    .insertInto('chainAccounts')
    .values(rows)
    .onConflict((conflict) => conflict.column('address').doNothing()),
);

const REMOVE_ACCOUNT = statement((db, { address }: Address) =>
  db.deleteFrom('chainAccounts').where('address', '=', address),
);

function accountsIn(db: Kysely<Database>): AccountRecords {
  return {
    account: async (address) => {
      const found = await ACCOUNT.first(db, { address });
      return found && accountRow(found);
    },
    accounts: async (addresses) =>
      addresses.length === 0 ? [] : (await ACCOUNTS.all(db, { addresses })).map(accountRow),
    ownedBy: async (program) => (await OWNED_BY.all(db, { program })).map(accountRow),
    putAccount: async (...rows) => {
      if (rows.length > 0) await PUT_ACCOUNTS.run(db, { rows: rows.map(accountRecord) });
    },
    addAccounts: async (...rows) => {
      const added = await ADD_ACCOUNTS.run(db, { rows: rows.map(accountRecord) });
      return added.numAffectedRows === BigInt(rows.length);
    },
    removeAccount: async (address) => {
      await REMOVE_ACCOUNT.run(db, { address });
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

const BY_SIGNATURE = statement((db, { signature }: { readonly signature: string }) =>
  db.selectFrom('chainTransactions').selectAll().where('signature', '=', signature),
);

const OUTCOME = statement((db, { signature }: { readonly signature: string }) =>
  db.selectFrom('chainTransactions').select(['slot', 'error']).where('signature', '=', signature),
);

const WITH_MESSAGE = statement((db, { messageHash }: { readonly messageHash: string }) =>
  db.selectFrom('chainTransactions').select('position').where('messageHash', '=', messageHash),
);

const AFTER = statement(
  (db, { position, limit }: { readonly position: number; readonly limit: number }) =>
    db
      .selectFrom('chainTransactions')
      .selectAll()
      .where('position', '>', position)
      .orderBy('position')
      .limit(limit),
);

const OF_SLOT = statement((db, { slot }: { readonly slot: number }) =>
  db.selectFrom('chainTransactions').selectAll().where('slot', '=', slot).orderBy('position'),
);

function transactionsIn(db: Kysely<Database>): TransactionRecords {
  return {
    putTransaction: (row, addresses) => putTransaction(db, row, addresses),
    transaction: async (signature) => {
      const found = await BY_SIGNATURE.first(db, { signature });
      return found && transactionRow(found);
    },
    outcomeOf: (signature) => OUTCOME.first(db, { signature }),
    hasMessage: async (messageHash) =>
      (await WITH_MESSAGE.first(db, { messageHash })) !== undefined,
    signaturesOf: (address, page) => signaturesOf(db, address, page),
    transactionCount: async () => (await lastPosition(db)) ?? 0,
    transactionsOfSlot: async (slot) => (await OF_SLOT.all(db, { slot })).map(transactionRow),
    transactionsAfter: (position, limit) => AFTER.all(db, { position, limit }),
    transactions: ({ after = 0, limit }) => AFTER.all(db, { position: after, limit }),
  };
}

function transactionRow({ position: _order, ...row }: ChainTransactionRecord): ChainTransactionRow {
  return row;
}

const LAST_POSITION = statement((db) =>
  db.selectFrom('chainTransactions').select('position').orderBy('position', 'desc').limit(1),
);

/** Rows are never deleted, so the last position is also the number of transactions. */
async function lastPosition(db: Kysely<Database>): Promise<number | undefined> {
  return (await LAST_POSITION.first(db, {}))?.position;
}

/** Writes run one at a time, so the next position is the last plus one. */
const PUT_TRANSACTION = statement((db, row: ChainTransactionRow) =>
  db
    .insertInto('chainTransactions')
    .values({
      ...row,
      position: sql<number>`(select coalesce(max(position), 0) + 1 from chain_transactions)`,
    })
    .returning('position'),
);

const PUT_MENTIONS = statement(
  (db, { rows }: { readonly rows: readonly Database['chainMentions'][] }) =>
    db.insertInto('chainMentions').values(rows),
);

async function putTransaction(
  db: Kysely<Database>,
  row: ChainTransactionRow,
  addresses: readonly string[],
): Promise<void> {
  const { position } = await PUT_TRANSACTION.only(db, row);
  const rows = [...new Set(addresses)].map((address) => ({ address, position }));
  if (rows.length > 0) await PUT_MENTIONS.run(db, { rows });
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
  // With an unknown signature, `before` matches nothing and `until` has no effect.
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
