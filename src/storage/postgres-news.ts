/**
 * What other servers have done, by NOTIFY on a connection of its own, and how late it is there. What
 * was missed while the connection was broken is not told again: then everything may have changed.
 */

import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { CHANNEL } from './postgres-channel.ts';
import { clientOptions, whenThere } from './postgres-pool.ts';
import type { Others } from './store.ts';

/** How often the connection is tried, and the clock read. */
const CHECK_MS = 2_000;
const RECONNECT_MS = 500;

/** @throws {ScripError} STORE_UNUSABLE */
export async function hearOthers(address: string): Promise<Others & { close(): Promise<void> }> {
  const changed = new Set<string>();
  const closing = new AbortController();
  let mayHaveMissed = false;
  let offsetMs = 0;
  let client: pg.Client | undefined;
  const connect = async (): Promise<void> => {
    const next = new pg.Client(clientOptions(address));
    next.on('error', () => undefined);
    next.on('notification', ({ payload }) => payload !== undefined && changed.add(payload));
    await next.connect();
    client = next;
    await next.query(`listen ${CHANNEL}`);
    offsetMs = await readOffset(next);
  };
  const check = async (): Promise<void> => {
    try {
      if (client === undefined) await connect();
      else offsetMs = await readOffset(client);
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

/** How far the database's clock is ahead of ours, taken at half of the time that asking took. */
async function readOffset(client: pg.Client): Promise<number> {
  const askedMs = Date.now();
  const { rows } = await client.query(
    'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now',
  );
  const answeredMs = Date.now();
  return Math.round(Number(rows[0]?.now) - (askedMs + answeredMs) / 2);
}
