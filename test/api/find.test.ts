import { describe, expect, it } from 'vitest';
import { checkoutCatalog } from '../../src/api/checkout/checkout-catalog.ts';
import { findProducts } from '../../src/api/find.ts';
import type { ScripDeps } from '../../src/api/scrip.ts';
import type { Fetch } from '../../src/contract/fetch.ts';
import { skippingClock } from '../support/manual-clock.ts';
import { jsonReply } from '../support/scripted-fetch.ts';

const BRANDS = [
  { brand_name: 'Uber', family: 'Gift Cards', category: 'travel' },
  { brand_name: 'Uber Eats', family: 'Gift Cards', category: 'food' },
  { brand_name: 'Claro', family: 'Mobile Recharge', category: 'mobile_credits' },
  { brand_name: 'eSIM', family: 'eSIM', category: 'e-sim' },
];

const fixed = (id: string, brand: string, value: number, currency = 'USD') => ({
  product_id: id,
  brand_name: brand,
  denomination_label: `${value} ${currency}`,
  currency,
  is_range: false,
  // Of another currency it is not the value of the product.
  face_value_usd: currency === 'USD' ? value : 9.5,
  price_usdc: '1.00',
  country_code: 'us',
  type: 'giftcard',
});
const range = {
  product_id: 'uber-range',
  product_name: 'Uber 5-100 USD',
  brand_name: 'Uber',
  currency: 'USD',
  is_range: true,
  min_value: '5',
  max_value: 100,
  price_usdc: 'variable',
  country_code: 'us',
};
/** A plan: the number that its label begins with is of gigabytes. */
const plan = {
  ...fixed('sim-1', 'eSIM', 7),
  product_name: 'eSIM 1 GB 7 days',
  denomination: '7 USD',
  denomination_label: '1 GB 7 days',
  type: 'esim',
};
const { face_value_usd: _, ...bundle } = {
  ...fixed('claro-2', 'Claro', 3, 'BRL'),
  denomination: '15 BRL',
  denomination_label: '2 GB 7 days',
};
const PRODUCTS = [
  range,
  plan,
  bundle,
  fixed('uber-25', 'Uber', 25),
  fixed('eats-25', 'Uber Eats', 25),
  fixed('m-50', 'Claro', 50, 'BRL'),
];

/** A host that sells these, and tells what it was asked. */
function shop() {
  const asked: string[] = [];
  const fetch: Fetch = async (address) => {
    const { pathname, search, searchParams } = new URL(address);
    asked.push(`${pathname}${search}`);
    if (pathname === '/v1/brands') return jsonReply(200, BRANDS);
    const brand = searchParams.get('brand_name');
    const family = searchParams.get('family_name');
    const ofFamily = BRANDS.filter((one) => one.family === family).map((one) => one.brand_name);
    const isAsked = ({ brand_name }: { readonly brand_name: string }) =>
      brand_name === brand || ofFamily.includes(brand_name);
    return jsonReply(200, PRODUCTS.filter(isAsked));
  };
  const place = { checkoutUrl: 'https://shop.example', siteUrl: 'https://shop.example' };
  // All that lists are asked with.
  const deps = { fetch, place, clock: skippingClock(), toldIn: 'en', countries: async () => [] };
  const catalog = checkoutCatalog(deps as unknown as ScripDeps);
  const find = (words: string, value?: string) =>
    findProducts(catalog, { words, country: 'us', value });
  return { asked, find };
}

const idsOf = (found: readonly { readonly product: { readonly id: string } }[]) =>
  found.map(({ product }) => product.id);

describe('a product that is found by words', () => {
  it('is one of the brand of exactly that name: the fixed one of the value, then the range', async () => {
    const { asked, find } = shop();
    expect(idsOf(await find('uber', '25'))).toEqual(['uber-25', 'uber-range']);
    expect(asked).toEqual([
      '/v1/brands?country_code=us',
      '/v1/catalog?country_code=us&brand_name=Uber',
    ]);
  });

  it('tells what it is, whatever the host leaves out', async () => {
    const [named] = await shop().find('uber eats');
    expect(named).toMatchObject({
      isExact: true,
      product: {
        id: 'eats-25',
        name: 'Uber Eats 25 USD',
        brand: 'Uber Eats',
        countryCode: 'us',
        kind: 'giftcard',
        currency: 'USD',
        isRange: false,
        values: { min: 25_000_000n, max: 25_000_000n },
        price: '1.00',
      },
    });
    const [, open] = await shop().find('uber', '25');
    expect(open?.product).toMatchObject({ kind: undefined, price: undefined, isRange: true });
  });

  it('has its value in its own currency', async () => {
    expect(idsOf(await shop().find('claro', '50'))).toEqual(['m-50']);
    expect(idsOf(await shop().find('claro', '9.5'))).toEqual([]);
  });

  it('has the value of money, not of gigabytes, where its label names a plan', async () => {
    expect(idsOf(await shop().find('esim', '7'))).toEqual(['sim-1']);
    expect(idsOf(await shop().find('esim', '1'))).toEqual([]);
    expect(idsOf(await shop().find('claro', '15'))).toEqual(['claro-2']);
    expect(idsOf(await shop().find('claro', '2'))).toEqual([]);
  });

  it('is found by its id alone, in whatever family it is', async () => {
    const { asked, find } = shop();
    expect(await find('M-50')).toMatchObject([{ isExact: true, product: { id: 'm-50' } }]);
    expect(asked.at(-1)).toBe('/v1/catalog?country_code=us&family_name=Mobile%20Recharge');
  });

  it('is not looked for by a word that no id can be', async () => {
    const { asked, find } = shop();
    expect(await find('nothing')).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it('is not looked for at a value that is none', async () => {
    const { asked, find } = shop();
    await expect(find('uber', '25 USD')).rejects.toMatchObject({ code: 'AMOUNT_INVALID' });
    expect(asked).toEqual([]);
  });
});
