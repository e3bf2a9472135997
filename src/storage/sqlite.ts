/** The embedded stores: a SQLite file each, which several processes may use at once. */

import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { ChainStore } from './chain-records.ts';
import { CHAIN_FACTS, CHAIN_STEPS } from './chain-schema.ts';
import type { Database } from './database.ts';
import { CHAIN_LEFT, STEPS } from './schema.ts';
import { shareCommits } from './shared-commit.ts';
import type { SqliteConnection } from './sqlite-driver.ts';
import type { Step } from './steps.ts';
import type { Store, StoreOf } from './store.ts';

const MEMORY = ':memory:';
/** The chain's file, beside that of the shop. */
export const CHAIN_FILE = 'chain.db';

/**
 * Opens the store of a shop at `path`, made with its folder when there is none; `:memory:` forgets.
 * The chain of an older version, which was in the same file, is moved into its own.
 * @throws {ScripError} STORE_UNUSABLE when the file is not ours to use, damaged, or of a newer
 *   program; PLATFORM_UNSUPPORTED
 */
export async function openSqliteStore(path: string): Promise<Store> {
  const { tablesIn } = await import('./sql/tables.ts');
  const connection = await openFile(path, STEPS, async (from) => {
    if (from > 0 && from < CHAIN_LEFT) await copyChain(path);
  });
  return storeOver(connection, tablesIn);
}

/** The same for a chain. */
export async function openSqliteChain(path: string): Promise<ChainStore> {
  const { chainTablesIn } = await import('./sql/tables.ts');
  return storeOver(await openFile(path, CHAIN_STEPS), chainTablesIn);
}

function storeOver<Rows>(
  { db, run }: SqliteConnection,
  tablesIn: (db: Kysely<Database>) => Rows,
): StoreOf<Rows> {
  return {
    tables: tablesIn(db),
    write: shareCommits({
      run: (work) => db.transaction().execute((transaction) => work(tablesIn(transaction))),
      execute: run,
    }),
    snapshot: (work) =>
      db
        .transaction()
        .setAccessMode('read only')
        .execute((transaction) => work(tablesIn(transaction))),
    close: () => db.destroy(),
  };
}

/** @param before run under the lock, ahead of the steps that follow on a version */
async function openFile(
  path: string,
  steps: readonly Step[],
  before: (from: number) => Promise<void> = async () => undefined,
): Promise<SqliteConnection> {
  if (path !== MEMORY) makePrivate(path);
  // Kysely and libsql cost tens of milliseconds, which only who opens a store should pay.
  const { connect } = await import('./sqlite-driver.ts');
  const connection = await connect(path);
  try {
    await prepare(connection, steps, before);
  } catch (error) {
    await connection.db.destroy();
    throw error;
  }
  return connection;
}

/**
 * Vouchers and e-mail addresses are inside: the folder 0700, the file 0600; SQLite gives its side files
 * the mode of this one. A file that exists is not opened: closing any descriptor of it would drop the
 * locks of this process's other connections (POSIX), and another process would delete their log.
 * Synchronous, so that no connection is made between opening and closing a new file.
 */
function makePrivate(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) closeSync(openSync(path, 'a', 0o600));
    if (!found?.isDirectory()) chmodSync(path, 0o600);
  } catch (cause) {
    throw new ScripError('STORE_UNUSABLE', t`${path} cannot be written`, { cause });
  }
}

async function prepare(
  connection: SqliteConnection,
  steps: readonly Step[],
  before: (from: number) => Promise<void>,
): Promise<void> {
  await connection.run('pragma journal_mode = wal');
  // In WAL mode only FULL makes every commit durable against a loss of power.
  await connection.run('pragma synchronous = full');
  await connection.run('pragma foreign_keys = on');
  if ((await version(connection)) !== steps.length) await migrate(connection, steps, before);
}

async function version({ run }: SqliteConnection): Promise<number> {
  const [row] = await run('pragma user_version');
  return Number(row?.user_version);
}

/** Several processes may start on an empty file together: the version is read again under the lock. */
async function migrate(
  connection: SqliteConnection,
  steps: readonly Step[],
  before: (from: number) => Promise<void>,
): Promise<void> {
  await connection.db.transaction().execute(async (transaction) => {
    const from = await version(connection);
    if (from > steps.length) {
      throw new ScripError(
        'STORE_UNUSABLE',
        t`The store has version ${from} and was written by a newer scrip`,
        {
          hint: t`Update scrip, or name another data folder.`,
        },
      );
    }
    await before(from);
    for (const step of steps.slice(from)) await step(transaction, { bytes: 'blob' });
    await connection.run(`pragma user_version = ${steps.length}`);
  });
}

/**
 * Copies the chain out of a shop's file, whose lock the caller holds: nothing is added to it
 * meanwhile. A crash before the shop has left it behind copies it once more.
 */
async function copyChain(path: string): Promise<void> {
  const { db } = await openFile(join(dirname(path), CHAIN_FILE), CHAIN_STEPS);
  const into = (table: string) => sql.table(`main.${table}`);
  try {
    await sql`attach database ${path} as shop`.execute(db);
    // Not `begin immediate`, which would take the lock of the shop's file too.
    await sql`begin`.execute(db);
    for (const table of CHAIN_TABLES) await sql`delete from ${into(table)}`.execute(db);
    for (const table of CHAIN_TABLES.toReversed()) {
      const from = sql.table(`shop.${table}`);
      await sql`insert into ${into(table)} select * from ${from}`.execute(db);
    }
    await sql`delete from main.facts`.execute(db);
    await sql`insert into main.facts select * from shop.facts where name like ${CHAIN_FACTS}`.execute(
      db,
    );
    await sql`commit`.execute(db);
  } finally {
    await db.destroy();
  }
}

/** Those that refer to others first. */
const CHAIN_TABLES = ['chain_mentions', 'chain_transactions', 'chain_accounts'];
