import { expect, it } from 'vitest';
import { readTolerantly } from '../../../src/api/http/tolerant.ts';
import { getBrands } from '../../../src/contract/checkout.ts';

const ROWS = 20_000;

it('a long list whose every row breaks two rules keeps all its rows, without those fields', () => {
  const row = { brand_name: 'One', family: 'Gift Cards', category: 'games' };
  const broken = Array.from({ length: ROWS }, () => ({ ...row, min: {}, max: [] }));
  const reading = readTolerantly(getBrands.output(), broken);
  expect(reading).toEqual({ isValid: true, value: broken.map(() => row) });
});

it('a required field of one row makes it invalid, and is named', () => {
  const reading = readTolerantly(getBrands.output(), [{ brand_name: 'One', min: {} }]);
  expect(reading).toMatchObject({ isValid: false, problem: expect.stringMatching(/^0\./) });
});
