import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import {
  getHomepage,
  getProductPrice,
  listBrands,
  listProductsForCountry,
  searchProducts,
  type WireBrandList,
  type WireHomepage,
  type WirePartnerProduct,
  type WireProductsForBrand,
  type WireSearchResult,
} from '../../../src/contract/partner-catalog.ts';
import {
  getCurrencies,
  getPaymentVias,
  type WirePaymentVia,
} from '../../../src/contract/partner-market.ts';
import { topLevelError } from '../../../src/contract/partner-orders.ts';
import { createGeneratedCatalog } from '../../../src/sandbox/catalog/generated.ts';
import { createSandboxMarket } from '../../../src/sandbox/market.ts';
import { sandboxRates } from '../../../src/sandbox/rates.ts';
import { partnerCatalog } from '../../support/partner-catalog.ts';
import { smallCatalog } from '../../support/small-catalog.ts';

const host = partnerCatalog();
const US = '/v5/products/country/us';
const PRICE = '/v4/products/price?country_code=US&brand_name=Amazon.com';

const GOOD: readonly (readonly [string, Endpoint])[] = [
  ['/v3/currencies', getCurrencies],
  ['/v3/payment_vias', getPaymentVias],
  ['/v2/brands?country_code=us&cid=1&promo_code=SUMMER', listBrands],
  ['/v2/homepage?country_code=US', getHomepage],
  ['/v2/search/us?q=amzon&lang=en-US', searchProducts],
  [US, listProductsForCountry],
  [`${US}?coin=BTC&lang=de&promo_code=SUMMER`, listProductsForCountry],
  [`${US}?brand_name=Amazon.com&payment_method=USDC-SOL`, listProductsForCountry],
  ['/v5/products/country/BR?family_name=Mobile%20Recharge&coin=USDC', listProductsForCountry],
  [`${PRICE}&face_value=7.5&coin=SOL`, getProductPrice],
];

describe('the free part of the partner API', () => {
  it.each(GOOD)('%s answers what its schema says, and nothing besides', async (path, row) => {
    const response = await host.get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('application/json');
    const body: unknown = await response.json();
    expect(row.output().parse(body)).toEqual(body);
  });

  it.each([
    '/v3/currencies',
    '/v3/payment_vias',
    '/v2/brands?country_code=us',
    '/v2/homepage?country_code=us',
    US,
  ])('%s is not sent twice to a client that has it', async (path) => {
    const etag = (await host.get(path)).headers.get('ETag') ?? '';
    expect(etag).not.toBe('');
    const again = await host.get(path, { 'If-None-Match': etag });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it.each([
    ['/v2/brands', 400, 'INVALID_REQUEST'],
    ['/v2/brands?country_code=usa', 400, 'INVALID_REQUEST'],
    ['/v2/brands?country_code=us&country_code=br', 400, 'INVALID_REQUEST'],
    ['/v2/brands?country_code=zz', 400, 'COUNTRY_NOT_SUPPORTED'],
    ['/v2/homepage?country_code=zz', 400, 'COUNTRY_NOT_SUPPORTED'],
    ['/v2/search/us', 400, 'INVALID_REQUEST'],
    ['/v2/search/zz?q=a', 400, 'COUNTRY_NOT_SUPPORTED'],
    ['/v2/search/us?q=a&lang=not%20a%20tag', 400, 'INVALID_REQUEST'],
    [`${US}?lang=not%20a%20tag`, 400, 'INVALID_REQUEST'],
    [`${US}?brand_name=Nobody`, 400, 'UNKNOWN_BRAND'],
    [`${US}?family_name=Nobody`, 400, 'UNKNOWN_FAMILY'],
    [`${US}?coin=GOLD`, 400, 'UNKNOWN_COIN'],
    [`${US}?payment_method=USDC-MOON`, 400, 'UNKNOWN_PAYMENT_METHOD'],
    [`${US}?payment_method=USDC-SOL&coin=BTC`, 400, 'COIN_MISMATCH'],
    [`${PRICE}&face_value=25`, 400, 'INVALID_REQUEST'],
    [`${PRICE}&face_value=abc&coin=USDC`, 400, 'INVALID_REQUEST'],
    [`${PRICE}&face_value=4&coin=USDC`, 400, 'VALUE_OUT_OF_RANGE'],
    [`${PRICE}&face_value=6&coin=USDC`, 400, 'VALUE_OFF_STEP'],
    [
      '/v4/products/price?country_code=br&brand_name=Claro%20Credits&face_value=7&coin=USDC',
      400,
      'VALUE_NOT_ALLOWED',
    ],
    [
      '/v4/products/price?country_code=us&brand_name=Nobody&face_value=7&coin=USDC',
      400,
      'UNKNOWN_BRAND',
    ],
  ])('%s is %i %s', async (path, status, detail) => {
    const response = await host.get(path);
    const body: unknown = await response.json();
    expect(topLevelError().strict().parse(body)).toEqual(body);
    expect(body).toMatchObject({ status, detail });
    expect(response.status).toBe(status);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
  });
});

describe('the payment vias', () => {
  it('show networks with their contracts and thresholds', async () => {
    const [wallet] = await host.json<readonly WirePaymentVia[]>('/v3/payment_vias');
    const usdc = wallet?.currencies.find(({ name }) => name === 'USDC');
    expect(usdc?.networks.find(({ name }) => name === 'Base')).toEqual({
      name: 'Base',
      chain_id: 8453,
      logo_url: 'https://api.example/logos/networks/base.webp',
      threshold: '1',
      smart_contract_engine: 'EVM',
      base_token: 'ETH',
      smart_contract: {
        address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        decimals: 6,
        symbol: 'USDC',
      },
      estimated_transfer_cost: '0.01',
    });
    expect(wallet?.currencies.filter(({ is_suspended }) => is_suspended)).toHaveLength(1);
  });
});

describe('the brands of a country', () => {
  it('are grouped by category, and each is where its category says', async () => {
    const list = await host.json<WireBrandList>('/v2/brands?country_code=us');
    expect(list.country_code).toBe('US');
    expect(list.all_brands.map(({ brand }) => brand)).toEqual(['Amazon.com', 'Nowhere']);
    expect(list.categories.flatMap(({ brands }) => brands)).toEqual(list.all_brands);
    expect(list.last_user_purchases).toEqual([]);
  });

  it('that are out of stock are not suggested', async () => {
    const list = await host.json<WireBrandList>('/v2/brands?country_code=us');
    expect(list.suggestions.map(({ brand }) => brand)).toEqual(['Amazon.com']);
    expect(list.categories[0]?.popular_brands.map(({ brand }) => brand)).toEqual(['Amazon.com']);
  });

  it('are none where a country is on the list and nothing is sold', async () => {
    const bare = partnerCatalog({ catalog: { ...smallCatalog, brands: () => [] } });
    const list = await bare.json<WireBrandList>('/v2/brands?country_code=aq');
    expect([list.all_brands, list.categories]).toEqual([[], []]);
    expect((await bare.json<WireHomepage>('/v2/homepage?country_code=aq')).sections).toEqual([]);
    expect((await bare.json<WireSearchResult>('/v2/search/aq?q=ice')).brands).toEqual([]);
  });
});

describe('the front page', () => {
  it('has the popular brands, then those of each kind', async () => {
    const { sections } = await host.json<WireHomepage>('/v2/homepage?country_code=br');
    expect(sections.map(({ title, kind }) => [title, kind])).toEqual([
      ['Popular', 'popular'],
      ['Mobile Recharge', 'mobile_topup'],
    ]);
  });
});

const productsOf = async (query: string) => {
  const [brand] = await host.json<readonly WireProductsForBrand[]>(`${US}${query}`);
  if (!brand) throw new Error('no brand');
  return brand.products;
};

describe('products', () => {
  it('have no price unless a coin is named', async () => {
    const [fixed] = await productsOf('?brand_name=Amazon.com');
    expect(fixed).toMatchObject({ coin: 'USDC', payment_method: 'USDC-SOL', is_dynamic: false });
    expect(fixed?.coin_amount).toBeUndefined();
  });

  it.each([
    ['coin=USDC', 'USDC-SOL', '25.25'],
    ['coin=usdt', 'USDT-TRX', '25.25'],
    ['coin=BTC', 'BTC', '0.0002525'],
    ['coin=SOL', 'SOL', '0.12625'],
    ['payment_method=usdc-matic', 'USDC-MATIC', '25.25'],
    ['payment_method=ETH-BASE&coin=ETH', 'ETH-BASE', '0.007214286'],
    ['payment_method=BTC-LN', 'BTC-LN', '0.0002525'],
    // Still priced: only an order in a suspended coin is refused.
    ['coin=DASH', 'DASH', '1.01'],
  ])('with %s are paid by %s and cost %s', async (query, method, amount) => {
    const [fixed, , range] = await productsOf(`?brand_name=Amazon.com&${query}`);
    expect(fixed).toMatchObject({ payment_method: method, coin_amount: amount });
    expect(range).toMatchObject({ payment_method: method, coin_amount: null, is_dynamic: true });
  });

  it('of a range say its bounds and step', async () => {
    const range = (await productsOf('?brand_name=Amazon.com')).find((one) => one.is_dynamic);
    expect(range?.denomination).toBe('range');
    expect(range?.range).toEqual({
      min: 5,
      max: 500,
      currency: 'USD',
      step_size: 2.5,
      default: '5',
    });
    expect(range?.face_value).toEqual({ currency_code: 'USD', amount: { min: '5', max: '500' } });
  });

  it('are named in the language that is asked for', async () => {
    const named = async (lang: string) =>
      (await productsOf(`?brand_name=Amazon.com&lang=${lang}`)).map(
        (one) => one.localized_denomination,
      );
    expect(await named('en_US')).toEqual(['$25.00', '$50.00', '$5.00 – $500.00']);
    expect((await named('de'))[0]).toBe('25,00\u00a0$');
  });

  it('of one country are not those of another market’s page', async () => {
    const market = createSandboxMarket();
    const halved: typeof market.picoUsdPer = (coin) => market.picoUsdPer(coin) / 2n;
    const cheap = { ...market, version: 'cheap', picoUsdPer: halved };
    const other = partnerCatalog({ market: cheap });
    const [brand] = await other.json<readonly WireProductsForBrand[]>(`${US}?coin=BTC`);
    expect(brand?.products[0]?.coin_amount).toBe('0.000505');
  });

  it('of a whole country are grouped by brand', async () => {
    const brands = await host.json<readonly WireProductsForBrand[]>(US);
    expect(brands.map(({ brand, products }) => [brand, products.length])).toEqual([
      ['Amazon.com', 3],
      ['Nowhere', 1],
    ]);
    expect(brands[1]?.is_out_of_stock).toBe(true);
  });
});

describe('the price of a face value', () => {
  it('is that of the range, with what was chosen', async () => {
    const product = await host.json<WirePartnerProduct>(`${PRICE}&face_value=7.50&coin=USDC`);
    expect(product).toMatchObject({
      product_id: 'amazon-range',
      denomination: 'range',
      coin_amount: '7.575',
      face_value: { amount: { price: '7.50' } },
      points: '7',
    });
  });

  it('of a fixed product is found where there is no range', async () => {
    const path =
      '/v4/products/price?country_code=br&brand_name=Claro%20Credits&face_value=20&coin=USDC';
    expect(await host.json<WirePartnerProduct>(path)).toMatchObject({
      product_id: 'claro-20',
      coin_amount: '4.04',
    });
  });

  it('takes the margin of the shop', async () => {
    const dear = partnerCatalog({ marginBps: 1_000 });
    const product = await dear.json<WirePartnerProduct>(`${PRICE}&face_value=10&coin=USDC`);
    expect(product.coin_amount).toBe('11');
  });
});

describe('the generated catalog', () => {
  const catalog = createGeneratedCatalog({ seed: 'scrip' });
  const whole = partnerCatalog({ catalog, rates: sandboxRates });

  it.each(['us', 'br', 'jp', 'de', 'xk'])('parses strictly in %s, priced', async (code) => {
    const products = await whole.json(`/v5/products/country/${code}?coin=BTC`);
    expect(listProductsForCountry.output().parse(products)).toEqual(products);
    const brands = await whole.json(`/v2/brands?country_code=${code}`);
    expect(listBrands.output().parse(brands)).toEqual(brands);
  });

  it('finds brands by what people type', async () => {
    const found = await whole.json<WireSearchResult>('/v2/search/US?q=netflx');
    expect(found.brands[0]?.brand).toBe('Netflix');
  });
});
