/** Lists in the forms that programs read: whole, or not at all. */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../../src/cli/program.ts';
import { hostThat } from '../../support/at-end.ts';
import { makeHome } from '../../support/cli.ts';
import { cannedFetch, smallHost } from '../../support/small-context.ts';

const BRANDS = Array.from({ length: 300 }, (_, index) => ({
  brand_name: index === 1 ? 'Left\u202eright }, {' : `Brand ${index}`,
  family: 'Gift Cards',
  category: index % 3 === 0 ? 'mobile_credits' : 'games',
  min: String(1 + (index % 40)),
  max: '100',
}));
const PRODUCTS = BRANDS.map(({ brand_name, min }, index) => ({
  product_id: `p-${index}`,
  brand_name,
  is_range: index % 2 === 0,
  price_usdc: 'variable',
  country_code: 'us',
  min_value: Number(min),
  max_value: 50,
}));
const COUNTRIES = [{ code: 'us', name: 'United States' }];

/** What the host does with a request for a list. */
let answer: (response: ServerResponse, path: string) => void;
const plain = (response: ServerResponse, path: string): void => {
  response.end(JSON.stringify(path === '/v1/brands' ? BRANDS : PRODUCTS));
};
const home = makeHome();
const url = await hostThat((request, response) => {
  const path = request.url?.split('?')[0] ?? '';
  if (path === '/api/available-countries') response.end(JSON.stringify(COUNTRIES));
  else answer(response, path);
});

const at = () => ['--checkout-url', url, '--api-url', url];
const lines = (text: string): unknown[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);

async function run(words: readonly string[], changed: Readonly<Record<string, unknown>> = {}) {
  const shop = { '/v1/brands': BRANDS, '/v1/catalog': PRODUCTS };
  const { fetch } = cannedFetch({ ...shop, '/api/available-countries': COUNTRIES, ...changed });
  const host = smallHost({ parts: { fetch } });
  const status = await runProgram(words, host);
  return { status, stdout: host.stdout.text(), stderr: host.stderr.text() };
}

describe('a list with --ndjson', () => {
  it.each([
    ['brands'],
    ['brands', '--kind', 'mobile_topup'],
    ['brands', '--min', '20', '--max', '30'],
    ['brands', '--limit', '7', '--kind', 'mobile_topup'],
    ['brands', '--sort', 'min'],
    ['brands', '--search', 'brand 7'],
    ['brands', '--category', 'games'],
    ['catalog', '--brand', 'any'],
    ['catalog', '--family', 'any', '--min', '20', '--limit', '5'],
  ])('has the records of the document: %s %s %s %s %s', async (...words) => {
    const args = [...words, '--country', 'us'];
    const { status, stdout, stderr } = await run([...args, '--ndjson']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const records: readonly unknown[] = JSON.parse((await run([...args, '--json'])).stdout);
    expect(records.length).toBeGreaterThan(0);
    expect(lines(stdout)).toEqual(records);
    expect(stdout).not.toContain('\u202e');
  });

  it.each([
    ['brands', '--country', 'zz', 'COUNTRY_UNKNOWN'],
    ['brands', '--country', 'us', 'COUNTRY_NOT_SOLD'],
    ['catalog', '--brand', 'any', 'BRAND_UNKNOWN'],
    ['catalog', '--family', 'any', 'FAMILY_UNKNOWN'],
  ])(
    'that is empty is the same error as in a document: %s %s %s',
    async (command, flag, value, code) => {
      const country = flag === '--country' ? [] : ['--country', 'us'];
      const words = [command, ...country, flag, value];
      const empty = { '/v1/brands': [], '/v1/catalog': [] };
      const [one, other] = [
        await run([...words, '--ndjson'], empty),
        await run([...words, '--json'], empty),
      ];
      expect(JSON.parse(one.stderr).error.code).toBe(code);
      expect(one).toEqual(other);
      expect(one.stdout).toBe('');
    },
  );
});

describe('a document of a list', () => {
  it('has every row once when the host breaks off in the midst of it', async () => {
    let asked = 0;
    answer = (response, path) => {
      asked += 1;
      if (asked > 1) return plain(response, path);
      response.write(JSON.stringify(BRANDS).slice(0, -30), () => response.destroy());
    };
    const brands = await home.json(['brands', '--country', 'us', ...at()]);
    expect(brands).toEqual(BRANDS);
    expect(asked).toBe(2);
  });

  it.concurrent.each(['--json', '--ndjson', '--csv'])(
    'is not begun when the host never ends it: %s',
    async (format) => {
      answer = (response) => {
        response.write(JSON.stringify(BRANDS).slice(0, -30), () => response.destroy());
      };
      const { status, stdout, stderr } = await home.run([
        ...['brands', '--country', 'us', format],
        ...at(),
      ]);
      expect({ status, stdout }).toEqual({ status: 4, stdout: '' });
      expect(stderr).toContain('NETWORK_UNREACHABLE');
    },
  );
});
