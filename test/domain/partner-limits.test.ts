/** Standing by unpaid orders: the bound and the steps. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isBoundAtLeast,
  judgePartner,
  type PartnerStanding,
  RATIO_WINDOW_MS,
  type Suspension,
  spendingPeriods,
  suspendAfterUnpaid,
  type UnpaidCounts,
} from '../../src/domain/order/partner-limits.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** An order event that affects the partner's standing. */
type PartnerEvent =
  | { readonly kind: 'created'; readonly atMs: number }
  /** An order whose window closed: paid, or unpaid (expired, canceled, failed without funds). */
  | { readonly kind: 'closed'; readonly atMs: number; readonly isPaid: boolean };

const closed = (atMs: number, isPaid: boolean): PartnerEvent => ({ kind: 'closed', atMs, isPaid });
const created = (atMs: number): PartnerEvent => ({ kind: 'created', atMs });
const unpaidRun = (count: number, fromMs: number): PartnerEvent[] =>
  Array.from({ length: count }, (_, index) => closed(fromMs + index * MINUTE, false));

/** The lower end of the 95% Wilson interval, in floats. */
function wilsonLowerBound(unpaid: number, all: number): number {
  if (all === 0) return 0;
  const z2 = 1.96 ** 2;
  const spread = Math.sqrt(z2 * (z2 + (4 * unpaid * (all - unpaid)) / all));
  return (2 * unpaid + z2 - spread) / (2 * (all + z2));
}

/** The standing after all events up to an instant, counted here as the store counts them. */
function partnerStanding(events: readonly PartnerEvent[], nowMs: number): PartnerStanding {
  const past = events.filter(({ atMs }) => atMs <= nowMs).toSorted((a, b) => a.atMs - b.atMs);
  const lastCreatedAtMs = past.findLast(({ kind }) => kind === 'created')?.atMs;
  const counts = countClosed(past, nowMs);
  return judgePartner({ ...counts, lastCreatedAtMs, suspension: suspensionOf(past) }, nowMs);
}

function suspensionOf(past: readonly PartnerEvent[]): Suspension | undefined {
  return past.reduce<Suspension | undefined>((last, event, index) => {
    if (event.kind !== 'closed' || event.isPaid) return last;
    return suspendAfterUnpaid(countClosed(past.slice(0, index + 1), event.atMs), last, event.atMs);
  }, undefined);
}

function countClosed(past: readonly PartnerEvent[], atMs: number): UnpaidCounts {
  const closures = past.filter(
    (event) => event.kind === 'closed' && event.atMs > atMs - RATIO_WINDOW_MS,
  );
  const unpaid = closures.filter((event) => event.kind === 'closed' && !event.isPaid);
  return { closed: closures.length, unpaid: unpaid.length };
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
      { numRuns: 3_000 },
    );
  });
});

describe('a partner', () => {
  it('without closed orders stands well, however many are open', () => {
    const events = Array.from({ length: 500 }, (_, index) => created(index));
    expect(partnerStanding(events, HOUR)).toEqual({
      state: 'good',
      retryAfterMs: 0,
      untilMs: undefined,
      closed: 0,
      unpaid: 0,
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
    expect(partnerStanding(unpaidRun(count, 0), HOUR)).toMatchObject({ state, unpaid: count });
  });

  it('that pays for half of its orders is never more than warned', () => {
    const events = Array.from({ length: 200 }, (_, index) => closed(index, index % 2 === 0));
    expect(partnerStanding(events, HOUR).state).toBe('good');
  });

  it('is throttled to an order a minute', () => {
    const events = [...unpaidRun(10, 0), created(HOUR)];
    const retryAfter = (nowMs: number) => partnerStanding(events, nowMs).retryAfterMs;
    expect([HOUR, HOUR + 1, HOUR + 59_999, HOUR + MINUTE].map(retryAfter)).toEqual([
      MINUTE,
      59_999,
      1,
      0,
    ]);
    expect(partnerStanding(unpaidRun(10, 0), HOUR).retryAfterMs).toBe(0);
  });

  it('is suspended for an hour, then throttled until the day is over', () => {
    const events = unpaidRun(16, 0);
    const startMs = 15 * MINUTE;
    const states = [startMs - 1, startMs, startMs + HOUR - 1, startMs + HOUR, 25 * HOUR].map(
      (nowMs) => partnerStanding(events, nowMs).state,
    );
    expect(states).toEqual(['throttled', 'suspended', 'suspended', 'throttled', 'good']);
    expect(partnerStanding(events, startMs + MINUTE)).toMatchObject({
      retryAfterMs: HOUR - MINUTE,
      untilMs: startMs + HOUR,
    });
  });

  it('is suspended for twice as long each time, up to a day', () => {
    const counts = { closed: 20, unpaid: 20 };
    let last: Suspension | undefined;
    const hours = Array.from({ length: 7 }, () => {
      last = suspendAfterUnpaid(counts, last, last === undefined ? 0 : last.untilMs + MINUTE);
      return (last?.lengthMs ?? 0) / HOUR;
    });
    expect(hours).toEqual([1, 2, 4, 8, 16, 24, 24]);
  });

  it('begins with the shortest again after a day without suspension', () => {
    const first = unpaidRun(16, 0);
    const again = unpaidRun(16, 3 * 24 * HOUR);
    const atMs = 3 * 24 * HOUR + 15 * MINUTE;
    expect(partnerStanding([...first, ...again], atMs).untilMs).toBe(atMs + HOUR);
  });

  it('is not suspended for longer by orders that lapse meanwhile', () => {
    const events = unpaidRun(40, 0);
    expect(partnerStanding(events, HOUR).untilMs).toBe(15 * MINUTE + HOUR);
  });

  it('is judged by what happened, in whatever order it is told', () => {
    const events = [...unpaidRun(16, 0), created(5), closed(7, true), closed(900_000, true)];
    expect(partnerStanding(events.toReversed(), HOUR)).toEqual(partnerStanding(events, HOUR));
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
