/** Countries and search results of other hosts: lists in their own shapes, and the fourth base address. */
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { listCountries } from '../../src/domain/product/countries.ts';
import { makeHome } from '../support/cli.ts';
import { json, openFrontHost } from '../support/front-host.ts';
import { skippingClock } from '../support/manual-clock.ts';
import { stdioClient } from '../support/mcp-client.ts';
import { cannedFetch, smallHost, smallSettings } from '../support/small-context.ts';

const home = makeHome();
const host = await openFrontHost('http://127.0.0.1:1');
const FLAGS = ['--checkout-url', host.url];
const MX = { code: 'mx', name: 'Mexico' };
const XK = { code: 'xk', name: 'Kosovo' };

/** What the program in this process makes of such answers. */
async function told(words: readonly string[], json: unknown, status = 200) {
  const lists = { '/api/available-countries': { status, json } };
  const { fetch } = cannedFetch(words[0] === 'countries' ? lists : { '/v2/search/US': json });
  const settings = smallSettings({ checkoutUrl: 'https://shop.example', json: true });
  const told = smallHost({
    settings,
    parts: { fetch, clock: skippingClock(), countries: async () => listCountries() },
  });
  const exit = await runProgram(words, told);
  const [stdout, stderr] = [told.stdout.text(), told.stderr.text()];
  return { exit, said: exit === 0 ? JSON.parse(stdout) : stderr };
}

describe('countries', () => {
  const pairs = [
    ['MX', 'Mexico'],
    ['XK', 'Kosovo'],
  ];
  const otherNames = [
    { iso2: 'MX', country_name: 'Mexico', currency_code: 'MXN' },
    { countryCode: 'xk', title: 'Kosovo' },
  ];
  const inLanguages = [
    { alpha_2: 'MX', alpha_3: 'MEX', name: { en: 'Mexico', es: 'México' } },
    ...[null, { name: 'Nowhere' }, { cca2: 'XK' }],
  ];
  const byCode = { MX: { name: 'Mexico', currency: 'MXN' }, XK: { label: 'Kosovo' } };
  const paid = { ...MX, currency: 'MXN' };

  it.each<[string, unknown, object]>([
    ['codes and names', [{ code: 'MX', name: 'Mexico' }, XK], MX],
    ['codes alone', ['MX', 'XK'], MX],
    ['pairs', pairs, MX],
    ['an object of names by code', { MX: 'Mexico', XK: 'Kosovo' }, MX],
    ['an object of objects by code', byCode, paid],
    ['other names of fields, in an object', { countries: otherNames }, paid],
    ['names in languages, and rows that say nothing', { data: { items: inLanguages } }, MX],
  ])('as %s', async (_name, body, first) => {
    expect((await told(['countries'], body)).said).toEqual([first, XK]);
  });

  it.each<[string, number, unknown]>([
    ['there is none', 404, { error: 'not_found' }],
    ['it is a page', 200, '<html>countries</html>'],
    ['nothing in it is a country', 200, { ok: true, version: 3 }],
    ['the host fails', 500, {}],
  ])('are those that this program knows where %s', async (_name, status, body) => {
    const { said: known } = await told(['countries'], body, status);
    expect(known.length).toBeGreaterThan(200);
    expect(known).toContainEqual(expect.objectContaining(paid));
    // Where this host sells is not known.
    expect(JSON.stringify(known)).not.toContain('is_sold');
  });

  it('are a fault where nobody answers', async () => {
    const gone = await home.failure(['countries', '--checkout-url', 'http://127.0.0.1:1']);
    expect(gone).toMatchObject({ status: 4, code: 'NETWORK_UNREACHABLE' });
  });
});

describe('the site', () => {
  const countries = (...more: readonly string[]) => home.run(['countries', ...FLAGS, ...more]);

  it('is the partner API without a word, and else what flag, variable or profile says', async () => {
    host.behave({ instead: () => json(200, [MX]) });
    const api = ['--api-url', `${host.url}/api-base`];
    await countries();
    await countries(...api);
    await countries(...api, '--site-url', `${host.url}/site`);
    const env = { SCRIP_SITE_URL: `${host.url}/by-variable` };
    await home.json(['countries', ...FLAGS], { env });
    await home.json(['profile', 'add', 'shop', ...FLAGS]);
    const value = `${host.url}/by-profile`;
    await home.json(['config', 'set', 'site_url', value, '--profile', 'shop']);
    await home.json(['countries', '--profile', 'shop']);
    expect(host.asked).toEqual(
      ['', '/api-base', '/site', '/by-variable', '/by-profile'].map(
        (base) => `GET ${base}/api/available-countries`,
      ),
    );
    const listed = await home.json(['config', 'list', '--profile', 'shop']);
    expect(listed).toContainEqual(
      expect.objectContaining({ key: 'site_url', value, source: 'profile' }),
    );
    host.behave({ instead: () => json(200, { error: 'no list' }) });
    const { status, stderr } = await countries();
    expect([status, stderr]).toEqual([0, expect.stringContaining('Could not read this host')]);
  });
});

describe('a search', () => {
  const SEARCH = ['search', 'amazn', '--country', 'us'];
  const WHOLE = {
    ...{ family: 'Gift Cards', brand_id: 'b1', brand: 'Amazon.com' },
    logo_url: 'https://shop.example/a.webp',
    ...{ category: 'retail', is_out_of_stock: false, country_code: 'US' },
    product_type: 'giftcard',
  };

  it.each<[string, unknown, unknown[]]>([
    ['the form of our own', { country_code: 'US', query: 'amazn', brands: [WHOLE] }, [WHOLE]],
    ['an array', [WHOLE], [WHOLE]],
    ['an object of results', { results: [WHOLE], total: 1 }, [WHOLE]],
    ['an object in an object', { data: { brands: [WHOLE] } }, [WHOLE]],
    ['an object by id', { b1: WHOLE }, [WHOLE]],
    ['an empty array', [], []],
    ['an object of no results', { results: [] }, []],
    ['an object in an object, of nothing', { data: { brands: [] } }, []],
  ])('that is %s', async (_name, body, found) => {
    expect((await told(SEARCH, body)).said).toEqual(found);
  });

  it('whose fields have other names, or are few', async () => {
    const hits = [
      { id: 7, name: 'Amazon.com', logo: '/logos/a.webp', in_stock: false, type: 'giftcard' },
      { brand_name: 'Netflix', product_name: 'Netflix 25' },
      { brand_name: 'Netflix', product_name: 'Netflix 50' },
      ...['Steam', { total: 3 }],
    ];
    const us = { country_code: 'US' };
    expect((await told(SEARCH, { hits })).said).toMatchObject([
      {
        ...us,
        brand: 'Amazon.com',
        brand_id: '7',
        is_out_of_stock: true,
        product_type: 'giftcard',
      },
      { ...us, brand: 'Netflix', brand_id: '', is_out_of_stock: false, product_type: '' },
      { ...us, brand: 'Steam', brand_id: '', is_out_of_stock: false, product_type: '' },
    ]);
    host.behave({ instead: () => json(200, { hits }) });
    const agent = await stdioClient(home, FLAGS);
    const { result } = await agent.call('searchProducts', { country_code: 'US', q: 'amazn' });
    expect(JSON.stringify(result)).toContain('Netflix');
  });

  it('of which nothing can be made is not of this interface', async () => {
    const refused = await told(SEARCH, { ok: true });
    expect([refused.exit, refused.said]).toEqual([
      4,
      expect.stringContaining('[MERCHANT_REPLY_INVALID]'),
    ]);
  });
});
