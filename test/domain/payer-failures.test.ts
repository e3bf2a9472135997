import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addFailure,
  CLEAN_RECORD,
  isBlocked,
  type PayerRecord,
} from '../../src/domain/payment/payer-failures.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = 1_000 * HOUR;

function record(...hours: readonly number[]): PayerRecord {
  return hours.reduce(
    (known, hour, index) =>
      addFailure(known, { messageHash: `m${index}`, atMs: START + hour * HOUR }),
    CLEAN_RECORD,
  );
}

describe('a payer whose payments fail', () => {
  it.each<[string, PayerRecord, boolean]>([
    ['never', CLEAN_RECORD, false],
    ['twice in an hour', record(0, 0.5), false],
    ['three times in an hour', record(0, 0.2, 0.9), true],
    ['three times, one of them an hour earlier', record(0, 0.5, 1), false],
    ['three times in an hour, told out of order', record(0.9, 0, 0.2), true],
    ['once an hour for a day', record(...Array.from({ length: 24 }, (_, hour) => hour)), false],
  ])('%s: %#', (_what, known, expected) => {
    const newest = Math.max(START, ...known.failures.map(({ atMs }) => atMs));
    expect(isBlocked(known, newest)).toBe(expected);
  });

  it('is blocked for a day from the third failure on, and then not', () => {
    const known = record(0, 0.1, 0.2);
    const thirdMs = START + 0.2 * HOUR;
    expect(isBlocked(known, thirdMs + DAY - 1)).toBe(true);
    expect(isBlocked(known, thirdMs + DAY)).toBe(false);
  });

  it('is not blocked by one failure that is told many times', () => {
    const failure = { messageHash: 'm', atMs: START };
    const told = [1, 2, 3, 4, 5].reduce((known) => addFailure(known, failure), CLEAN_RECORD);
    expect(told).toEqual(addFailure(CLEAN_RECORD, failure));
  });

  it('is judged alike in whatever order its failures are told', () => {
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 5 * HOUR }), { maxLength: 12 });
    fc.assert(
      fc.property(times, fc.infiniteStream(fc.nat()), (offsets, luck) => {
        const failures = offsets.map((ms) => ({ messageHash: `m${ms}`, atMs: START + ms }));
        const sorted = failures.toSorted((a, b) => a.atMs - b.atMs);
        const kept = sorted.reduce(addFailure, CLEAN_RECORD);
        // However they come, whoever failed three times in the last hour is blocked.
        const shuffled = failures.toSorted(() => (luck.next().value % 2 === 0 ? 1 : -1));
        const mixed = shuffled.reduce(addFailure, CLEAN_RECORD);
        const newestMs = sorted.at(-1)?.atMs ?? START;
        const inLastHour = sorted.filter(({ atMs }) => atMs > newestMs - HOUR).length;
        if (inLastHour >= 3) {
          expect(isBlocked(kept, newestMs)).toBe(true);
          expect(isBlocked(mixed, newestMs)).toBe(true);
        }
      }),
    );
  });
});
