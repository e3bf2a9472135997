/** Connections to PostgreSQL. Connecting waits while the server restarts. */

import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { ScripError } from '../domain/errors.ts';
import { t, verbatim } from '../domain/message.ts';

const CONNECTIONS = 10;
/** How long to wait for an unreachable server, or for a lock. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 200;

/** Our integers all fit a number: milliseconds, positions, counts. */
const INT8 = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    type === INT8 ? Number : pg.types.getTypeParser(type, format),
};

export function clientOptions(address: string): pg.ClientConfig {
  return {
    connectionString: address,
    types,
    keepAlive: true,
    connectionTimeoutMillis: PATIENCE_MS,
    options: `-c lock_timeout=${PATIENCE_MS} -c timezone=UTC`,
  };
}

export function openPool(address: string): PostgresPool {
  const pool = new pg.Pool({ ...clientOptions(address), max: CONNECTIONS });
  // Without listeners a broken connection would end the process; the pool replaces it.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    connect: async () => translated(await whenThere(() => pool.connect())),
    end: () => pool.end(),
  };
}

/** Connects, and retries while the server is unreachable. @throws {ScripError} STORE_UNUSABLE on timeout */
export async function whenThere<T>(connect: () => Promise<T>): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    try {
      return await connect();
    } catch (cause) {
      if (!isAway(cause) || waitedMs >= PATIENCE_MS) throw asScripError(cause);
    }
    await pause(PAUSE_MS);
  }
}

function translated(client: pg.PoolClient): PostgresPoolClient {
  const query = async (text: string, parameters: readonly unknown[]) => {
    try {
      const result = await client.query(text, [...parameters]);
      return { ...result, rows: result.rows.map(withBytes) };
    } catch (cause) {
      throw asScripError(cause);
    }
  };
  // Kysely types the rows by its compiled query, and streams nothing here.
  return { query, release: () => client.release() } as unknown as PostgresPoolClient;
}

/** The driver returns bytes as Buffers. */
function withBytes(row: Record<string, unknown>): Record<string, unknown> {
  for (const [column, value] of Object.entries(row)) {
    if (Buffer.isBuffer(value)) row[column] = Uint8Array.from(value);
  }
  return row;
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** Whether the server is not up yet, going down or starting. */
function isAway(cause: unknown): boolean {
  return /^(ECONNREFUSED|ECONNRESET|ENOENT|57P0[123])$/.test(codeOf(cause));
}

/** Whether PostgreSQL asks to retry: serialization failures and deadlocks. */
export function isWorthAnotherTry(error: unknown): boolean {
  return error instanceof ScripError && /^40(001|P01)$/.test(codeOf(error.cause));
}

function asScripError(cause: unknown): ScripError {
  if (cause instanceof ScripError) return cause;
  const code = codeOf(cause);
  const said = cause instanceof Error ? cause.message : String(cause);
  if (code === '23505') {
    return new ScripError('RECORD_EXISTS', verbatim(`there is such a record already: ${said}`), {
      cause,
    });
  }
  if (/^(22|23|42)/.test(code)) {
    return new ScripError('INTERNAL', verbatim(`the store refused a statement: ${said}`), {
      cause,
    });
  }
  return new ScripError('STORE_UNUSABLE', t`The store failed: ${said}`, { cause });
}
