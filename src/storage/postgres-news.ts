/**
 * Reports orders that other servers changed, by NOTIFY on its own connection, and the database's
 * clock. Notifications during a lost connection are not repeated: any order may have changed then.
 * The connection holds a lock of its name, by which others learn that this server lives.
 */

import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { CHANNEL } from './postgres-channel.ts';
import { clientOptions, whenThere } from './postgres-pool.ts';
import type { Others } from './store.ts';

/** Interval of checking the connection and reading the clock. */
const CHECK_MS = 2_000;
const RECONNECT_MS = 500;

interface News extends Others {
  /** Name of the connection that listens; undefined while there is none. */
  session(): string | undefined;
  close(): Promise<void>;
}

/** Starts listening. @throws {ScripError} STORE_UNUSABLE */
export async function hearOthers(address: string): Promise<News> {
  const changed = new Set<string>();
  const closing = new AbortController();
  let mayHaveMissed = false;
  let now: () => number = Date.now;
  let client: pg.Client | undefined;
  let session: string | undefined;
  const connect = async (): Promise<void> => {
    const next = new pg.Client(clientOptions(address));
    next.on('error', () => {
      mayHaveMissed = true;
      if (client === next) client = undefined;
    });
    next.on('notification', ({ payload }) => payload !== undefined && changed.add(payload));
    await next.connect();
    client = next;
    await next.query(`listen ${CHANNEL}`);
    session = await lockName(next);
    now = await readClock(next);
  };
  const check = async (): Promise<void> => {
    try {
      if (client === undefined) {
        await connect();
        // Changes announced meanwhile reached no listener.
        mayHaveMissed = true;
      } else now = await readClock(client);
    } catch {
      mayHaveMissed = true;
      await client?.end().catch(() => undefined);
      client = undefined;
    }
  };
  const keepChecking = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const waitMs = client ? CHECK_MS : RECONNECT_MS;
      await pause(waitMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
      if (!closing.signal.aborted) await check();
    }
  };
  await whenThere(connect);
  const checking = keepChecking();
  return {
    changedOrders() {
      const found = mayHaveMissed ? undefined : [...changed];
      changed.clear();
      mayHaveMissed = false;
      return found;
    },
    now: () => now(),
    session: () => client && session,
    async close() {
      closing.abort();
      await checking;
      await client?.end().catch(() => undefined);
    },
  };
}

/** The name is of this session alone, whose end frees the lock. */
async function lockName(client: pg.Client): Promise<string> {
  const { rows } = await client.query(
    `select name, pg_advisory_lock(hashtextextended(name, 0)) from (
       select 'server ' || pid || ' ' || backend_start as name
       from pg_stat_activity where pid = pg_backend_pid()
     ) as session`,
  );
  return String(rows[0]?.name);
}

/**
 * Returns the database's clock, assuming the query was answered halfway. Between two readings it
 * goes on by elapsed time: a clock of this machine that is set meanwhile does not matter.
 */
async function readClock(client: pg.Client): Promise<() => number> {
  const askedMs = performance.now();
  const { rows } = await client.query(
    'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now',
  );
  const readMs = (askedMs + performance.now()) / 2;
  const databaseMs = Number(rows[0]?.now);
  return () => Math.round(databaseMs + performance.now() - readMs);
}
