/** Both services are held to the table: every row has its one route and answers in its own words. */
import { afterAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import * as agent from '../../src/contract/agent.ts';
import * as checkout from '../../src/contract/checkout.ts';
import { type Endpoint, pathFields } from '../../src/contract/endpoint.ts';
import * as receipts from '../../src/contract/offer-receipt.ts';
import * as leases from '../../src/contract/order-key.ts';
import * as refunds from '../../src/contract/order-refunds.ts';
import * as catalog from '../../src/contract/partner-catalog.ts';
import * as market from '../../src/contract/partner-market.ts';
import * as orders from '../../src/contract/partner-orders.ts';
import * as signIn from '../../src/contract/sign-in.ts';
import * as site from '../../src/contract/site.ts';
import { SURFACES, type Surface } from '../../src/contract/surfaces.ts';
import { paymentRequired } from '../../src/contract/x402.ts';
import { bodyOf, checkoutHost, ORDER } from '../support/checkout-host.ts';
import { BASE, BUYER_WALLET, orderBody, partnerSandbox } from '../support/partner-sandbox.ts';

interface Held {
  /** One good request per row, by name: a row that is added fails here until it has one. */
  readonly fixtures: Readonly<Record<string, () => Promise<Response>>>;
  readonly rows: readonly Endpoint[];
  readonly refusal: () => z.ZodObject;
  get(path: string): Promise<Response>;
  post(path: string, body: unknown): Promise<Response>;
  patch(path: string): Promise<Response>;
}

const rowsOf = (...names: readonly Surface['name'][]): readonly Endpoint[] =>
  SURFACES.filter(({ name }) => names.includes(name)).flatMap(({ served }) =>
    served.map(({ row }) => row),
  );

const host = await checkoutHost();
const { order_id: bought } = await host.buy();
await host.service.tick();

const CHECKOUT: Held = {
  fixtures: {
    getBrands: () => host.get('/v1/brands?country_code=us'),
    getCatalog: () => host.get('/v1/catalog?country_code=us'),
    getPrice: () =>
      host.get(
        '/v1/price?country_code=us&brand_name=Amazon.com&product_id=amazon-range&product_value=25',
      ),
    postOrder: async () => host.pay(await host.challenge()),
    getOrder: () => host.get(`/v1/orders/${bought}`),
    getCheckoutRefunds: () => host.get(`/v1/orders/${bought}/refunds`),
    getAvailableCountries: () => host.get('/api/available-countries'),
    getDidDocument: () => host.get('/.well-known/did.json'),
  },
  // Which wants a wallet: test/service/own-orders.test.ts.
  rows: rowsOf('checkout').filter((row) => row !== signIn.getOwnOrders),
  refusal: checkout.errorBody,
  get: (path) => host.get(path),
  post: (path, body) => host.post(path, body),
  patch: async (path) =>
    host.service.fetch(new Request(`https://x.example${path}`, { method: 'PATCH' })),
};

const shop = await partnerSandbox();
afterAll(() => shop.close());
const order_key = 'order-key-of-at-least-32-characters';
const { order_id: created } = await shop.create({}, { 'Idempotency-Key': order_key });

/** Answers with a stream of events, which is no JSON document: it has tests of its own. */
const STREAMS = ['subscribeOrder'];

const PARTNER: Held = {
  fixtures: {
    getCurrencies: () => shop.get('/v3/currencies'),
    getPaymentViasWithCurrencies: () => shop.get('/v3/payment_vias'),
    listBrands: () => shop.get('/v2/brands?country_code=US'),
    getHomepage: () => shop.get('/v2/homepage?country_code=US'),
    searchProducts: () => shop.get('/v2/search/US?q=amazon'),
    listProductsForCountry: () =>
      shop.get('/v5/products/country/US?brand_name=Amazon.com&coin=USDC'),
    getProductPrice: () =>
      shop.get('/v4/products/price?brand_name=Amazon.com&country_code=US&face_value=25&coin=USDC'),
    validateOrder: () => shop.post('/v5/orders/validations', orderBody()),
    createOrder: () => shop.post('/v5/orders', orderBody()),
    getOrderStatus: () => shop.get(`/v5/orders/${created}`),
    takePaymentLease: () =>
      shop.post(`/v5/orders/${created}/payment_lease`, { holder: 'a'.repeat(16) }),
    getPartnerRefunds: () => shop.get(`/v5/orders/${created}/refunds`),
    nameRefundAddress: () =>
      shop.post(`/v5/orders/${created}/refund_address`, {
        order_key,
        address: BUYER_WALLET.address,
      }),
  },
  rows: rowsOf('partner').filter(({ name }) => !STREAMS.includes(name)),
  refusal: orders.topLevelError,
  get: (path) => shop.get(path),
  post: (path, body) => shop.post(path, body),
  patch: (path) => {
    const headers = { 'X-Cr-Application': 'conformance' };
    return shop.current().handle(new Request(BASE + path, { method: 'PATCH', headers }));
  },
};

/** What the modules of the contract export as endpoints. */
const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'hints' in value;

it('has every endpoint of the contract on one surface', () => {
  const written = Object.values({
    ...{ ...checkout, ...refunds, ...site, ...catalog, ...market, ...orders, ...leases },
    ...{ ...agent, ...signIn, ...receipts },
  });
  const served = rowsOf('checkout', 'partner', 'agent').map(({ name }) => name);
  expect(served.toSorted()).toEqual(
    written.flatMap((value) => (isEndpoint(value) ? [value.name] : [])).toSorted(),
  );
});

const CASES = [CHECKOUT, PARTNER].flatMap((held) =>
  held.rows.map((row) => [row.name, row, held] as const),
);
/** The path with something in place of each field. */
const filled = (row: Endpoint): string => row.path.replace(/\{\w+\}/g, 'x');

describe.each(CASES)('%s', (name, row, held) => {
  it('answers its fixture with what its schema says, and nothing besides', async () => {
    const response = await held.fixtures[name]?.();
    expect(response?.status).toBe(200);
    expect(response?.headers.get('Content-Type')).toMatch(/^application\/json/);
    const body: unknown = await response?.json();
    // Schemas drop what they do not know: what is left equals the body only if they know it all.
    expect(row.output().parse(body)).toEqual(body);
  });

  it('has exactly one route, of its own method', async () => {
    const response = await held.patch(filled(row));
    const rows = rowsOf('checkout', 'partner').filter(({ path }) => path === row.path);
    const methods = rows.map(({ method }) => method).join(', ');
    expect([response.status, response.headers.get('Allow')]).toEqual([405, methods]);
  });

  it('refuses an empty request with the error of its API, where it needs any field', async () => {
    if (row.input().safeParse({}).success) return;
    const path = filled(row);
    const response = row.method === 'GET' ? await held.get(path) : await held.post(path, {});
    const body: unknown = await response.json();
    expect(held === CHECKOUT ? [400, 404] : [400]).toContain(response.status);
    expect(held.refusal().strict().parse(body)).toEqual(body);
  });

  it('has hints that fit its method, and path fields that its input knows', () => {
    const isRead = row.method === 'GET';
    if (isRead || held === CHECKOUT) expect(row.hints.readOnly).toBe(isRead);
    expect(row.hints.readOnly && row.hints.destructive).toBe(false);
    for (const field of pathFields(row.path)) {
      const issues = row.input().safeParse({}).error?.issues ?? [];
      expect(issues.map(({ path }) => path[0])).toContain(field);
    }
  });
});

it.each([CHECKOUT, PARTNER])('every fixture has its row', ({ fixtures, rows }) => {
  expect(Object.keys(fixtures).toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

it('the 402 of phase 1 parses as the envelope of the wire', async () => {
  const body = await bodyOf<unknown>(await host.post('/v1/orders', ORDER));
  expect(paymentRequired().parse(body)).toEqual(body);
});
