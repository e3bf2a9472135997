/** What time a payment is measured and dated by, whatever the clock of the machine says. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spendTime } from '../../src/domain/policy/spend-time.ts';

const NOW = Date.UTC(2026, 0, 10);
const DAY = 24 * 60 * 60 * 1_000;

describe('the time of a payment', () => {
  it.each([
    ['agrees with the chain', { clockMs: NOW, chainMs: NOW, newestMs: NOW - DAY }, [NOW, NOW]],
    ['is set back', { clockMs: NOW - DAY, chainMs: NOW, newestMs: undefined }, [NOW - DAY, NOW]],
    [
      'is right, and an RPC tells tomorrow',
      { clockMs: NOW, chainMs: NOW + DAY, newestMs: undefined },
      [NOW, NOW + DAY],
    ],
    ['is set forward', { clockMs: NOW + DAY, chainMs: NOW, newestMs: undefined }, [NOW, NOW + DAY]],
    [
      'is set back, and no node tells the time',
      { clockMs: NOW - DAY, chainMs: null, newestMs: NOW },
      [NOW - DAY, NOW],
    ],
    [
      'is right, and nothing else is known',
      { clockMs: NOW, chainMs: null, newestMs: undefined },
      [NOW, NOW],
    ],
    [
      'is right, and a payment is dated years ahead: the next one is not',
      { clockMs: NOW, chainMs: NOW, newestMs: NOW + 3_650 * DAY },
      [NOW, NOW],
    ],
  ])('when the clock %s', (_what, clocks, [nowMs, datedMs]) => {
    expect(spendTime({ ...clocks, isPlayMoney: false })).toEqual({ nowMs, datedMs });
  });

  it('is the chain’s for play money, whose clock a sandbox may move', () => {
    const clocks = { clockMs: NOW, chainMs: NOW + 30 * DAY, newestMs: undefined };
    expect(spendTime({ ...clocks, isPlayMoney: true }).nowMs).toBe(NOW + 30 * DAY);
  });

  it('is never before the chain’s, and a day never ends later than it or this machine’s', () => {
    const time = fc.integer({ min: 0, max: 2 ** 44 });
    fc.assert(
      fc.property(time, time, fc.option(time, { nil: undefined }), (clockMs, chainMs, newestMs) => {
        const { nowMs, datedMs } = spendTime({
          ...{ clockMs, chainMs, newestMs },
          isPlayMoney: false,
        });
        expect(datedMs).toBeGreaterThanOrEqual(chainMs);
        expect(nowMs).toBe(Math.min(chainMs, clockMs));
      }),
    );
  });
});
