/**
 * SQLite by libsql: one connection, used in turns. Its calls block, but for the commit of a write,
 * which waits for the disk on another thread. While another connection holds a lock, it waits
 * between calls, not inside one, so this process keeps running: it may hold the lock itself, on a
 * second connection.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { ScripError } from '../domain/message/errors.ts';
import { t, verbatim } from '../domain/message/message.ts';
import { missingPart, requireNativePart } from './native-part.ts';
import { type Db, dbOver, type Execute, inTransaction, queue, type Result } from './sql.ts';

/** How long to wait for a lock before the store counts as unusable. */
const LOCK_TIMEOUT_MS = 10_000;
/** Like SQLite's busy handler: short pauses first, since a write takes about a millisecond. */
const LOCK_PAUSES_MS = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50];
/** Statements differ by the length of their lists; don't keep more than this. */
const MAX_PREPARED = 200;

interface Statement {
  readonly reader: boolean;
  all(parameters: readonly unknown[]): Record<string, unknown>[];
  run(parameters: readonly unknown[]): { readonly changes: number };
}

/** The part of libsql's database that is used here. */
interface Libsql {
  readonly inTransaction: boolean;
  /** Its connection, which the native part takes. */
  readonly db: unknown;
  prepare(sql: string): Statement;
  close(): void;
}

/** A database, and what its library does for promises alone. */
interface Opened {
  readonly database: Libsql;
  /** Runs a statement on a thread of the library's. */
  runAside(sql: string): Promise<void>;
}

export interface SqliteConnection {
  readonly db: Db;
  /** Runs one statement, PRAGMA included, outside or inside the current transaction. */
  run(sql: string): Promise<Result['rows']>;
  /** Runs work in a transaction, which may write or only read. */
  transaction<T>(mode: 'write' | 'read', work: (db: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Opens a file, or `:memory:`.
 * @throws {ScripError} STORE_UNUSABLE, PLATFORM_UNSUPPORTED
 */
export async function connect(path: string): Promise<SqliteConnection> {
  const { database, runAside } = await openLibsql(path);
  const execute = executor(database);
  const inTurn = queue();
  const run = async (text: string) => (await execute(text, [])).rows;
  // After some errors SQLite has already rolled back.
  const rollback = async () => database.inTransaction && run('rollback');
  const bounds = {
    read: { begin: () => run('begin'), commit: () => run('commit'), rollback },
    write: {
      // A writer takes the lock at once: after reading first, it might not get it any more.
      begin: () => run('begin immediate'),
      // Nothing else uses the connection meanwhile: the writer has the turn.
      commit: () => whenUnlocked(() => runAside('commit')),
      rollback,
    },
  };
  return {
    db: dbOver((text, values) => inTurn(() => execute(text, values))),
    run,
    transaction: (mode, work) => inTurn(() => inTransaction(execute, bounds[mode], work)),
    close: async () => database.close(),
  };
}

async function openLibsql(path: string): Promise<Opened> {
  const { Database, native } = await loadLibsql();
  try {
    const database = new Database(path, { timeout: 0 });
    return { database, runAside: (sql) => native.databaseExecAsync.call(database.db, sql) };
  } catch (cause) {
    throw new ScripError('STORE_UNUSABLE', t`${path} cannot be opened as a database`, { cause });
  }
}

type LibsqlConstructor = new (path: string, options: { readonly timeout: number }) => Libsql;

interface Native {
  databaseExecAsync(this: unknown, sql: string): Promise<void>;
}

async function loadLibsql(): Promise<{
  readonly Database: LibsqlConstructor;
  readonly native: Native;
}> {
  try {
    const loaded = await import('libsql');
    // The package declares better-sqlite3's types; ours declare only what is used.
    const Database = loaded.default as unknown as LibsqlConstructor;
    return { Database, native: requireNativePart('@libsql/') as Native };
  } catch (cause) {
    throw missingPart('@libsql/*', cause);
  }
}

interface Prepared {
  readonly statement: Statement;
  /** Asked once: each question crosses into native code. */
  readonly isReader: boolean;
}

function executor(database: Libsql): Execute {
  const prepared = new Map<string, Prepared>();
  const prepare = (sql: string): Prepared => {
    const known = prepared.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    const made = { statement, isReader: statement.reader };
    if (prepared.size < MAX_PREPARED) prepared.set(sql, made);
    return made;
  };
  return (text, values) =>
    whenUnlocked(() => {
      const { statement, isReader } = prepare(text);
      if (isReader) {
        const rows = statement.all(values).map(withBytes);
        return { rows, changes: rows.length };
      }
      return { rows: [], changes: statement.run(values).changes };
    });
}

/** libsql returns blobs as ArrayBuffers. */
function withBytes(row: Record<string, unknown>): Record<string, unknown> {
  for (const column of Object.keys(row)) {
    const value = row[column];
    if (value instanceof ArrayBuffer) row[column] = new Uint8Array(value);
  }
  return row;
}

async function whenUnlocked<T>(work: () => T | Promise<T>): Promise<T> {
  let waitedMs = 0;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const result = work();
      return result instanceof Promise ? await result : result;
    } catch (cause) {
      if (!isLocked(cause) || waitedMs >= LOCK_TIMEOUT_MS) throw asScripError(cause);
    }
    const pauseMs = LOCK_PAUSES_MS[attempt] ?? 50;
    await pause(pauseMs);
    waitedMs += pauseMs;
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

function isLocked(cause: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(codeOf(cause));
}

function asScripError(cause: unknown): ScripError {
  const code = codeOf(cause);
  const said = cause instanceof Error ? cause.message : String(cause);
  if (code === 'SQLITE_CONSTRAINT_PRIMARYKEY' || code === 'SQLITE_CONSTRAINT_UNIQUE') {
    return new ScripError('RECORD_EXISTS', verbatim(`there is such a record already: ${said}`), {
      cause,
    });
  }
  if (code.startsWith('SQLITE_CONSTRAINT') || code === 'SQLITE_ERROR') {
    return new ScripError('INTERNAL', verbatim(`the store refused a statement: ${said}`), {
      cause,
    });
  }
  return new ScripError('STORE_UNUSABLE', t`The store failed: ${said}`, { cause });
}
