import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import {
  atomic,
  checkThousands,
  formatDecimal,
  parseAtomic,
  parseDecimal,
  scaleUp,
  withoutThousands,
} from '../../src/domain/money/money.ts';

const U64_MAX = 2n ** 64n - 1n;
const invalid = expect.objectContaining({ code: 'AMOUNT_INVALID' });
const amounts = fc.bigInt({ min: 0n, max: U64_MAX }).map(atomic);

describe('an amount', () => {
  it.each([0n, 1n, U64_MAX])('may be %s', (value) => {
    expect(atomic(value)).toBe(value);
  });

  it.each([-1n, U64_MAX + 1n])('may not be %s', (value) => {
    expect(() => atomic(value)).toThrow(invalid);
  });
});

describe('atomic units', () => {
  it.each([
    ['0', 0n],
    ['50500000', 50_500_000n],
    ['18446744073709551615', U64_MAX],
  ])('%s are read', (text, value) => {
    expect(parseAtomic(text)).toBe(value);
  });

  it.each([
    '',
    ' ',
    '+5',
    '-5',
    '05',
    '5.0',
    '0x5',
    '5e3',
    ' 5',
    '5n',
    '٥',
    '18446744073709551616',
  ])('"%s" are refused', (text) => {
    expect(() => parseAtomic(text)).toThrow(invalid);
  });
});

describe('an amount that a person writes', () => {
  it.each(['1.000', '25.125', '100.000', ' 1.000 '])('"%s" may mean thousands', (text) => {
    expect(() => checkThousands(text)).toThrow(invalid);
    expect(() => checkThousands(withoutThousands(text.trim()))).not.toThrow();
  });

  it.each(['1000', '1.0000', '1.00', '0.125', '1000.125', '25.5'])('"%s" cannot', (text) => {
    expect(() => checkThousands(text)).not.toThrow();
    expect(withoutThousands(text)).toBe(text);
  });
});

describe('a decimal', () => {
  it.each([
    ['25', 6, 25_000_000n],
    ['25.50', 6, 25_500_000n],
    ['0.000001', 6, 1n],
    ['25.5000000000', 6, 25_500_000n],
    ['7', 0, 7n],
    ['7.000', 0, 7n],
  ])('%s of %i decimals is read', (text, decimals, value) => {
    expect(parseDecimal(text, decimals)).toBe(value);
  });

  it.each(['', '.', '.5', '5.', '05', '1,5', '1_000', '1e3', '-1', '+1', 'Infinity', 'NaN', '1 '])(
    '"%s" is refused',
    (text) => {
      expect(() => parseDecimal(text, 6)).toThrow(invalid);
    },
  );

  it('with more decimals than the asset has is refused, never rounded', () => {
    expect(() => parseDecimal('0.0000001', 6)).toThrow(/more than 6 decimals/);
  });

  it('is written with at least the places asked for, and no more than it needs', () => {
    expect(formatDecimal(atomic(25_500_000n), 6)).toBe('25.5');
    expect(formatDecimal(atomic(25_500_000n), 6, 2)).toBe('25.50');
    expect(formatDecimal(atomic(25_000_000n), 6)).toBe('25');
    expect(formatDecimal(atomic(1n), 6, 2)).toBe('0.000001');
    expect(formatDecimal(atomic(7n), 0)).toBe('7');
  });

  it('is what it was after it was written and read', () => {
    const texts = fc.record({
      amount: fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }).map(atomic),
      decimals: fc.integer({ min: 0, max: 9 }),
      places: fc.integer({ min: 0, max: 9 }),
    });
    fc.assert(
      fc.property(texts, ({ amount, decimals, places }) => {
        expect(parseDecimal(formatDecimal(amount, decimals, places), decimals)).toBe(amount);
      }),
    );
  });

  it('is an amount or an AMOUNT_INVALID, whatever the text', () => {
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^[0-9.eE+-]{0,30}$/));
    fc.assert(
      fc.property(texts, (text) => {
        try {
          return parseDecimal(text, 6) >= 0n;
        } catch (error) {
          return error instanceof ScripError && error.code === 'AMOUNT_INVALID';
        }
      }),
    );
  });
});

describe('a product with a fraction', () => {
  it('is rounded up to the next unit, and not when it is whole', () => {
    expect(scaleUp(atomic(100n), 101n, 100n)).toBe(101n);
    expect(scaleUp(atomic(1n), 1n, 3n)).toBe(1n);
    expect(scaleUp(atomic(0n), 1n, 3n)).toBe(0n);
  });

  it('is never below the exact value and less than one unit above it', () => {
    const factors = fc.bigInt({ min: 1n, max: 10n ** 9n });
    fc.assert(
      fc.property(amounts, factors, (amount, factor) => {
        const scaled = scaleUp(amount, factor, 10n ** 9n);
        const exact = amount * factor;
        expect(scaled * 10n ** 9n >= exact).toBe(true);
        expect((scaled - 1n) * 10n ** 9n < exact || scaled === 0n).toBe(true);
      }),
    );
  });

  it('over 64 bits is refused', () => {
    expect(() => scaleUp(atomic(U64_MAX), 2n, 1n)).toThrow(invalid);
  });
});
