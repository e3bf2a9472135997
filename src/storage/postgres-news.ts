/**
 * Reports orders that other servers changed, by NOTIFY on its own connection, and the database's
 * clock. Notifications during a lost connection are not repeated: any order may have changed then.
 */

import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { CHANNEL } from './postgres-channel.ts';
import { clientOptions, whenThere } from './postgres-pool.ts';
import type { Others } from './store.ts';

/** Interval of checking the connection and reading the clock. */
const CHECK_MS = 2_000;
const RECONNECT_MS = 500;

/** Starts listening. @throws {ScripError} STORE_UNUSABLE */
export async function hearOthers(address: string): Promise<Others & { close(): Promise<void> }> {
  const changed = new Set<string>();
  const closing = new AbortController();
  let mayHaveMissed = false;
  let offsetMs = 0;
  let client: pg.Client | undefined;
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
    offsetMs = await readOffset(next);
  };
  const check = async (): Promise<void> => {
    try {
      if (client === undefined) {
        await connect();
        // What was told meanwhile was told to nobody.
        mayHaveMissed = true;
      } else offsetMs = await readOffset(client);
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
    offsetMs: () => offsetMs,
    async close() {
      closing.abort();
      await checking;
      await client?.end().catch(() => undefined);
    },
  };
}

/** Returns how far the database's clock is ahead of ours, assuming the query was answered halfway. */
async function readOffset(client: pg.Client): Promise<number> {
  const askedMs = Date.now();
  const { rows } = await client.query(
    'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now',
  );
  const answeredMs = Date.now();
  return Math.round(Number(rows[0]?.now) - (askedMs + answeredMs) / 2);
}
