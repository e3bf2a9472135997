import { describe, expect, it } from 'vitest';
import { capOf, quote } from '../../../src/api/checkout/price-quote.ts';
import type { Reply } from '../../../src/contract/fetch.ts';
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
const item = (product_id: string) => ({
  product_id,
  brand_name: 'Steam',
  is_range: false,
  price_usdc: '1',
  country_code: 'us',
});

/** Asks a merchant that answers a price as told, and lists two products of Steam. */
const ask = (price: Reply, brand = 'Steam') =>
  quote(
    {
      fetch: async () => price,
      clock: skippingClock(),
      place: { checkoutUrl: 'https://checkout.example' },
    },
    { productId: 'p-9', country: 'us', brand },
    async () => (brand === 'Steam' ? [item('p-1'), item('p-2')] : []),
  );

describe('a quote', () => {
  it('is the price in atomic units', async () => {
    expect(await ask(jsonReply(200, PRICE))).toMatchObject({ priceAtomic: 25_250_000n });
  });

  it('of a range product without a value asks for one', async () => {
    const price = jsonReply(200, { ...PRICE, is_range: true, price_usdc: 'variable' });
    await expect(ask(price)).rejects.toMatchObject({ code: 'VALUE_REQUIRED' });
  });

  it.each(['-1', '1e3', '', '1,5', '0x10', '1.2345678'])('of %j is no price', async (text) => {
    const price = jsonReply(200, { ...PRICE, price_usdc: text });
    await expect(ask(price)).rejects.toMatchObject({ code: 'MERCHANT_REPLY_INVALID' });
  });

  it.each([
    ['Netflx', { code: 'BRAND_UNKNOWN' }],
    ['Steam', { code: 'PRODUCT_UNKNOWN', details: { nearest: ['p-1', 'p-2'] } }],
  ])('for a product of %s that is not sold says what is unknown', async (name, error) => {
    const gone = jsonReply(404, { error: 'product_not_found' });
    await expect(ask(gone, name)).rejects.toMatchObject(error);
  });
});

describe('the cap', () => {
  it('is half a percent over the quote, or what the user named', () => {
    const price = atomic(25_250_000n);
    expect([capOf(price), capOf(price, '30')]).toEqual([25_380_000n, 30_000_000n]);
    expect(() => capOf(price, '25')).toThrow(expect.objectContaining({ code: 'AMOUNT_OVER_CAP' }));
  });

  it.each(['-5', '1e9', '0x1', '', '25.2500001'])('of %j is no amount', (text) => {
    expect(() => capOf(atomic(1n), text)).toThrow(
      expect.objectContaining({ code: 'AMOUNT_INVALID' }),
    );
  });
});
