/** Connections to PostgreSQL. Connecting waits while the server restarts. */

import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';
import {
  ANY_PLACE,
  asScripError,
  codeOf,
  isAway,
  isLost,
  isLostError,
  lostError,
} from './postgres-errors.ts';
import type { Execute } from './sql.ts';

const CONNECTIONS = 10;
/** How long to wait for an unreachable server, or for a lock. */
const PATIENCE_MS = 10_000;
/** The first pause between two tries; each is twice the one before, up to the longest. */
const PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 1_600;

function longer(pauseMs: number): number {
  return Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
}

/** Our integers all fit a number: milliseconds, positions, counts. */
const INT8 = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    type === INT8 ? Number : pg.types.getTypeParser(type, format),
};

/**
 * The server learns of a machine that vanished, by a failure of power or network, from nothing but
 * its own timeouts. Until then it keeps the machine's connections, and the rows that a transaction
 * of it locked: these are free before those who wait for them give up.
 */
const SESSION = {
  timezone: 'UTC',
  lock_timeout: PATIENCE_MS,
  idle_in_transaction_session_timeout: PATIENCE_MS / 2,
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 3,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 20_000,
  // Plans are kept (`keptNames`), and one made while a table was small must not read the whole of it later.
  enable_seqscan: 'off',
  jit: 'off',
};

export function clientOptions(address: string): pg.ClientConfig {
  return {
    connectionString: address,
    types,
    keepAlive: true,
    keepAliveInitialDelayMillis: PATIENCE_MS,
    connectionTimeoutMillis: PATIENCE_MS,
    options: Object.entries(SESSION)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  };
}

/** @param named what names the address: an option, a variable. @throws {ScripError} STORE_UNUSABLE */
export function openPool(address: string, named = ANY_PLACE) {
  checkAddress(address, named);
  const pool = new pg.Pool({ ...clientOptions(address), max: CONNECTIONS });
  // Without listeners a broken connection would end the process; the pool replaces it.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const nameOf = keptNames();
  return {
    /** Runs work on one connection. */
    async use<T>(work: (execute: Execute) => Promise<T>): Promise<T> {
      const connect = () => whenThere(() => pool.connect(), named);
      const { execute, release } = await translated(connect, nameOf);
      try {
        return await work(execute);
      } finally {
        release();
      }
    },
    end: () => pool.end(),
  };
}

/** All that the driver knows, and `prefer` and `allow`, which it would take for `require`, are not among them. */
const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** The driver reads the address, and files named in it. @throws {ScripError} STORE_UNUSABLE */
function checkAddress(address: string, named: Message): void {
  const mode = URL.canParse(address) ? new URL(address).searchParams.get('sslmode') : null;
  if (mode !== null && !TLS_MODES.includes(mode)) {
    throw new ScripError('STORE_UNUSABLE', t`sslmode=${mode} is not supported`, {
      hint: t`Write one of these into ${named}: ${TLS_MODES.join(', ')}.`,
    });
  }
  try {
    new pg.Client(clientOptions(address));
  } catch (cause) {
    throw asScripError(cause, named);
  }
}

/** Connects, and retries while the server is unreachable. @throws {ScripError} STORE_UNUSABLE on timeout */
export async function whenThere<T>(connect: () => Promise<T>, named = ANY_PLACE): Promise<T> {
  const givenUpMs = performance.now() + PATIENCE_MS;
  for (let pauseMs = PAUSE_MS; ; pauseMs = longer(pauseMs)) {
    try {
      return await connect();
    } catch (cause) {
      const leftMs = givenUpMs - performance.now();
      if (!isAway(cause) || leftMs <= 0) throw asScripError(cause, named);
      await pause(Math.min(pauseMs, leftMs));
    }
  }
}

/**
 * A connection that answers with our errors. A read outside a transaction is repeated on another connection if
 * this one is lost; `tryAgain` says when a transaction is.
 */
async function translated(
  connect: () => Promise<pg.PoolClient>,
  nameOf: NameOf,
): Promise<{ readonly execute: Execute; release(): void }> {
  let client = await connect();
  /** A client that was given back is not given back again where no other took its place. */
  let isHeld = true;
  let stage: Stage = 'alone';
  const run: Execute = async (text, parameters) => {
    try {
      const name = nameOf(text, parameters);
      const values = [...parameters];
      const { rows, rowCount } = await client.query(
        name === undefined ? { text, values } : { name, text, values },
      );
      return { rows: rows.map(withBytes), changes: rowCount ?? 0 };
    } catch (cause) {
      if (!isLost(cause)) throw asScripError(cause);
      // The server has not answered the commit: it may have been the last thing that it did.
      const isKnown = stage !== 'committing' || cause instanceof pg.DatabaseError;
      throw lostError(cause, isKnown);
    }
  };
  const execute: Execute = async (given, parameters) => {
    const text = numbered(given);
    const isRead = stage === 'alone' && /^\s*select/i.test(text);
    stage = isRead ? 'alone' : stageAfter(stage, text);
    // A transaction ends with its connection.
    if (text === 'rollback' && stage === 'lost') return { rows: [], changes: 0 };
    let waitedMs = 0;
    for (let pauseMs = PAUSE_MS; ; pauseMs = longer(pauseMs)) {
      try {
        return await run(text, parameters);
      } catch (error) {
        const isGone = isLostError(error);
        if (isGone && stage !== 'alone') stage = 'lost';
        if (!isGone || !isRead || waitedMs >= PATIENCE_MS) throw error;
      }
      isHeld = false;
      client.release(true);
      await pause(pauseMs);
      waitedMs += pauseMs;
      client = await connect();
      isHeld = true;
    }
  };
  return {
    execute,
    release: () => {
      if (isHeld) client.release(stage === 'lost');
    },
  };
}

/** PostgreSQL numbers the values of a statement. */
function numbered(text: string): string {
  let count = 0;
  return text.replace(/\?/g, () => {
    count += 1;
    return `$${count}`;
  });
}

type Stage = 'alone' | 'transaction' | 'committing' | 'lost';

/** A statement that changes something outside a transaction commits by itself. */
function stageAfter(stage: Stage, text: string): Stage {
  if (/^(begin|start transaction)/.test(text)) return 'transaction';
  return text === 'commit' || stage === 'alone' ? 'committing' : stage;
}

/** Name under which a connection keeps a statement parsed and planned; undefined to keep nothing of it. */
type NameOf = (text: string, parameters: readonly unknown[]) => string | undefined;

/** Names of a connection's kept statements: their number is limited, as each has memory of the server. */
const MOST_KEPT = 300;

function keptNames(): NameOf {
  const names = new Map<string, string>();
  return (text, parameters) => {
    // Without values it is a command such as `commit`.
    if (parameters.length === 0) return undefined;
    const known = names.get(text);
    if (known !== undefined || names.size >= MOST_KEPT) return known;
    const name = `scrip_${names.size}`;
    names.set(text, name);
    return name;
  };
}

/** The driver returns bytes as Buffers. */
function withBytes(row: Record<string, unknown>): Record<string, unknown> {
  for (const [column, value] of Object.entries(row)) {
    if (Buffer.isBuffer(value)) row[column] = Uint8Array.from(value);
  }
  return row;
}

/** Tries of a write that conflicts with others. */
const TRIES = 5;

/**
 * Runs a write, and again if it is known to have changed nothing: in a deadlock PostgreSQL
 * aborts one of two writes, and a connection that is lost before the commit was sent ends its
 * transaction. A commit that was not answered may stand, so it is not tried again.
 */
export async function tryAgain<T>(write: () => Promise<T>): Promise<T> {
  let [waitedMs, pauseMs] = [0, PAUSE_MS];
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      const isLoss = isLostError(error);
      if (isLoss ? waitedMs >= PATIENCE_MS : tries >= TRIES) throw error;
      if (!isUndone(error)) throw error;
      if (!isLoss) continue;
    }
    await pause(pauseMs);
    waitedMs += pauseMs;
    pauseMs = longer(pauseMs);
  }
}

function isUndone(error: unknown): boolean {
  if (!(error instanceof ScripError)) return false;
  return error.details.isUndone === true || /^40(001|P01)$/.test(codeOf(error.cause));
}
