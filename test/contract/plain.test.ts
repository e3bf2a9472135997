import fc from 'fast-check';
import { expect, it } from 'vitest';
import { getBrands } from '../../src/contract/checkout.ts';
import {
  type PlainShape,
  plainSchema,
  readPlain,
  readPlainRows,
} from '../../src/contract/plain.ts';

const SHAPE = {
  name: 'text',
  note: 'text?',
  code: { pattern: /^[a-z]{2}$/, rule: 'two letters' },
} as const satisfies PlainShape;

const text = fc.oneof(fc.constantFrom('us', 'US', '', 'usa'), fc.string());
const field = fc.oneof({ weight: 4, arbitrary: text }, fc.jsonValue(), fc.constant(undefined));
const row = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record(
      { name: field, note: field, code: field, other: field },
      { requiredKeys: [] },
    ),
  },
  fc.jsonValue(),
);

it('what is read of a plain object is what its schema gives, or nothing', () => {
  const schema = plainSchema(SHAPE);
  fc.assert(
    fc.property(row, (value) => {
      expect(readPlain(SHAPE, value)).toEqual(schema.safeParse(value).data);
    }),
  );
});

it('a list is read when every row of it can be', () => {
  const { row: shape } = getBrands.plain ?? expect.fail();
  const brand = { brand_name: 'One', family: 'Gift Cards', category: 'games', min: '5' };
  expect(readPlainRows(shape, [{ ...brand, more: 1 }, brand])).toEqual([brand, brand]);
  expect(readPlainRows(shape, [])).toEqual([]);
  for (const amiss of [brand, null, [brand, null], [{ ...brand, min: 5 }], [[brand]]]) {
    expect(readPlainRows(shape, amiss)).toBeUndefined();
  }
});
