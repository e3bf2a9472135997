import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coinAmount, formatCoinAmount, toBaseUnits } from '../../src/domain/money/coin.ts';
import { atomic } from '../../src/domain/money/money.ts';

const usd = (dollars: number) => atomic(BigInt(dollars) * 1_000_000n);
const PICO = 10n ** 12n;

describe('coinAmount', () => {
  it.each([
    ['a dollar coin costs what the goods cost', 25n, PICO, 6, '25'],
    ['a share of a bitcoin is exact', 25n, 100_000n * PICO, 8, '0.00025'],
    ['a third is rounded up', 1n, 3n * PICO, 6, '0.333334'],
    ['less than a unit is a unit', 1n, 10n ** 9n * PICO, 6, '0.000001'],
    ['nothing costs nothing', 0n, PICO, 6, '0'],
    ['a cheap coin has no exponent', 1n, PICO / 10_000_000n, 0, '10000000'],
  ])('%s', (_fact, dollars, rate, decimals, text) => {
    const amount = coinAmount(usd(Number(dollars)), rate, decimals);
    expect(formatCoinAmount(amount, { decimals })).toBe(text);
  });

  it('is the smallest amount that covers the price', () => {
    const anyRate = fc.bigInt({ min: 10n ** 6n, max: 10n ** 18n });
    const anyUsd = fc.bigInt({ min: 0n, max: 10n ** 10n });
    fc.assert(
      fc.property(anyUsd, anyRate, (micros, rate) => {
        const amount = coinAmount(atomic(micros), rate, 6);
        const worth = (units: bigint) => units * rate;
        const due = micros * 10n ** 12n;
        expect(worth(amount)).toBeGreaterThanOrEqual(due);
        if (amount > 0n) expect(worth(amount - 1n)).toBeLessThan(due);
      }),
    );
  });

  it('refuses what does not fit into 64 bits', () => {
    expect(() => coinAmount(usd(1_000_000), 1n, 9)).toThrow(
      expect.objectContaining({ code: 'AMOUNT_INVALID' }),
    );
  });
});

it('base units have the decimals of the network', () => {
  expect(toBaseUnits(atomic(1n), { decimals: 9 }, { decimals: 18 })).toBe(1_000_000_000n);
  expect(toBaseUnits(atomic(5n), { decimals: 6 }, { decimals: 6 })).toBe(5n);
});
