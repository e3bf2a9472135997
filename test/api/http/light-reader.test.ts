import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readRows, rowReaderOf } from '../../../src/api/http/light-reader.ts';
import { brand, catalogItem, getBrands, getCatalog } from '../../../src/contract/checkout.ts';
import { endpoint, lazy } from '../../../src/contract/endpoint.ts';
import { getAvailableCountries } from '../../../src/contract/site.ts';
import { fuzzRuns } from '../../support/fuzz.ts';

type Schema = ReturnType<typeof getBrands.output | typeof getCatalog.output>;

const BRAND = { brand_name: 'Amazon.com', family: 'Gift Cards', category: 'shopping' };
const ITEM = {
  product_id: 'p1',
  brand_name: 'Steam',
  is_range: true,
  face_value_usd: 25,
  price_usdc: 'variable',
  country_code: 'us',
  min_value: '5.50',
};

/** What the hand finds; undefined where it leaves the list to the schema. */
function read(schema: Schema, json: unknown): unknown {
  const reader = rowReaderOf(schema);
  return reader === undefined ? undefined : readRows(reader, json);
}

/** Reading by hand gives what the schema gives, or nothing at all. */
function expectNothingElse(schema: Schema, json: unknown): void {
  const rows = read(schema, json);
  const checked = schema.safeParse(json);
  if (rows === undefined) return;
  expect(checked.success).toBe(true);
  expect(JSON.stringify(rows)).toBe(JSON.stringify(checked.data));
}

/** Rows that are right, with a few fields put wrong, left out or added. */
function rowsLike(row: Readonly<Record<string, unknown>>): fc.Arbitrary<unknown> {
  const names = [...Object.keys(row), 'min', 'max', 'type', 'currency', 'other', '__proto__'];
  const change = fc.tuple(
    fc.constantFrom(...names),
    fc.oneof(fc.jsonValue(), fc.constant(undefined)),
  );
  const changed = fc.array(change, { maxLength: 2 }).map((changes) => {
    const fields = Object.entries(row)
      .concat(changes)
      .filter(([, value]) => value !== undefined);
    // As it comes from a body, where `__proto__` is a field like any other.
    const body = fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    return JSON.parse(`{${body.join(',')}}`) as unknown;
  });
  return fc.array(fc.oneof({ weight: 9, arbitrary: changed }, fc.jsonValue()), { maxLength: 6 });
}

describe('a list that is read by hand', () => {
  it.each<[string, Schema, Readonly<Record<string, unknown>>]>([
    ['brands', getBrands.output(), BRAND],
    ['products', getCatalog.output(), ITEM],
  ])('has what the schema finds in it, whatever comes: %s', (_name, schema, row) => {
    fc.assert(
      fc.property(fc.oneof(rowsLike(row), fc.jsonValue()), (json) =>
        expectNothingElse(schema, json),
      ),
      { numRuns: fuzzRuns(500) },
    );
  });

  it('drops fields that the schema does not name', () => {
    const rows = read(getBrands.output(), [{ ...BRAND, min: '5', secret: 1 }, BRAND]);
    expect(rows).toEqual([{ ...BRAND, min: '5' }, BRAND]);
    expect(read(getCatalog.output(), [ITEM])).toEqual([ITEM]);
  });

  it.each(Object.keys(brand().shape))('is left to the schema when %s is a number', (name) => {
    expect(read(getBrands.output(), [BRAND, { ...BRAND, [name]: 7 }])).toBeUndefined();
  });

  it.each(Object.keys(catalogItem().shape))('is left to the schema when %s is a list', (name) => {
    expect(read(getCatalog.output(), [ITEM, { ...ITEM, [name]: [] }])).toBeUndefined();
  });

  it.each(['brand_name', 'family', 'category'])('is left to the schema without %s', (name) => {
    const { [name]: _gone, ...rest } = { ...BRAND } as Record<string, unknown>;
    expect(read(getBrands.output(), [rest])).toBeUndefined();
  });
});

const ruled = (element: z.ZodType) =>
  rowReaderOf(
    endpoint({
      name: 'ruled',
      surface: 'checkout',
      method: 'GET',
      path: '/ruled',
      summary: '',
      input: lazy(() => z.object({})),
      output: lazy(() => z.array(element)),
    }).output(),
  );

describe('a rule of a schema', () => {
  it.each<[string, z.ZodType]>([
    ['strict', z.strictObject({ a: z.string() })],
    ['loose', z.looseObject({ a: z.string() })],
    ['refined', z.object({ a: z.string() }).refine(() => false)],
    ['no object', z.string()],
  ])('about whole rows leaves the list to the schema: %s', (_name, element) => {
    expect(ruled(element)).toBeUndefined();
  });

  it.each<[string, z.ZodType, unknown]>([
    ['a least length', z.string().min(3), 'ab'],
    ['a format', z.email(), 'nobody'],
    ['a trim', z.string().trim(), ' a '],
    ['a default', z.string().default('x'), undefined],
    ['null', z.string().nullable(), 5],
    [
      'an optional with a rule',
      z
        .string()
        .optional()
        .refine(() => false),
      'a',
    ],
    ['a literal', z.enum(['a']), 'b'],
    ['a coercion', z.coerce.string(), 5],
    ['a transformation', z.string().transform((text) => text.length), 'a'],
  ])('about a field is asked of the schema: %s', (_name, field, value) => {
    const reader = ruled(z.object({ a: field }));
    expect(reader?.(value === undefined ? {} : { a: value })).toBeUndefined();
  });

  it('reads the countries, whose list has rules of its own, as the schema does', () => {
    const schema = getAvailableCountries.output();
    const json = [{ code: 'US', name: 'United States' }, { code: 'USA' }];
    const reader = rowReaderOf(schema);
    expect(reader === undefined || readRows(reader, json) === undefined).toBe(true);
  });
});
