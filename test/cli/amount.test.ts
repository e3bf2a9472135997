import { expect, it } from 'vitest';
import { dueText, heldText, padCents, priceText } from '../../src/domain/money/shown-amount.ts';

it.each([
  ['30.3', '30.30'],
  ['101', '101.00'],
  ['25.25', '25.25'],
  ['0.0002525', '0.0002525'],
  ['5.', '5.00'],
  ['not known', 'not known'],
  ['', ''],
])('%j as money is %j', (amount, shown) => expect(padCents(amount)).toBe(shown));

it.each([
  ['411.758637', 'USDC', '411.76', '411.76', '411.75'],
  ['5.872094', 'USDC', '5.87', '5.88', '5.87'],
  ['56.372094', 'USDC', '56.37', '56.38', '56.37'],
  ['0.125', 'USDC', '0.13', '0.13', '0.12'],
  ['25.25', 'USDC', '25.25', '25.25', '25.25'],
  ['0.999999', 'USDT', '1.00', '1.00', '0.99'],
  ['0.0002525', 'BTC', '0.0002525', '0.0002525', '0.0002525'],
  ['7', 'SOL', '7.00', '7.00', '7.00'],
  ['many', 'USDC', 'many', 'many', 'many'],
  ['01.234', 'USDC', '01.234', '01.234', '01.234'],
])('%j %s is %j as a price, %j where it is due, %j where it is held', (amount, coin, ...shown) => {
  const texts = [priceText, dueText, heldText].map((text) => text(amount, coin));
  expect(texts).toEqual(shown);
});
