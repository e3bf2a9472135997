/** Limits of callers that several servers of one shop count together. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createRateGate,
  createRateSharing,
  type RateGate,
  type RateSharing,
} from '../../src/service/http/rate-limits.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';

const COUNT = 20;
const RATES = { rates: { ordersByPartner: { count: COUNT, windowMs: 60_000 } } };

let store: Store;
let clock: ManualClock;
let writes: number;
let isAway: boolean;
beforeEach(async () => {
  store = await openSqliteStore(':memory:');
  clock = manualClock();
  writes = 0;
  isAway = false;
});
afterEach(() => store.close());

interface Server {
  readonly gate: RateGate;
  readonly sharing: RateSharing;
}

/** Three servers of one store, as PostgreSQL has them. */
function servers(): readonly Server[] {
  const write: Store['write'] = (work) => {
    writes += 1;
    return isAway ? Promise.reject(new TypeError('away')) : store.write(work);
  };
  return [0, 1, 2].map(() => {
    const others = { changedOrders: () => [], now: () => clock.now() };
    const sharing = createRateSharing({ write, others }, clock);
    if (sharing === undefined) throw new TypeError('nothing to share');
    return { sharing, gate: createRateGate(clock, RATES, sharing) };
  });
}

const isLet = ({ gate }: Server, key = 'a'): boolean =>
  gate.take('ordersByPartner', key).refusal === undefined;

/** Asks each server so often a second; gives how many requests were let through. */
async function press(all: readonly Server[], seconds: number, each: number): Promise<number> {
  let count = 0;
  for (let second = 0; second < seconds; second += 1) {
    for (const server of all) {
      for (let asked = 0; asked < each; asked += 1) if (isLet(server)) count += 1;
    }
    for (const { sharing } of all) await sharing.exchange().catch(() => undefined);
    clock.advance(1_000);
  }
  return count;
}

it('a caller that presses at three servers has one limit, after at most one burst at each', async () => {
  const all = servers();
  const minutes = 10;
  const first = await press(all, minutes * 60, 5);
  expect(first).toBeGreaterThanOrEqual(minutes * COUNT);
  expect(first).toBeLessThanOrEqual((minutes + 3) * COUNT);
  // What was used too much is waited for: from then on it is the limit.
  expect(await press(all, minutes * 60, 5)).toBeLessThanOrEqual(minutes * COUNT + 3);
});

it('a caller that asks in turn goes over its limit by less than a quarter for each server', async () => {
  const all = servers();
  let count = 0;
  for (let request = 0; request < 60; request += 1) {
    if (all.filter((_, index) => index === request % 3).some((server) => isLet(server))) count += 1;
    clock.advance(100);
    for (const { sharing } of all) await sharing.exchange();
  }
  // In 6 s two tokens come back.
  expect(count).toBeLessThanOrEqual(COUNT + 2 + 3 * (COUNT / 4));
});

it('callers that use little write nothing', async () => {
  const all = servers();
  for (let second = 0; second < 120; second += 1) {
    for (const server of all) if (second % 12 === 0) expect(isLet(server)).toBe(true);
    for (const { sharing } of all) await sharing.exchange();
    clock.advance(1_000);
  }
  expect(writes).toBe(0);
});

it('each server counts on while the database is away, and tells then what it counted', async () => {
  const all = servers();
  isAway = true;
  expect(await press(all, 2, COUNT)).toBe(3 * COUNT);
  isAway = false;
  await press(all, 1, 0);
  // Three times the limit was used: a server that has not heard of it lets one more through, and hears.
  expect(await press(all, 100, 1)).toBeLessThanOrEqual(3);
});

it('a store of one machine shares nothing', () => {
  expect(createRateSharing(store, clock)).toBeUndefined();
});
