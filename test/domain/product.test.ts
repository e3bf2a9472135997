import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atomic, parseDecimal } from '../../src/domain/money/money.ts';
import {
  acceptFaceValue,
  type Brand,
  type Denomination,
  describeRange,
  formatFaceValue,
  goodsName,
  type Product,
} from '../../src/domain/product/product.ts';

const face = (text: string) => parseDecimal(text, 6);

const BRAND: Brand = {
  brandId: 'b',
  name: 'Amazon.com',
  family: 'Gift Cards',
  category: 'e-commerce',
  kind: 'giftcard',
  countryCode: 'us',
  currency: 'USD',
  isOutOfStock: false,
  minFaceValue: face('5'),
  maxFaceValue: face('500'),
};

const of = (denomination: Denomination): Product => ({
  productId: 'p',
  name: 'Amazon.com gift card',
  brand: BRAND,
  denomination,
  label: 'x',
});
const fixed = of({ isRange: false, faceValue: face('25') });
const range = of({ isRange: true, min: face('5'), max: face('500'), step: face('2.5') });

describe('a fixed product', () => {
  it('is bought at its own value, named or not', () => {
    expect(acceptFaceValue(fixed, undefined)).toBe(25_000_000n);
    expect(acceptFaceValue(fixed, '25')).toBe(25_000_000n);
    expect(acceptFaceValue(fixed, '25.00')).toBe(25_000_000n);
  });

  it('refuses any other value and says its own', () => {
    expect(() => acceptFaceValue(fixed, '30')).toThrow(
      expect.objectContaining({
        code: 'VALUE_NOT_ALLOWED',
        message: 'Amazon.com gift card has the fixed face value 25 USD, not 30',
      }),
    );
  });

  it('has no range to describe', () => {
    expect(describeRange(fixed)).toEqual('');
  });
});

describe('a range product', () => {
  it.each(['5', '7.5', '7.50', '500'])('takes %s', (value) => {
    expect(acceptFaceValue(range, value)).toBe(face(value));
  });

  const bounds = '5 to 500 USD in steps of 2.50';
  it.each([
    [undefined, 'VALUE_REQUIRED', `Amazon.com gift card needs a face value: ${bounds}`],
    ['4.99', 'VALUE_OUT_OF_RANGE', `4.99 is outside the range of Amazon.com gift card: ${bounds}`],
    [
      '500.01',
      'VALUE_OUT_OF_RANGE',
      `500.01 is outside the range of Amazon.com gift card: ${bounds}`,
    ],
    ['0', 'VALUE_OUT_OF_RANGE', `0 is outside the range of Amazon.com gift card: ${bounds}`],
    ['6', 'VALUE_OFF_STEP', `6 is not a multiple of the step of Amazon.com gift card: ${bounds}`],
    ['-5', 'AMOUNT_INVALID', '"-5" is not a plain decimal number such as 25 or 25.50'],
    ['1e2', 'AMOUNT_INVALID', '"1e2" is not a plain decimal number such as 25 or 25.50'],
    ['5.0000001', 'AMOUNT_INVALID', '"5.0000001" has more than 6 decimals'],
  ])('given %s says %s', (chosen, code, message) => {
    expect(() => acceptFaceValue(range, chosen)).toThrow(
      expect.objectContaining({ code, message }),
    );
  });

  it('takes exactly the values from its minimum to its maximum on its step', () => {
    const values = fc.bigInt({ min: 0n, max: 600_000_000n });
    fc.assert(
      fc.property(values, (value) => {
        const text = formatFaceValue(atomic(value));
        const isOnStep = value >= 5_000_000n && value <= 500_000_000n && value % 2_500_000n === 0n;
        let accepted: bigint | undefined;
        try {
          accepted = acceptFaceValue(range, text);
        } catch {
          accepted = undefined;
        }
        expect(accepted).toBe(isOnStep ? value : undefined);
      }),
    );
  });
});

it('face values are written as people do', () => {
  const written = ['25', '25.5', '0.01', '1000', '12.345678'].map((text) =>
    formatFaceValue(face(text)),
  );
  expect(written).toEqual(['25', '25.50', '0.01', '1000', '12.345678']);
});

describe('what was bought is called', () => {
  it.each([
    ['Amazon.com 1-2000 USD', '25', 'USD', 'Amazon.com 25 USD'],
    ['Amazon.com 1.50–2,000.00 USD', '25.50', 'USD', 'Amazon.com 25.50 USD'],
    ['Movistar 5 to 100 EUR', '10', 'EUR', 'Movistar 10 EUR'],
    ['Amazon.com 30', '30', 'USD', 'Amazon.com 30 USD'],
    ['Amazon.com 1-2000 USD and 3 more', '25', 'USD', 'Amazon.com 25 USD and 3 more'],
    ['Amazon.com 25 USD', '25', 'USD', 'Amazon.com 25 USD'],
    ['Amazon.com 25 USD', '25 USD', 'USD', 'Amazon.com 25 USD'],
    ['Roblox 10-20', '15', 'USD', 'Roblox 10-20'],
    ['Travel eSIM 5 GB, 7-30 days', '9', 'USD', 'Travel eSIM 5 GB, 7-30 days'],
    ['Amazon.com 1-2000 USD', '', 'USD', 'Amazon.com 1-2000 USD'],
    ['1-2000 USD', '25', 'USD', '1-2000 USD'],
  ])('%j at %j %s: %j', (name, faceValue, currency, called) => {
    expect(goodsName({ name, faceValue, currency })).toBe(called);
  });

  it('as the merchant calls it, whatever that is, where it states no bounds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.string(), (name, value, coin) => {
        fc.pre(!/\d/.test(name));
        expect(goodsName({ name, faceValue: value, currency: coin })).toBe(name);
      }),
    );
  });
});
