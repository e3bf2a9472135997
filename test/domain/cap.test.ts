/** The maximum that may be signed: to the smallest unit. */
import { describe, expect, it } from 'vitest';
import { t } from '../../src/domain/message/message.ts';
import { capFor, checkCap, defaultCap, defaultCapText } from '../../src/domain/money/cap.ts';
import { atomic } from '../../src/domain/money/money.ts';

const over = () => ({ message: t`too much` });

describe('the maximum where the user names none', () => {
  it.each([
    [10_000_000n, 6, 10_050_000n, '10.05'],
    [25_250_000n, 6, 25_380_000n, '25.38'],
    [1n, 6, 10_000n, '0.01'],
    [0n, 6, 0n, '0.00'],
    // 0.5 % more, rounded up to the unit, and shown to the next hundredth.
    [1_000_000_000n, 9, 1_005_000_000n, '1.01'],
    [1n, 9, 2n, '0.01'],
    [100n, 0, 101n, '101'],
    [10n, 1, 11n, '1.1'],
  ])('is for %s of %i decimals %s', (price, decimals, cap, text) => {
    expect(defaultCap(atomic(price), decimals)).toBe(cap);
    expect(defaultCapText(atomic(price), decimals)).toMatch(text);
    expect(capFor({ priceAtomic: atomic(price), decimals }, undefined, over)).toBe(cap);
  });
});

describe('the maximum that the user names', () => {
  const price = { priceAtomic: atomic(25_250_000n), decimals: 6 };

  it('may be exactly the price, and no less', () => {
    expect(capFor(price, '25.25', over)).toBe(25_250_000n);
    expect(() => capFor(price, '25.249999', over)).toThrow(
      expect.objectContaining({ code: 'AMOUNT_OVER_CAP' }),
    );
  });

  it('is what an amount is held to', () => {
    expect(() => checkCap(5n, 5n, over)).not.toThrow();
    expect(() => checkCap(6n, 5n, over)).toThrow(
      expect.objectContaining({ code: 'AMOUNT_OVER_CAP' }),
    );
  });
});
