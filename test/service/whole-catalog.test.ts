/** The routes over the catalog that the sandbox sells from: all of it parses, prices and can be ordered. */
import { describe, expect, it } from 'vitest';
import {
  getBrands,
  getCatalog,
  type WireBrand,
  type WireCatalogItem,
} from '../../src/contract/checkout.ts';
import { createGeneratedCatalog } from '../../src/sandbox/catalog/generated.ts';
import { sandboxRates } from '../../src/sandbox/rates.ts';
import { bodyOf, checkoutHost } from '../support/checkout-host.ts';

const catalog = createGeneratedCatalog({ seed: 'scrip' });
const host = await checkoutHost({ catalog, rates: sandboxRates });
const sold = catalog.countries.filter(({ isSold }) => isSold).map(({ code }) => code);
const list = <T>(path: string) => host.get(path).then((response) => bodyOf<readonly T[]>(response));

describe('the generated catalog, served', () => {
  it('parses as the wire says in every country', async () => {
    for (const code of sold) {
      const brands = await list<WireBrand>(`/v1/brands?country_code=${code}`);
      expect(getBrands.output().parse(brands)).toEqual(brands);
      expect(brands.length).toBeGreaterThan(0);
      const items = await list<WireCatalogItem>(`/v1/catalog?country_code=${code}`);
      expect(getCatalog.output().parse(items)).toEqual(items);
    }
  });

  it('prices every item of a country as its list said', async () => {
    const items = await list<WireCatalogItem>('/v1/catalog?country_code=br');
    for (const item of items) {
      const query = new URLSearchParams({
        country_code: 'br',
        brand_name: item.brand_name,
        product_id: item.product_id,
        ...(item.is_range && { product_value: String(item.max_value) }),
      });
      const quote = await bodyOf<WireCatalogItem>(await host.get(`/v1/price?${query}`));
      if (!item.is_range) expect(quote.price_usdc).toBe(item.price_usdc);
      expect(Number(quote.price_usdc)).toBeGreaterThan(0);
    }
  });

  it('serves a brand alone under the name that the brand list gave', async () => {
    const brands = await list<WireBrand>('/v1/brands?country_code=us');
    for (const { brand_name } of brands.slice(0, 50)) {
      const query = new URLSearchParams({ country_code: 'us', brand_name });
      const items = await list<WireCatalogItem>(`/v1/catalog?${query}`);
      expect(new Set(items.map((item) => item.brand_name))).toEqual(new Set([brand_name]));
    }
  });
});
