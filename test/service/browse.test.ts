import { describe, expect, it } from 'vitest';
import { type Body, bodyOf, checkoutHost } from '../support/checkout-host.ts';
import { START_MS } from '../support/manual-clock.ts';
import { smallCatalog } from '../support/small-catalog.ts';

const host = await checkoutHost();
const read = async (path: string) => {
  const response = await host.get(path);
  return { status: response.status, body: await bodyOf<Body & { length?: number }>(response) };
};

describe('GET /v1/brands', () => {
  it('lists the brands of a country with their bounds as strings', async () => {
    expect(await read('/v1/brands?country_code=us')).toEqual({
      status: 200,
      body: [
        {
          brand_name: 'Amazon.com',
          family: 'Gift Cards',
          category: 'e-commerce',
          min: '5',
          max: '500',
        },
        expect.objectContaining({ brand_name: 'Nowhere' }),
      ],
    });
  });

  it('answers 304 to its own ETag, weak or among others', async () => {
    const first = await host.get('/v1/brands?country_code=us');
    const etag = first.headers.get('ETag') ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await host.get('/v1/brands?country_code=us', { 'If-None-Match': known });
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
    const changed = await host.get('/v1/brands?country_code=br', { 'If-None-Match': etag });
    expect(changed.status).toBe(200);
  });

  it('asks the catalog once per version and country', async () => {
    const asked: string[] = [];
    const catalog = {
      ...smallCatalog,
      brands: (code: string) => {
        asked.push(code);
        return smallCatalog.brands(code);
      },
    };
    const counted = await checkoutHost({ catalog });
    for (const code of ['us', 'us', 'br', 'us']) {
      await counted.get(`/v1/brands?country_code=${code}`);
    }
    expect(asked).toEqual(['us', 'br']);
  });
});

describe('GET /v1/catalog', () => {
  it('serves a fixed product with its USD value and price', async () => {
    const { body } = await read('/v1/catalog?country_code=br&brand_name=Claro%20Credits');
    expect(body).toEqual([
      {
        product_id: 'claro-20',
        product_name: 'Claro Credits 20 BRL',
        brand_name: 'Claro Credits',
        denomination: '20 BRL',
        denomination_label: '20 BRL',
        currency: 'BRL',
        is_range: false,
        face_value_usd: 4,
        price_usdc: '4.04',
        country_code: 'br',
        type: 'mobile_topup',
      },
    ]);
  });

  it('serves a range product as variable with numeric bounds', async () => {
    const { body } = await read('/v1/catalog?country_code=us&brand_name=Amazon.com');
    const range = (body as unknown as { product_id: string }[]).find(
      ({ product_id }) => product_id === 'amazon-range',
    );
    expect(range).toMatchObject({
      is_range: true,
      price_usdc: 'variable',
      min_value: 5,
      max_value: 500,
    });
    expect(range).not.toHaveProperty('face_value_usd');
  });

  it('serves a family, and everything when neither filter is set', async () => {
    const family = await read('/v1/catalog?country_code=us&family_name=Gift%20Cards');
    const all = await read('/v1/catalog?country_code=us');
    expect([family.body.length, all.body.length]).toEqual([4, 4]);
  });
});

describe('GET /v1/price', () => {
  const quote = '/v1/price?country_code=us&brand_name=Amazon.com';

  it('quotes a fixed product for 60 seconds', async () => {
    const { body } = await read(`${quote}&product_id=amazon-50`);
    expect(body).toEqual({
      product_id: 'amazon-50',
      product_name: 'Amazon.com 50 USD',
      brand_name: 'Amazon.com',
      country_code: 'us',
      is_range: false,
      face_value: '50',
      currency: 'USD',
      price_usdc: '50.50',
      quote_expires_at: new Date(START_MS + 60_000).toISOString(),
    });
  });

  it('quotes the chosen value of a range product with its bounds as strings', async () => {
    const { body } = await read(`${quote}&product_id=amazon-range&product_value=12.5`);
    expect(body).toMatchObject({
      is_range: true,
      face_value: '12.50',
      price_usdc: '12.625',
      min_value: '5',
      max_value: '500',
    });
  });

  it.each([
    ['amazon-range', '', 400, 'value_required'],
    ['amazon-range', '4', 400, 'value_out_of_range'],
    ['amazon-range', '502.5', 400, 'value_out_of_range'],
    ['amazon-range', '6', 400, 'value_off_step'],
    ['amazon-range', '1e2', 400, 'invalid_request'],
    ['amazon-range', '-5', 400, 'invalid_request'],
    ['amazon-25', '26', 400, 'value_not_allowed'],
    ['amazon-25', '25.00', 200, undefined],
    ['claro-20', '', 404, 'product_not_found'],
    ['nothing', '', 404, 'product_not_found'],
  ])('%s at "%s" is %i %s', async (productId, value, status, error) => {
    const suffix = value === '' ? '' : `&product_value=${value}`;
    const answer = await read(`${quote}&product_id=${productId}${suffix}`);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });
});

describe('a query', () => {
  it.each([
    ['/v1/brands', 400, 'invalid_request'],
    ['/v1/brands?country_code=US', 400, 'invalid_request'],
    ['/v1/brands?country_code=usa', 400, 'invalid_request'],
    ['/v1/brands?country_code=us&country_code=br', 400, 'invalid_request'],
    ['/v1/brands?country_code=zz', 400, 'country_not_supported'],
    ['/v1/brands?country_code=aq', 400, 'country_not_supported'],
    ['/v1/catalog?country_code=us&brand_name=Nobody', 400, 'unknown_brand'],
    ['/v1/catalog?country_code=us&brand_name=Claro%20Credits', 400, 'unknown_brand'],
    ['/v1/catalog?country_code=us&family_name=Nothing', 400, 'unknown_family'],
    ['/v1/catalog?country_code=us&brand_name=', 400, 'invalid_request'],
    ['/v1/price?country_code=us&brand_name=Nobody&product_id=x', 400, 'unknown_brand'],
    ['/v1/price?country_code=us&brand_name=Amazon.com', 400, 'invalid_request'],
    ['/v1/price?country_code=aq&brand_name=Ice&product_id=ice-5', 400, 'country_not_supported'],
  ])('%s is %i %s', async (path, status, error) => {
    const answer = await read(path);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    expect(answer.body.message).toEqual(expect.any(String));
  });
});
