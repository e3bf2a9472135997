/** Lists, prices and checks of a product in words, in the country of the settings. */
import { describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';

const home = makeHome();
await home.json(['config', 'set', 'country', 'us']);

interface Named {
  readonly product_id: string;
  readonly brand_name: string;
  readonly brand: string;
}

async function refusedAs(words: readonly string[]) {
  const refused = await home.failure(words);
  expect(refused.stdout).toBe('');
  return refused;
}

describe('the country of the settings', () => {
  it.each([
    [['brands']],
    [['brands', '--via', 'partner']],
    [['catalog', 'steam']],
    [['price', 'amazon', '25']],
    [['search', 'amzon']],
    [['validate', 'amazon', '25', '--to', 'a@example.com']],
    [['vias']],
  ])('is that of scrip %s', async (words) => {
    const { status, stdout } = await home.run(words);
    expect([status, stdout === '']).toEqual([0, false]);
  });

  it('is missed where neither names one, and says how to keep it', async () => {
    const other = makeHome();
    const cart = 'product,to\n00000000-0000-4000-8000-000000000000,a@example.com\n';
    const { status, stderr } = await other.run(['validate', '--cart', '-'], { input: cart });
    expect([status, stderr]).toEqual([2, expect.stringContaining('config set country')]);
    expect((await other.run(['config', 'get', 'country'])).stdout.trim()).toBe('');
    await other.run(['config', 'set', 'country', 'us']);
    const unset = await other.run(['config', 'unset', 'country']);
    expect(unset.stdout).toContain('not set');
  });
});

describe('brands', () => {
  it('are searched by a word as by --search', async () => {
    const found = await home.json<Named[]>(['brands', 'steam']);
    expect(found).toEqual(await home.json(['brands', '--search', 'steam']));
    expect(found[0]?.brand_name).toBe('Steam');
    expect((await home.run(['brands', 'steam', '--search', 'uber'])).status).toBe(2);
  });
});

describe.each([
  ['the checkout host', [], 'brand_name'],
  ['the partner API', ['--via', 'partner'], 'brand'],
] as const)('a catalog of %s', (_name, via, field) => {
  const brandsOf = async (words: readonly string[]) =>
    new Set((await home.json<Named[]>(['catalog', ...words, ...via])).map((row) => row[field]));

  it('is that of the brand of exactly that name alone', async () => {
    expect(await brandsOf(['uber'])).toEqual(new Set(['Uber']));
    expect(await brandsOf(['uber', 'eats'])).toEqual(new Set(['Uber Eats']));
    expect(await home.json(['catalog', 'AMAZON', ...via])).toEqual(
      await home.json(['catalog', '--brand', 'Amazon.com', ...via]),
    );
  });

  it('has the products of all brands that are like the word', async () => {
    const brands = await brandsOf(['ama']);
    expect(brands.size).toBeGreaterThan(1);
    expect(brands).toContain('Amazon.com');
  });

  it('of nothing that is sold is refused with the line that lists what is', async () => {
    const { status, code, hint } = await refusedAs(['catalog', 'zzqqy', ...via]);
    expect([status, code]).toEqual([2, 'BRAND_UNKNOWN']);
    expect(hint).toMatch(/scrip brands --country us$/);
  });
});

describe.each([
  ['price', ['price']],
  ['price by the partner API', ['price', '--via', 'partner']],
  ['check', ['validate', '--to', 'a@example.com']],
] as const)('a %s', (_name, [verb, ...flags]) => {
  it('is that of the one product that the words name', async () => {
    const { status, stdout } = await home.run([verb, 'amazon', '25', ...flags]);
    expect([status, stdout]).toEqual([0, expect.stringContaining('Amazon.com')]);
    expect(stdout).toContain('25.25 USDC');
  });

  it('of several is refused with lines that can be run', async () => {
    const { status, code, details, hint } = await refusedAs([verb, 'amazon', ...flags]);
    expect([status, code]).toEqual([2, 'PRODUCT_AMBIGUOUS']);
    const [first, ...others] = details.products;
    expect(others.length).toBeGreaterThan(2);
    expect(hint).toContain(`scrip ${verb} ${first?.product_id}`);
    const lines = hint.split('\n').map((line) => line.replace(/^.*: scrip /, '').split(' '));
    for (const line of [lines[0], lines.at(-1)]) {
      expect((await home.run(line ?? [])).status, line?.join(' ')).toBe(0);
    }
  });
});

it('says how many more products match than it names', async () => {
  const { details, hint } = await refusedAs(['price', 'a']);
  expect(details.products).toHaveLength(10);
  expect(hint).toMatch(/\nAnd \d+ more; a longer name matches fewer\.$/);
});

it.each([
  [['price']],
  [['show']],
  [['order', '--yes', '--max-amount', '20', '--to', 'a@example.com']],
])(
  'a value off the step is refused with the nearest ones by scrip %s',
  async ([verb = '', ...flags]) => {
    const { code, details, hint } = await refusedAs([verb, 'xbox', '12', ...flags]);
    expect(code).toBe('VALUE_OFF_STEP');
    expect(details.products.map(({ face_value }: { face_value: string }) => face_value)).toEqual([
      '10',
      '15',
    ]);
    for (const value of [10, 15])
      expect(hint).toMatch(new RegExp(`: scrip ${verb} \\S+ ${value}\\b`));
  },
);
