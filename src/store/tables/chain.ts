/** The embedded chain's records, in a store of their own; a shop reads them only through RPC. */

import { type Schema, statements } from '../schema.ts';
import { type Db, join, sql } from '../sql.ts';
import { table } from '../table.ts';
import { EVM_TABLES, evmIn } from './evm.ts';
import { factsIn } from './facts.ts';

export interface ChainAccountRow {
  readonly address: string;
  /** Decimal digits. */
  readonly lamports: string;
  readonly owner: string;
  readonly data: Uint8Array;
  readonly executable: boolean;
}

export interface ChainTransactionRow {
  /** The fee payer's signature, base58: the transaction id. */
  readonly signature: string;
  readonly messageHash: string;
  readonly slot: number;
  readonly blockTimeMs: number;
  /** JSON of the transaction error, or null. */
  readonly error: string | null;
  readonly wire: Uint8Array;
  /** JSON of { fee, logs, computeUnits, accounts, preBalances, postBalances, preTokenBalances, postTokenBalances }. */
  readonly meta: string;
}

export type ChainOutcome = Pick<ChainTransactionRow, 'slot' | 'error'>;

export interface NumberedTransaction extends ChainTransactionRow {
  /** Order of execution, from 1. */
  readonly position: number;
}

/** SQLite has no booleans, so every engine stores 0 or 1. */
interface AccountRecord extends Omit<ChainAccountRow, 'executable'> {
  readonly executable: 0 | 1;
}

/** Which transaction named which account. */
interface ChainMention {
  readonly address: string;
  readonly position: number;
}

const accounts = table<AccountRecord>('chainAccounts', 'address');
const transactions = table<NumberedTransaction>('chainTransactions', 'position');
const mentions = table<ChainMention>('chainMentions', 'address');

export const CHAIN_SCHEMA: Schema = {
  firstVersion: 2,
  oldestVersion: 3,
  steps: [
    // As text: lamports are 64-bit, and engines or drivers keep fewer bits.
    ({ bytes }) =>
      statements(`
      create table "chain_transactions" (
        "position" bigint not null primary key, "signature" text not null unique,
        "message_hash" text not null unique, "slot" bigint not null, "block_time_ms" bigint not null,
        "error" text, "wire" ${bytes} not null, "meta" text not null
      );
      create table "chain_accounts" (
        "address" text not null primary key, "lamports" text not null, "owner" text not null,
        "data" ${bytes} not null, "executable" integer not null
      );
      create index "chain_accounts_by_owner" on "chain_accounts" ("owner");
      create table "chain_mentions" (
        "address" text not null,
        "position" bigint not null references "chain_transactions" ("position"),
        constraint "chain_mentions_key" primary key ("address", "position")
      );
      create index "chain_transactions_by_slot" on "chain_transactions" ("slot");
      create table "facts" ("name" text not null primary key, "value" text not null);
    `),
    ({ bytes }) => statements(EVM_TABLES(bytes)),
  ],
};

function accountsIn(db: Db) {
  type Accounts = Promise<readonly ChainAccountRow[]>;
  const { first, select, put, add, remove } = accounts.in(db);
  return {
    account: async (address: string): Promise<ChainAccountRow | undefined> => {
      const found = await first({ address });
      return found && accountRow(found);
    },
    accounts: async (addresses: readonly string[]): Accounts =>
      addresses.length === 0
        ? []
        : (await select(sql`where address in (${join(addresses)})`)).map(accountRow),
    ownedBy: async (program: string): Accounts =>
      (await select(sql`where owner = ${program} order by address`)).map(accountRow),
    putAccount: async (...rows: readonly ChainAccountRow[]) => {
      if (rows.length > 0) await put(...rows.map(accountRecord));
    },
    /** Puts those accounts that the chain does not have; false if it has one of them. */
    addAccounts: (...rows: readonly ChainAccountRow[]) => add(...rows.map(accountRecord)),
    removeAccount: (address: string) => remove({ address }),
  };
}

function accountRow(record: AccountRecord): ChainAccountRow {
  return { ...record, executable: record.executable === 1 };
}

function accountRecord(row: ChainAccountRow): AccountRecord {
  return { ...row, executable: row.executable ? 1 : 0 };
}

function transactionsIn(db: Db) {
  const { first, select, rows } = transactions.in(db);
  return {
    /** Records an executed transaction and the accounts it names. */
    putTransaction: (row: ChainTransactionRow, addresses: readonly string[]) =>
      putTransaction(db, row, addresses),
    transaction: async (signature: string): Promise<ChainTransactionRow | undefined> => {
      const found = await first({ signature });
      return found && transactionRow(found);
    },
    /** The part of a transaction that its status needs. */
    outcomeOf: (signature: string): Promise<ChainOutcome | undefined> =>
      db.first(sql<ChainOutcome>`
        select slot, error from chain_transactions where signature = ${signature}`),
    hasMessage: async (messageHash: string) => (await first({ messageHash })) !== undefined,
    /** Returns transactions, newest first and none above `maxSlot`. */
    signaturesOf: (address: string, page: SignaturePage) => signaturesOf(db, address, page),
    transactionCount: async () => (await lastPosition(db)) ?? 0,
    transactionsOfSlot: async (slot: number): Promise<readonly ChainTransactionRow[]> =>
      (await select(sql`where slot = ${slot} order by position`)).map(transactionRow),
    /** Returns transactions after this position, oldest first. */
    transactionsAfter: (position: number, limit: number) =>
      select(sql`where position > ${position} order by position limit ${limit}`),
    /** Reads the whole ledger, by position. */
    transactions: rows,
  };
}

function transactionRow({ position: _order, ...row }: NumberedTransaction): ChainTransactionRow {
  return row;
}

type Numbered = Pick<NumberedTransaction, 'position'>;

/** Rows are never deleted, so the last position is also the number of transactions. */
async function lastPosition(db: Db): Promise<number | undefined> {
  const last = await db.first(sql<Numbered>`
    select position from chain_transactions order by position desc limit 1`);
  return last?.position;
}

async function putTransaction(
  db: Db,
  row: ChainTransactionRow,
  addresses: readonly string[],
): Promise<void> {
  const { signature, messageHash, slot, blockTimeMs, error, wire, meta } = row;
  // Writes run one at a time, so the next position is the last plus one.
  const { position } = await db.only(sql<Numbered>`
    insert into chain_transactions
      (position, signature, message_hash, slot, block_time_ms, error, wire, meta)
    values (
      (select coalesce(max(position), 0) + 1 from chain_transactions),
      ${signature}, ${messageHash}, ${slot}, ${blockTimeMs}, ${error}, ${wire}, ${meta}
    )
    returning position`);
  const rows = [...new Set(addresses)].map((address) => ({ address, position }));
  if (rows.length > 0) await mentions.in(db).insert(...rows);
}

/** `before` and `until` are signatures, both exclusive. */
interface SignaturePage {
  readonly limit: number;
  readonly before?: string | undefined;
  readonly until?: string | undefined;
  readonly maxSlot?: number | undefined;
}

async function signaturesOf(
  db: Db,
  address: string,
  page: SignaturePage,
): Promise<readonly ChainTransactionRow[]> {
  const { before, until, maxSlot } = page;
  const conditions = [sql`chain_mentions.address = ${address}`];
  if (maxSlot !== undefined) conditions.push(sql`chain_transactions.slot <= ${maxSlot}`);
  // With an unknown signature, `before` matches nothing and `until` has no effect.
  if (before !== undefined) {
    conditions.push(sql`chain_mentions.position < ${(await positionOf(db, before)) ?? 0}`);
  }
  if (until !== undefined) {
    conditions.push(sql`chain_mentions.position > ${(await positionOf(db, until)) ?? 0}`);
  }
  const found = await db.all(
    sql<NumberedTransaction>`select chain_transactions.* from chain_mentions
      inner join chain_transactions on chain_transactions.position = chain_mentions.position
      where ${join(conditions, ' and ')}
      order by chain_mentions.position desc limit ${page.limit}`,
  );
  return found.map(transactionRow);
}

async function positionOf(db: Db, signature: string): Promise<number | undefined> {
  const found = await transactions.in(db).first({ signature });
  return found?.position;
}

export type ChainRecords = ReturnType<typeof chainIn>;

export function chainIn(db: Db) {
  return { ...accountsIn(db), ...transactionsIn(db) };
}

export type ChainTables = ReturnType<typeof chainTablesIn>;

/** All tables of a chain over one connection or transaction. */
export function chainTablesIn(db: Db) {
  return { chain: chainIn(db), evm: evmIn(db), facts: factsIn(db) };
}
