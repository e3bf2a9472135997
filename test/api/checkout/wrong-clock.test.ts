/**
 * A buyer whose clock is wrong (reliability 2.5, C24; T11): years off, set while it pays, or stopped.
 * Money follows blocks and not clocks: the same payments as with a right one, or a refusal to sign.
 */
import { describe, expect, it } from 'vitest';
import { resume } from '../../../src/api/checkout/pay.ts';
import type { Clock } from '../../../src/domain/clock.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { purchase } from '../../support/purchase.ts';
import { aRequest, type Fault, makeWorld, type World } from '../../support/purchase-world.ts';

const TEN_YEARS_MS = 10 * 365.25 * 86_400_000;
const AN_HOUR_MS = 3_600_000;
const CRASH = 'the process ends here';

/** The true time as it passes, seen through a clock that is wrong. */
type Wrong = (trueMs: number, startMs: number) => number;
const OFF: readonly (readonly [string, Wrong])[] = [
  ['ten years ahead', (trueMs) => trueMs + TEN_YEARS_MS],
  ['ten years behind', (trueMs) => trueMs - TEN_YEARS_MS],
  ['an hour ahead, as in another summer time', (trueMs) => trueMs + AN_HOUR_MS],
  ['an hour behind', (trueMs) => trueMs - AN_HOUR_MS],
  ['stopped', (_trueMs, startMs) => startMs],
  ['twice as fast', (trueMs, startMs) => startMs + 2 * (trueMs - startMs)],
];
const TROUBLE: readonly (readonly [string, readonly Fault[]])[] = [
  ['no trouble', []],
  ['a lost reply', ['reply lost']],
  ['a lost request', ['request lost']],
  ['an error that settles', ['500 after']],
  ['a payment that never arrives', Array<Fault>(60).fill('request lost')],
];

/** A clock that is right until it is told otherwise. */
function wrongClock({ clock }: World): Clock & { go(wrong: Wrong): void } {
  const startMs = clock.now();
  let wrong: Wrong = (trueMs) => trueMs;
  return {
    now: () => Math.floor(wrong(clock.now(), startMs)),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    go: (to) => {
      wrong = to;
    },
  };
}

/** Buys, and resumes what was left open, by a clock that goes wrong at a point. */
async function buy(faults: readonly Fault[], { from, wrong }: { from?: string; wrong?: Wrong }) {
  const world = await makeWorld();
  world.faults.push(...faults);
  const clock = wrongClock(world);
  if (from === undefined && wrong) clock.go(wrong);
  const failPoint = (name: string): void => {
    if (name === from && wrong) clock.go(wrong);
  };
  const deps = world.deps({ clock, failPoint });
  const first = await purchase(deps, aRequest({ key: 'k' })).catch((error: unknown) => error);
  world.faults.length = 0;
  const entry = await deps.journal.byKey('k');
  const last = entry && !(first instanceof ScripError) ? await resume(deps, entry) : first;
  const books = { signed: world.signed(), landed: world.landed.size };
  return { books, last };
}

describe('set while a payment is under way, a clock changes nothing about it', () => {
  const rows = OFF.flatMap(([what, wrong]) =>
    ['attempt-written', 'submitted'].flatMap((from) =>
      TROUBLE.map(([trouble, faults]) => [what, from, trouble, wrong, faults] as const),
    ),
  );

  it.each(rows)('%s from %s on, with %s', async (_what, from, trouble, wrong, faults) => {
    const { books, last } = await buy(faults, { from, wrong });
    expect(books.landed).toBeLessThanOrEqual(1);
    if (trouble === 'a payment that never arrives') return expect(books.landed).toBe(0);
    expect(last).toMatchObject({ kind: 'delivered' });
    // What a right clock comes to, also in trouble: one signature, one payment.
    expect(books).toEqual({ signed: 1, landed: 1 });
  });
});

it.each(TROUBLE.slice(0, 4))('a right clock pays once, with %s', async (_trouble, faults) => {
  const { books, last } = await buy(faults, {});
  expect(last).toMatchObject({ kind: 'delivered' });
  expect(books).toEqual({ signed: 1, landed: 1 });
});

describe('wrong from the beginning, a clock refuses a payment request or pays it once', () => {
  const rows = OFF.flatMap(([what, wrong]) =>
    TROUBLE.slice(0, 4).map(([trouble, faults]) => [what, trouble, wrong, faults] as const),
  );

  it.each(rows)('%s, with %s', async (_what, _trouble, wrong, faults) => {
    const { books, last } = await buy(faults, { wrong });
    if (last instanceof ScripError) {
      // By its own clock the request is over: nothing was signed, and it says so.
      expect(last).toMatchObject({ code: 'CHALLENGE_EXPIRED', fundsAtRisk: 'none' });
      expect(books).toEqual({ signed: 0, landed: 0 });
    } else {
      expect(last).toMatchObject({ kind: 'delivered' });
      expect(books).toEqual({ signed: 1, landed: 1 });
    }
  });
});

describe('after a crash, a clock that went wrong meanwhile pays nothing twice', () => {
  const rows = OFF.flatMap(([what, wrong]) =>
    ['attempt-written', 'submitted', 'accepted-recorded', 'goods-read'].map(
      (point) => [what, point, wrong] as const,
    ),
  );

  it.each(rows)('%s, after %s', async (_what, point, wrong) => {
    const world = await makeWorld();
    const clock = wrongClock(world);
    const dying = world.deps({
      clock,
      failPoint: (name) => {
        if (name === point) throw new Error(CRASH);
      },
    });
    await expect(purchase(dying, aRequest({ key: 'k' }))).rejects.toThrow(CRASH);
    clock.go(wrong);
    const again = await purchase(world.deps({ clock }), aRequest({ key: 'k' }));
    expect(again).toMatchObject({ kind: 'delivered' });
    expect({ signed: world.signed(), landed: world.landed.size }).toEqual({ signed: 1, landed: 1 });
  });
});
