/** The bucket: so many at once, evenly after that, and no harm from a clock that jumps. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bucket, takeToken } from '../../src/domain/rate-limit.ts';

const LIMIT = { count: 3, windowMs: 60_000 };

function take(instants: readonly number[], from?: number) {
  let bucket: Bucket = from;
  return instants.map((atMs) => {
    const decision = takeToken(bucket, LIMIT, atMs);
    bucket = decision.bucket;
    return decision.isAllowed ? 'taken' : decision.retryAfterMs;
  });
}

describe('a bucket', () => {
  it('gives all it has at once, then one by one', () => {
    expect(take([0, 0, 0, 0, 19_999, 20_000, 20_000])).toEqual([
      'taken',
      'taken',
      'taken',
      20_000,
      1,
      'taken',
      20_000,
    ]);
  });

  it('is full again after its window', () => {
    expect(take([0, 0, 0, 60_000, 60_000, 60_000, 60_000])).toEqual([
      ...['taken', 'taken', 'taken'],
      ...['taken', 'taken', 'taken', 20_000],
    ]);
  });

  it('loses nothing to those that were refused', () => {
    expect(take([0, 0, 0, 1, 2, 3, 20_000])).toEqual([
      ...['taken', 'taken', 'taken', 19_999, 19_998, 19_997],
      'taken',
    ]);
  });

  it('locks nobody out for longer than a window when the clock is set back', () => {
    expect(take([1_000], 10 * 365 * 86_400_000)).toEqual([20_000]);
  });

  it('allows at most its count and what refills, and what it refuses it allows when it said', () => {
    const gaps = fc.array(fc.nat(30_000), { minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(gaps, (steps) => {
        let [bucket, nowMs, taken]: [Bucket, number, number] = [undefined, 0, 0];
        for (const step of steps) {
          nowMs += step;
          const decision = takeToken(bucket, LIMIT, nowMs);
          bucket = decision.bucket;
          if (decision.isAllowed) taken += 1;
          else {
            const later = nowMs + decision.retryAfterMs;
            expect(takeToken(bucket, LIMIT, later).isAllowed).toBe(true);
            expect(takeToken(bucket, LIMIT, later - 1).isAllowed).toBe(false);
          }
        }
        expect(taken).toBeLessThanOrEqual(LIMIT.count + nowMs / 20_000);
      }),
    );
  });
});
