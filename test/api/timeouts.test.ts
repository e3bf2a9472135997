/** How long a purchase is waited for. */
import { describe, expect, it } from 'vitest';
import { timeoutsAfter, timeoutsOf } from '../../src/api/timeouts.ts';

describe('the timeouts of a payment that gets no answer', () => {
  it.each([
    ['is half a minute', undefined, 0, 35_000],
    ['is shorter after a slow price', undefined, 20_000, 15_000],
    ['never ends before an answer could come', undefined, 60_000, 10_000],
    ['is not longer for a clock set back', undefined, -5_000, 35_000],
    ['is what was asked for where that is little', 5_000, 20_000, 5_000],
    ['is what was asked for where that is much', 120_000, 20_000, 120_000],
  ] as const)('%s', (_what, givenMs, tookMs, expected) => {
    const { settleMs, waitMs } = timeoutsAfter(timeoutsOf(givenMs, true), tookMs);
    expect(settleMs).toBe(expected);
    expect(waitMs).toBe(timeoutsOf(givenMs, true).waitMs);
  });
});
