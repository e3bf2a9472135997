import { describe, expect, it } from 'vitest';
import { capOf, quote } from '../../../src/api/checkout/price-quote.ts';
import type { Fetch, Reply } from '../../../src/contract/fetch.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import { skippingClock } from '../../support/manual-clock.ts';
import { jsonReply } from '../../support/scripted-fetch.ts';

const PRICE = {
  product_id: 'p-1',
  brand_name: 'Steam',
  is_range: false,
  currency: 'USD',
  price_usdc: '25.25',
  quote_expires_at: '2026-01-01T00:01:00Z',
};
const brand = (brand_name: string) => ({ brand_name, family: 'Gift Cards', category: 'games' });
const item = (product_id: string) => ({
  product_id,
  brand_name: 'Steam',
  is_range: false,
  price_usdc: '1',
  country_code: 'us',
});

/** A merchant that sells Steam and Netflix, and answers a price as told. */
const merchant =
  (price: Reply, brands: Reply = jsonReply(200, [brand('Steam'), brand('Netflix')])): Fetch =>
  async (url) => {
    if (url.includes('/v1/brands')) return brands;
    if (url.includes('/v1/catalog')) return jsonReply(200, [item('p-1'), item('p-2')]);
    return price;
  };

const ask = (fetch: Fetch, brandName = 'Steam') =>
  quote(
    { fetch, baseUrl: 'https://checkout.example', clock: skippingClock() },
    { productId: 'p-9', countryCode: 'us', brandName },
  );

describe('a quote', () => {
  it('is the price in atomic units, and when it ends', async () => {
    expect(await ask(merchant(jsonReply(200, PRICE)))).toMatchObject({
      priceAtomic: 25_250_000n,
      expiresAtMs: Date.UTC(2026, 0, 1, 0, 1),
    });
  });

  it('of a range product without a value asks for one', async () => {
    const price = jsonReply(200, { ...PRICE, is_range: true, price_usdc: 'variable' });
    await expect(ask(merchant(price))).rejects.toMatchObject({ code: 'VALUE_REQUIRED' });
  });

  it.each(['-1', '1e3', '', '1,5', '0x10', '1.2345678'])('of %j is no price', async (text) => {
    const price = jsonReply(200, { ...PRICE, price_usdc: text });
    await expect(ask(merchant(price))).rejects.toMatchObject({ code: 'MERCHANT_REPLY_INVALID' });
  });

  it('for a brand that is not sold names the nearest ones', async () => {
    const gone = jsonReply(404, { error: 'product_not_found' });
    await expect(ask(merchant(gone), 'Netflx')).rejects.toMatchObject({
      code: 'BRAND_UNKNOWN',
      hint: expect.stringContaining('Netflix'),
      details: { nearest: ['Netflix'] },
    });
  });

  it('for a product that the brand lacks names those it has', async () => {
    const gone = jsonReply(404, { error: 'product_not_found' });
    await expect(ask(merchant(gone))).rejects.toMatchObject({
      code: 'PRODUCT_UNKNOWN',
      details: { nearest: ['p-1', 'p-2'] },
    });
  });

  it('keeps the first error when there is nothing better to say', async () => {
    const gone = jsonReply(404, { error: 'product_not_found', message: 'No such product' });
    const fetch = merchant(gone, jsonReply(400, { error: 'bad' }));
    await expect(ask(fetch)).rejects.toMatchObject({
      code: 'PRODUCT_UNKNOWN',
      message: expect.stringContaining('No such product'),
    });
  });
});

describe('the cap', () => {
  it.each([
    [25_250_000n, 25_380_000n],
    [1n, 10_000n],
    [10_000n, 20_000n],
    [200_000_000n, 201_000_000n],
    [200_000_001n, 201_010_000n],
  ])('of a quote of %i is %i: half a percent more, rounded up to the cent', (price, cap) => {
    expect(capOf(atomic(price))).toBe(cap);
  });

  it('is what the user named', () => {
    expect(capOf(atomic(25_250_000n), '30')).toBe(30_000_000n);
    expect(capOf(atomic(25_250_000n), '25.25')).toBe(25_250_000n);
  });

  it('below the quote is refused before anything is asked for', () => {
    expect(() => capOf(atomic(25_250_000n), '25')).toThrow(
      expect.objectContaining({ code: 'AMOUNT_OVER_CAP' }),
    );
  });

  it.each(['-5', '1e9', '0x1', '', '25.2500001'])('of %j is no amount', (text) => {
    expect(() => capOf(atomic(1n), text)).toThrow(
      expect.objectContaining({ code: 'AMOUNT_INVALID' }),
    );
  });
});
