/** Standing by unpaid orders: the bound and the steps. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isBoundAtLeast,
  judgePartner,
  type Suspension,
  spendingPeriods,
  suspendAfterUnpaid,
} from '../../src/domain/order/partner-limits.ts';
import { fuzzRuns } from '../support/fuzz.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const NOTHING = { closed: 0, unpaid: 0, lastCreatedAtMs: undefined, suspension: undefined };

/** The lower end of the 95% Wilson interval, in floats. */
function wilsonLowerBound(unpaid: number, all: number): number {
  if (all === 0) return 0;
  const z2 = 1.96 ** 2;
  const spread = Math.sqrt(z2 * (z2 + (4 * unpaid * (all - unpaid)) / all));
  return (2 * unpaid + z2 - spread) / (2 * (all + z2));
}

describe('the lower bound', () => {
  it.each([
    // From so many unpaid in a row on: n / (n + 3.8416) reaches 0.5, 0.7 and 0.8.
    [5, 4],
    [7, 9],
    [8, 16],
  ])('reaches %i tenths with %i unpaid in a row', (tenths, count) => {
    expect(isBoundAtLeast(count - 1, count - 1, tenths)).toBe(false);
    expect(isBoundAtLeast(count, count, tenths)).toBe(true);
  });

  it('is compared in integers as the float says, wherever the float can tell', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }).chain((n) => fc.tuple(fc.nat(n), fc.constant(n))),
        fc.constantFrom(5, 7, 8),
        ([unpaid, all], tenths) => {
          const distance = wilsonLowerBound(unpaid, all) - tenths / 10;
          if (Math.abs(distance) < 1e-9) return;
          expect(isBoundAtLeast(unpaid, all, tenths)).toBe(distance > 0);
        },
      ),
      { numRuns: fuzzRuns(500) },
    );
  });
});

describe('a partner', () => {
  const standing = (counts: Partial<Parameters<typeof judgePartner>[0]>, nowMs = HOUR) =>
    judgePartner({ ...NOTHING, ...counts }, nowMs);
  const unpaid = (count: number) => ({ closed: count, unpaid: count });

  it('without closed orders stands well, however many are open', () => {
    expect(standing({ lastCreatedAtMs: HOUR })).toEqual({
      ...{ state: 'good', retryAfterMs: 0, untilMs: undefined, closed: 0, unpaid: 0 },
    });
  });

  it.each([
    [3, 'good'],
    [4, 'warned'],
    [8, 'warned'],
    [9, 'throttled'],
    [15, 'throttled'],
    [16, 'suspended'],
  ] as const)('with %i unpaid in a row is %s', (count, state) => {
    const suspension = suspendAfterUnpaid(unpaid(count), undefined, HOUR);
    expect(standing({ ...unpaid(count), suspension })).toMatchObject({ state, unpaid: count });
  });

  it('that pays for half of its orders stands well', () => {
    expect(standing({ closed: 200, unpaid: 100 }).state).toBe('good');
  });

  it('is throttled to an order a minute', () => {
    const retryAfter = (nowMs: number) =>
      standing({ ...unpaid(10), lastCreatedAtMs: HOUR }, nowMs).retryAfterMs;
    const times = [HOUR, HOUR + 1, HOUR + 59_999, HOUR + MINUTE];
    expect(times.map(retryAfter)).toEqual([MINUTE, 59_999, 1, 0]);
    expect(standing(unpaid(10)).retryAfterMs).toBe(0);
  });

  it('is suspended for an hour, then throttled', () => {
    const suspension = suspendAfterUnpaid(unpaid(16), undefined, 0);
    const at = (nowMs: number) => standing({ ...unpaid(16), suspension }, nowMs);
    expect([0, HOUR - 1, HOUR].map((nowMs) => at(nowMs).state)).toEqual([
      ...['suspended', 'suspended', 'throttled'],
    ]);
    expect(at(MINUTE)).toMatchObject({ retryAfterMs: HOUR - MINUTE, untilMs: HOUR });
    // Orders that lapse meanwhile make it no longer.
    expect(suspendAfterUnpaid(unpaid(40), suspension, MINUTE)?.untilMs).toBe(HOUR);
  });

  it('is suspended for twice as long each time, up to a day, and begins anew after a day', () => {
    let last: Suspension | undefined;
    const hours = Array.from({ length: 7 }, () => {
      last = suspendAfterUnpaid(unpaid(20), last, last === undefined ? 0 : last.untilMs + MINUTE);
      return (last?.lengthMs ?? 0) / HOUR;
    });
    expect(hours).toEqual([1, 2, 4, 8, 16, 24, 24]);
    const later = (last?.untilMs ?? 0) + 2 * 24 * HOUR;
    expect(suspendAfterUnpaid(unpaid(16), last, later)?.lengthMs).toBe(HOUR);
  });
});

/** Days and months begin at midnight in UTC. */
it.each([
  ['2026-02-28T23:59:59.999Z', '2026-02-28T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
  ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
  ['2026-01-01T00:30:00.000+02:00', '2025-12-31T00:00:00.000Z', '2025-12-01T00:00:00.000Z'],
])('at %s spending is counted from %s and from %s', (now, day, month) => {
  const { dayFromMs, monthFromMs } = spendingPeriods(Date.parse(now));
  expect([dayFromMs, monthFromMs]).toEqual([Date.parse(day), Date.parse(month)]);
});
