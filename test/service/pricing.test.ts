import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Atomic, atomic, formatDecimal, parseDecimal } from '../../src/domain/money/money.ts';
import type { Product } from '../../src/domain/product/product.ts';
import { createRates, sandboxRates, UNITS_PER_USD } from '../../src/sandbox/rates.ts';
import { faceValueUsd, priceUsdc } from '../../src/service/catalog/pricing.ts';

const face = (text: string) => parseDecimal(text, 6);

function productIn(currency: string): Product {
  const brand = {
    brandId: 'b',
    name: 'Brand',
    family: 'Gift Cards',
    category: 'retail',
    kind: 'giftcard',
    countryCode: 'us',
    currency,
    isOutOfStock: false,
    minFaceValue: face('1'),
    maxFaceValue: face('100'),
  } as const;
  const denomination = { isRange: false, faceValue: face('1') } as const;
  return { productId: 'p', name: 'Brand 1', brand, denomination, label: '1' };
}

const priced = (value: string, currency: string, rates = sandboxRates, marginBps?: number) =>
  formatDecimal(
    priceUsdc(
      productIn(currency),
      face(value),
      rates,
      marginBps === undefined ? {} : { marginBps },
    ),
    6,
    2,
  );

describe('a price', () => {
  it('of 50 USD is 50.50 USDC, as in the sample of the interface', () => {
    expect(priced('50', 'USD')).toBe('50.50');
  });

  it.each([
    ['25', 'USD', '25.25'],
    ['0.01', 'USD', '0.0101'],
    ['0.000001', 'USD', '0.000002'],
    ['10', 'EUR', '11.477273'],
    ['1000', 'JPY', '6.917809'],
    ['100000', 'VND', '3.884616'],
    ['10', 'KWD', '33.006536'],
  ])('of %s %s is %s USDC, rounded up', (value, currency, price) => {
    expect(priced(value, currency)).toBe(price);
  });

  it('has the margin it is given, none included', () => {
    expect(priced('100', 'USD', sandboxRates, 0)).toBe('100.00');
    expect(priced('100', 'USD', sandboxRates, 250)).toBe('102.50');
  });

  it('follows the table of rates', () => {
    expect(priced('10', 'EUR', createRates({ EUR: '0.8' }), 0)).toBe('12.50');
  });

  it('is never below cost, and less than two millionths above it, in any currency', () => {
    const currencies = fc.constantFrom(...Object.keys(UNITS_PER_USD));
    const values = fc.bigInt({ min: 1n, max: 10n ** 12n }).map(atomic);
    fc.assert(
      fc.property(currencies, values, (currency, value: Atomic) => {
        const units = parseDecimal(UNITS_PER_USD[currency] ?? '', 6);
        const price = priceUsdc(productIn(currency), value, sandboxRates, { marginBps: 0 });
        // value / (units / 10^6) is the exact price: compare without dividing.
        const exact = value * 1_000_000n;
        expect(price * units >= exact).toBe(true);
        expect((price - 2n) * units < exact).toBe(true);
      }),
    );
  });

  it('in a currency without a rate is refused', () => {
    for (const currency of ['XAU', 'toString', '__proto__']) {
      expect(() => priced('1', currency)).toThrow(
        expect.objectContaining({
          code: 'CATALOG_INVALID',
          message: `Brand 1 is priced in ${currency}, which has no exchange rate`,
        }),
      );
    }
  });
});

it('the value in dollars is the face value without a margin', () => {
  expect(faceValueUsd(productIn('USD'), face('25'), sandboxRates)).toBe(25_000_000n);
  expect(faceValueUsd(productIn('EUR'), face('8.80'), sandboxRates)).toBe(10_000_001n);
});
