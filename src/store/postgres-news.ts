/**
 * Tells other servers which orders this one changed, hears what they changed, and reads the database's
 * clock, all on one connection of its own. It holds a lock of its name, by which others learn that this
 * server lives. Notifications during a lost connection are not repeated: any order may have changed then.
 */

import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { clientOptions, whenThere } from './postgres-pool.ts';
import type { Others } from './store.ts';

/** Interval of checking the connection and reading the clock. */
const CHECK_MS = 2_000;
const RECONNECT_MS = 500;
const CHANNEL = 'scrip_orders';
/**
 * Pause between two notifications: at the commit of each, PostgreSQL locks out all others that notify,
 * and wakes every server.
 */
const TELL_MS = 50;
/** Order ids in one notification, whose text may have 8,000 bytes. */
const MOST_TOLD = 200;

interface News extends Others {
  /** Tells the other servers soon which orders have new events; call it after the commit. */
  tell(orderIds: Iterable<string>): void;
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
  /** Ends at once when the store closes. */
  const rest = (ms: number): Promise<void> =>
    pause(ms, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
  const connect = async (): Promise<void> => {
    const next = new pg.Client(clientOptions(address));
    next.on('error', () => {
      mayHaveMissed = true;
      if (client === next) client = undefined;
    });
    next.on('notification', ({ payload = '' }) => {
      for (const orderId of payload.split(' ')) changed.add(orderId);
    });
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
        tellSoon();
      } else now = await readClock(client);
    } catch {
      mayHaveMissed = true;
      await client?.end().catch(() => undefined);
      client = undefined;
    }
  };
  const keepChecking = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await rest(client ? CHECK_MS : RECONNECT_MS);
      if (!closing.signal.aborted) await check();
    }
  };
  const untold = new Set<string>();
  let telling: Promise<void> | undefined;
  const tellSome = async (by: pg.Client): Promise<void> => {
    const orderIds = [...untold].slice(0, MOST_TOLD);
    for (const orderId of orderIds) untold.delete(orderId);
    try {
      await by.query('select pg_notify($1, $2)', [CHANNEL, orderIds.join(' ')]);
    } catch {
      // Told by the next connection; a store that closes leaves it to the table of events.
      if (!closing.signal.aborted) for (const orderId of orderIds) untold.add(orderId);
    }
    await rest(TELL_MS);
  };
  const tellSoon = (): void => {
    if (untold.size === 0 || client === undefined) return;
    telling ??= tellSome(client).then(() => {
      telling = undefined;
      tellSoon();
    });
  };
  await whenThere(connect);
  const checking = keepChecking();
  return {
    tell(orderIds) {
      for (const orderId of orderIds) untold.add(orderId);
      tellSoon();
    },
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
      while (telling) await telling;
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
