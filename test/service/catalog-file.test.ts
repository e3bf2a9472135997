import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { sandboxRates } from '../../src/sandbox/rates.ts';
import { loadCatalogFile } from '../../src/service/catalog/catalog-file.ts';
import { mutated } from '../support/mutation.ts';

const ID = '0b7c2f1e-5d0a-4c8e-9f0f-3a5f6d1c2b01';
const OTHER_ID = '0b7c2f1e-5d0a-4c8e-9f0f-3a5f6d1c2b02';

const fixed = { product_id: ID, face_value: '25' };
const range = { product_id: OTHER_ID, min_value: '5', max_value: '500', step_size: '5' };
const brand = { brand_name: 'Corner Books', country_code: 'us', category: 'retail' };

const fileOf = (...brands: readonly unknown[]) => JSON.stringify({ brands });

function issuesOf(text: string): unknown {
  try {
    loadCatalogFile(text, sandboxRates);
  } catch (error) {
    if (error instanceof ScripError && error.code === 'CATALOG_INVALID')
      return error.details.issues;
    throw error;
  }
  return [];
}

describe('the example of the documentation', () => {
  const text = readFileSync(new URL('../../docs/operate/catalog.md', import.meta.url), 'utf8');
  const example = /<!-- example -->\n```json\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  const catalog = loadCatalogFile(example, sandboxRates);

  it('sells in the countries of its brands and lists them all', () => {
    const sold = catalog.countries.filter(({ isSold }) => isSold);
    expect(sold.map(({ code }) => code)).toEqual(['br', 'us']);
    expect(catalog.countries).toHaveLength(233);
  });

  it('has a fixed and a range product, named and labelled where the file is silent', () => {
    const [one, any] = catalog.products('us');
    expect(one).toMatchObject({
      productId: ID,
      name: 'Corner Books 25 USD',
      label: '25 USD',
      denomination: { isRange: false, faceValue: 25_000_000n },
      brand: { family: 'Gift Cards', kind: 'giftcard', currency: 'USD', minFaceValue: 5_000_000n },
    });
    expect(any).toMatchObject({ name: 'Corner Books, any amount', label: '5-500 USD' });
    expect(catalog.product(OTHER_ID)).toBe(any);
  });

  it('takes kind and family of a top-up from its category', () => {
    expect(catalog.brands('br')).toMatchObject([
      { name: 'Telefonia Azul', kind: 'mobile_topup', family: 'Mobile Recharge', currency: 'BRL' },
    ]);
    expect(catalog.products('br')).toMatchObject([{ label: 'R$ 20' }]);
  });

  it('has another version when the file is another', () => {
    expect(loadCatalogFile(`${example} `, sandboxRates).version).not.toBe(catalog.version);
    expect(loadCatalogFile(example, sandboxRates).version).toBe(catalog.version);
  });

  it('names every category that there is', async () => {
    const { CATEGORIES } = await import('../../src/domain/product/categories.ts');
    expect(CATEGORIES.filter((category) => !text.includes(`\`${category}\``))).toEqual([]);
  });
});

const UNKNOWN = /"x" is unknown; it is one of .*games/;
const MISSPELT = /"gamez" is unknown; did you mean games\?/;

describe('a fault is named with its path', () => {
  const A_BRAND = 'brands[0]';
  const A_PRODUCT = 'brands[0].products[0]';
  const branded = (change: object) => fileOf({ ...brand, products: [fixed], ...change });
  const sold = (...products: readonly object[]) => fileOf({ ...brand, products });
  const rows: readonly (readonly [fault: string, text: string, path: string, message: RegExp])[] = [
    ['no JSON', '{', '$', /is not JSON: (?!SyntaxError)/],
    ['no object', '[]', '$', /must be an object/],
    ['no brands', '{}', 'brands', /is missing/],
    ['an empty list', '{"brands":[]}', 'brands', /not be empty/],
    ['an unknown field', branded({ x: 1 }), A_BRAND, /unknown field: x/],
    ['no products', sold(), `${A_BRAND}.products`, /not be empty/],
    ['a category nobody knows', branded({ category: 'x' }), `${A_BRAND}.category`, UNKNOWN],
    ['a category misspelt', branded({ category: 'gamez' }), `${A_BRAND}.category`, MISSPELT],
    [
      'an uppercase country',
      branded({ country_code: 'US' }),
      `${A_BRAND}.country_code`,
      /lowercase/,
    ],
    [
      'a country of no list',
      branded({ country_code: 'zz' }),
      `${A_BRAND}.country_code`,
      /scrip countries/,
    ],
    ['no rate', branded({ currency: 'XAU' }), `${A_BRAND}.currency`, /no rate for XAU/],
    ['a number', sold({ ...fixed, face_value: 25 }), `${A_PRODUCT}.face_value`, /must be text/],
    ['zero', sold({ ...fixed, face_value: '0.00' }), `${A_PRODUCT}.face_value`, /more than zero/],
    [
      'many decimals',
      sold({ ...fixed, face_value: '1.0000001' }),
      `${A_PRODUCT}.face_value`,
      /6 decimals/,
    ],
    [
      'an id that is no UUID',
      sold({ ...fixed, product_id: 'x' }),
      `${A_PRODUCT}.product_id`,
      /UUID/,
    ],
    ['fixed and range at once', sold({ ...range, face_value: '5' }), A_PRODUCT, /must be left out/],
    ['neither fixed nor range', sold({ product_id: ID }), A_PRODUCT, /needs a face_value/],
    [
      'upside down',
      sold({ ...range, max_value: '5' }),
      `${A_PRODUCT}.max_value`,
      /more than min_value/,
    ],
    [
      'steps past the end',
      sold({ ...range, step_size: '7' }),
      `${A_PRODUCT}.step_size`,
      /whole steps/,
    ],
    [
      'an id twice',
      sold(fixed, { ...fixed, face_value: '30' }),
      'brands[0].products[1].product_id',
      /at brands\[0\].products\[0\].product_id already/,
    ],
    [
      'a label twice',
      sold(fixed, { ...fixed, product_id: OTHER_ID }),
      'brands[0].products[1].denomination_label',
      /25 USD is at/,
    ],
    [
      'a brand twice',
      fileOf({ ...brand, products: [fixed] }, { ...brand, products: [range] }),
      'brands[1].brand_name',
      /Corner Books in us is at/,
    ],
  ];

  it.each(rows)('%s', (_fault, text, path, message) => {
    expect(issuesOf(text)).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  it('and every fault is, not the first alone', () => {
    const text = fileOf(
      { ...brand, category: 'x', products: [{ product_id: 'y' }] },
      { ...brand, products: [] },
    );
    expect(issuesOf(text)).toMatchObject([
      { path: 'brands[0].category' },
      { path: 'brands[0].products[0].product_id' },
      { path: 'brands[1].products' },
    ]);
    expect(() => loadCatalogFile(text, sandboxRates)).toThrow(
      /brands\[0\]\.category: .* \(and 2 more\)/,
    );
  });
});

it('any text gives a catalog or a CATALOG_INVALID, never another error', () => {
  const whole = { brands: [{ ...brand, products: [fixed, range] }] };
  const nearly = mutated(whole).map((document) => JSON.stringify(document) ?? '');
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), nearly), (text) => Array.isArray(issuesOf(text))),
    { numRuns: 500 },
  );
});
