import { expect, it } from 'vitest';
import { dueText, heldText, padCents } from '../../src/domain/shown-amount.ts';

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
  ['411.758637', 'USDC', '411.76', '411.75'],
  ['25.25', 'USDC', '25.25', '25.25'],
  ['0.999999', 'USDT', '1.00', '0.99'],
  ['0.0002525', 'BTC', '0.0002525', '0.0002525'],
  ['7', 'SOL', '7.00', '7.00'],
  ['many', 'USDC', 'many', 'many'],
  ['01.234', 'USDC', '01.234', '01.234'],
])('%j %s is shown as %j where it is due, as %j where it is held', (amount, coin, due, held) => {
  expect([dueText(amount, coin), heldText(amount, coin)]).toEqual([due, held]);
});
