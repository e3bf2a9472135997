/** Countries and search results of other hosts: lists in their own shapes, and the fourth base address. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { stdioClient } from '../support/mcp-client.ts';

let home: Home;
let server: Server;
let url: string;
let answer: (path: string) => { readonly status?: number; readonly body: unknown };
let asked: string[] = [];

beforeAll(async () => {
  home = makeHome();
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://host');
    asked.push(pathname);
    const { status = 200, body } = answer(pathname);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const flags = () => ['--checkout-url', url];

interface Country {
  readonly code: string;
  readonly name: string;
  readonly currency?: string;
  readonly is_sold?: boolean;
}
const countries = (more: readonly string[] = []) =>
  home.json<Country[]>(['countries', ...flags(), ...more]);

const MX = { code: 'mx', name: 'Mexico' };
const XK = { code: 'xk', name: 'Kosovo' };

describe('countries', () => {
  it.each<[string, unknown, readonly Country[]]>([
    ['codes and names', [{ code: 'MX', name: 'Mexico' }, XK], [MX, XK]],
    ['codes alone', ['MX', 'XK'], [MX, XK]],
    [
      'pairs',
      [
        ['MX', 'Mexico'],
        ['XK', 'Kosovo'],
      ],
      [MX, XK],
    ],
    ['an object of names by code', { MX: 'Mexico', XK: 'Kosovo' }, [MX, XK]],
    [
      'an object of objects by code',
      { MX: { name: 'Mexico', currency: 'MXN' }, XK: { label: 'Kosovo' } },
      [{ ...MX, currency: 'MXN' }, XK],
    ],
    [
      'other names of fields, in an object',
      {
        countries: [
          { iso2: 'MX', country_name: 'Mexico', currency_code: 'MXN' },
          { countryCode: 'xk', title: 'Kosovo' },
        ],
      },
      [{ ...MX, currency: 'MXN' }, XK],
    ],
    [
      'names in languages, and rows that say nothing',
      {
        data: {
          items: [
            { alpha_2: 'MX', alpha_3: 'MEX', name: { en: 'Mexico', es: 'México' } },
            null,
            { name: 'Nowhere' },
            { cca2: 'XK' },
          ],
        },
      },
      [MX, XK],
    ],
  ])('as %s', async (_name, body, expected) => {
    answer = () => ({ body });
    expect(await countries()).toEqual(expected);
  });

  it.each<[string, { readonly status?: number; readonly body: unknown }]>([
    ['there is none', { status: 404, body: { error: 'not_found' } }],
    ['it is a page', { body: '<html>countries</html>' }],
    ['nothing in it is a country', { body: { ok: true, version: 3 } }],
    ['the host fails', { status: 500, body: {} }],
  ])('are those that this program knows where %s', async (_name, reply) => {
    answer = () => reply;
    const known = await countries();
    expect(known.length).toBeGreaterThan(200);
    expect(known).toContainEqual(expect.objectContaining({ ...MX, currency: 'MXN' }));
    // Where this host sells is not known.
    expect(known.some((country) => country.is_sold !== undefined)).toBe(false);
    const told = await home.run(['countries', ...flags()]);
    expect([told.status, told.stderr]).toEqual([
      0,
      expect.stringContaining('Could not read this host'),
    ]);
  });

  it('are a fault where nobody answers', async () => {
    const gone = await home.run(['countries', '--checkout-url', 'http://127.0.0.1:1', '--json']);
    expect([gone.status, JSON.parse(gone.stderr).error.code]).toEqual([4, 'NETWORK_UNREACHABLE']);
  });
});

describe('the site', () => {
  const body = [MX];

  it('is the partner API without a word, and else what flag, variable or profile says', async () => {
    answer = () => ({ body });
    asked = [];
    await countries();
    await countries(['--api-url', `${url}/api-base`]);
    await countries(['--api-url', `${url}/api-base`, '--site-url', `${url}/site`]);
    const env = { SCRIP_SITE_URL: `${url}/by-variable` };
    await home.json(['countries', ...flags()], { env });
    await home.json(['profile', 'add', 'shop', ...flags()]);
    await home.json(['config', 'set', 'site_url', `${url}/by-profile`, '--profile', 'shop']);
    await home.json(['countries', '--profile', 'shop']);
    expect(asked).toEqual(
      ['', '/api-base', '/site', '/by-variable', '/by-profile'].map(
        (base) => `${base}/api/available-countries`,
      ),
    );
    const listed = await home.json<{ key: string; value: string; source: string }[]>([
      'config',
      'list',
      '--profile',
      'shop',
    ]);
    expect(listed.find(({ key }) => key === 'site_url')).toMatchObject({
      value: `${url}/by-profile`,
      source: 'profile',
    });
  });

  it('is an address, or refused', async () => {
    const refused = await home.run(['countries', '--site-url', 'ftp://x', '--json']);
    expect([refused.status, JSON.parse(refused.stderr).error.message]).toEqual([
      2,
      expect.stringContaining('--site-url'),
    ]);
  });
});

describe('a search', () => {
  const WHOLE = {
    family: 'Gift Cards',
    brand_id: 'b1',
    brand: 'Amazon.com',
    logo_url: 'https://shop.example/a.webp',
    category: 'retail',
    is_out_of_stock: false,
    country_code: 'US',
    product_type: 'giftcard',
  };
  const at = (body: unknown): void => {
    answer = (path) => ({ body: path.startsWith('/v2/search') ? body : [MX] });
  };

  it.each<[string, unknown]>([
    ['the form of our own', { country_code: 'US', query: 'amazn', brands: [WHOLE] }],
    ['an array', [WHOLE]],
    ['an object of results', { results: [WHOLE], total: 1 }],
    ['an object in an object', { data: { brands: [WHOLE] } }],
    ['an object by id', { b1: WHOLE }],
  ])('that is %s', async (_name, body) => {
    at(body);
    const found = await home.json(['search', 'amazn', '--country', 'us', ...flags()]);
    expect(found).toEqual([WHOLE]);
  });

  it('whose fields have other names, or are few', async () => {
    at({
      hits: [
        { id: 7, name: 'Amazon.com', logo: '/logos/a.webp', in_stock: false, type: 'giftcard' },
        { brand_name: 'Netflix', product_name: 'Netflix 25' },
        { brand_name: 'Netflix', product_name: 'Netflix 50' },
        'Steam',
        { total: 3 },
      ],
    });
    const words = ['search', 'amazn', '--country', 'us', ...flags()];
    const found = await home.json<Record<string, unknown>[]>(words);
    expect(
      found.map(({ brand, brand_id, is_out_of_stock, country_code, product_type }) => [
        brand,
        brand_id,
        is_out_of_stock,
        country_code,
        product_type,
      ]),
    ).toEqual([
      ['Amazon.com', '7', true, 'US', 'giftcard'],
      ['Netflix', '', false, 'US', ''],
      ['Steam', '', false, 'US', ''],
    ]);
    const agent = await stdioClient(home, flags());
    const { result } = await agent.call('searchProducts', { country_code: 'US', q: 'amazn' });
    await agent.close();
    expect(JSON.stringify(result)).toContain('Netflix');
  });

  it('that found nothing finds nothing', async () => {
    for (const body of [[], { results: [] }, { data: { brands: [] } }]) {
      at(body);
      expect(await home.json(['search', 'amazn', '--country', 'us', ...flags()])).toEqual([]);
    }
  });

  it('of which nothing can be made is not of this interface', async () => {
    at({ ok: true });
    const refused = await home.run(['search', 'a', '--country', 'us', ...flags(), '--json']);
    expect([refused.status, JSON.parse(refused.stderr).error.code]).toEqual([
      4,
      'MERCHANT_REPLY_INVALID',
    ]);
  });
});
