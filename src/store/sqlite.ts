/** The embedded stores: one SQLite file each, which several processes may use at once. */

import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../disk/checked-file.ts';
import { isGone, isHere, ownMark } from '../disk/process-mark.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import {
  missingSteps,
  requireNoneOpen,
  type Schema,
  SHOP_SCHEMA,
  SQLITE_WORDS,
  type StoreVersion,
} from './schema.ts';
import { shareCommits } from './shared-commit.ts';
import { type Db, sql } from './sql.ts';
import type { SqliteConnection } from './sqlite-driver.ts';
import type { ChainStore, LookFirst, Store, StoreOf } from './store.ts';
import { CHAIN_SCHEMA, chainTablesIn } from './tables/chain.ts';
import { factsIn } from './tables/facts.ts';
import { type Census, createPresence, serversIn } from './tables/servers.ts';
import { tablesIn } from './tables.ts';

const MEMORY = ':memory:';
/** Name of the chain's file, beside the shop's. */
export const CHAIN_FILE = 'chain.db';

/**
 * Opens a shop's store at `path`; creates file and folder if missing. `:memory:` keeps nothing.
 * @throws {ScripError} STORE_UNUSABLE when the file is inaccessible, damaged, or written by a newer
 * program; PLATFORM_UNSUPPORTED
 */
export async function openSqliteStore(path: string, look?: LookFirst): Promise<Store> {
  const connection = await openFile(path, SHOP_SCHEMA, look);
  const presence = createPresence(processes());
  const { tables, close, ...store } = storeOver(connection, tablesIn);
  const leave = () => presence.leave(tables);
  return {
    ...{ ...store, tables, presence, close: () => leave().then(close) },
    scrub: () => connection.db.run(sql`pragma wal_checkpoint(truncate)`),
  };
}

/** The servers of a file are processes, which leave their marks. */
function processes(): Census {
  let mark: string | undefined;
  return {
    own: () => {
      mark ??= JSON.stringify(ownMark());
      return mark;
    },
    dead: async (names) => names.filter((name) => isGone(JSON.parse(name))),
  };
}

/** The same for a chain. */
export async function openSqliteChain(path: string): Promise<ChainStore> {
  return storeOver(await openFile(path, CHAIN_SCHEMA), chainTablesIn);
}

function storeOver<Rows>(
  { db, run, transaction, close }: SqliteConnection,
  tablesIn: (db: Db) => Rows,
): StoreOf<Rows> {
  return {
    tables: tablesIn(db),
    write: shareCommits({
      run: (work) => transaction('write', (inside) => work(tablesIn(inside))),
      execute: run,
    }),
    snapshot: (work) => transaction('read', (inside) => work(tablesIn(inside))),
    close,
  };
}

async function openFile(path: string, schema: Schema, look?: LookFirst): Promise<SqliteConnection> {
  const isNew = path === MEMORY || !existsSync(path);
  if (isNew) await look?.(undefined);
  if (path !== MEMORY) makePrivate(path);
  // libsql takes tens of milliseconds to load, so load it only to open a store.
  const { connect } = await import('./sqlite-driver.ts');
  const connection = await connect(path);
  try {
    if (!isNew && look !== undefined) await lookAt(connection, look);
    await prepare(connection, schema);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return connection;
}

async function lookAt(connection: SqliteConnection, look: LookFirst): Promise<void> {
  const { latest } = await version(connection);
  await look(latest === 0 ? undefined : factsIn(connection.db));
}

/**
 * Restricts folder (0700) and file (0600), since they hold vouchers and email addresses; SQLite
 * gives its side files the same mode. Don't open an existing file: closing any descriptor of it
 * would drop the locks of this process's other connections (POSIX), and another process would
 * delete their log. Synchronous, so no connection opens between creating and closing a new file.
 */
function makePrivate(path: string): void {
  try {
    makeFolder(dirname(path));
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) closeSync(openSync(path, 'a', 0o600));
    if (!found?.isDirectory()) chmodSync(path, 0o600);
  } catch (cause) {
    throw new ScripError('STORE_UNUSABLE', t`${path} cannot be written`, { cause });
  }
}

async function prepare(connection: SqliteConnection, schema: Schema): Promise<void> {
  await connection.run('pragma journal_mode = wal');
  // In WAL mode, only FULL keeps every commit after a power loss.
  await connection.run('pragma synchronous = full');
  await connection.run('pragma foreign_keys = on');
  // What is changed or removed must not stay readable in the file: it may be a person's, or a code.
  await connection.run('pragma secure_delete = on');
  // In KiB, at most: with SQLite's 2 MB, each order reads pages of its indexes again.
  await connection.run('pragma cache_size = -65536');
  if (missingSteps(schema, await version(connection), SQLITE_WORDS) !== undefined) {
    await migrate(connection, schema);
  }
}

/** Two numbers that SQLite keeps for programs: the second is unset in files that knew only the first. */
async function version({ run }: SqliteConnection): Promise<StoreVersion> {
  const [oldest] = await run('pragma user_version');
  const [latest] = await run('pragma application_id');
  const known = Number(oldest?.user_version);
  return { oldest: known, latest: Number(latest?.application_id) || known };
}

/**
 * Runs what is missing. Several processes may open an empty file at once, so read the version again
 * under the lock.
 */
async function migrate(connection: SqliteConnection, schema: Schema): Promise<void> {
  await connection.transaction('write', async (inside) => {
    const missing = missingSteps(schema, await version(connection), SQLITE_WORDS);
    if (missing === undefined) return;
    if (missing.locksOut && schema === SHOP_SCHEMA)
      await requireNoneOpen(
        { servers: serversIn(inside) },
        { dead: async (names) => names.filter((name) => !isHere(JSON.parse(name))) },
      );
    for (const statement of missing.statements) await connection.run(statement);
    await connection.run(`pragma user_version = ${missing.version.oldest}`);
    await connection.run(`pragma application_id = ${missing.version.latest}`);
  });
}
