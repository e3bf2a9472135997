import { expect, it } from 'vitest';
import { padCents } from '../../src/cli/amount.ts';

it.each([
  ['30.3', '30.30'],
  ['101', '101.00'],
  ['25.25', '25.25'],
  ['0.0002525', '0.0002525'],
  ['5.', '5.00'],
  ['not known', 'not known'],
  ['', ''],
])('%j as money is %j', (amount, shown) => expect(padCents(amount)).toBe(shown));
