/** The partner API is held to the table too: every row has its one route and answers in its words. */
import { afterAll, describe, expect, it } from 'vitest';
import { type Endpoint, pathFields } from '../../src/contract/endpoint.ts';
import * as refunds from '../../src/contract/order-refunds.ts';
import * as catalog from '../../src/contract/partner-catalog.ts';
import * as market from '../../src/contract/partner-market.ts';
import * as orders from '../../src/contract/partner-orders.ts';
import * as leases from '../../src/contract/payment-lease.ts';
import { BASE, BUYER_WALLET, orderBody, partnerSandbox } from '../support/partner-sandbox.ts';

const host = await partnerSandbox();
afterAll(() => host.close());
const order_key = 'order-key-of-at-least-32-characters';
const { order_id } = await host.create({}, { 'Idempotency-Key': order_key });

/** One good request per row, by name; a row that is added fails here until it has one. */
const FIXTURES: Readonly<Record<string, () => Promise<Response>>> = {
  getCurrencies: () => host.get('/v3/currencies'),
  getPaymentViasWithCurrencies: () => host.get('/v3/payment_vias'),
  listBrands: () => host.get('/v2/brands?country_code=US'),
  getHomepage: () => host.get('/v2/homepage?country_code=US'),
  searchProducts: () => host.get('/v2/search/US?q=amazon'),
  listProductsForCountry: () => host.get('/v5/products/country/US?brand_name=Amazon.com&coin=USDC'),
  getProductPrice: () =>
    host.get('/v4/products/price?brand_name=Amazon.com&country_code=US&face_value=25&coin=USDC'),
  validateOrder: () => host.post('/v5/orders/validations', orderBody()),
  createOrder: () => host.post('/v5/orders', orderBody()),
  getOrderStatus: () => host.get(`/v5/orders/${order_id}`),
  takePaymentLease: () =>
    host.post(`/v5/orders/${order_id}/payment_lease`, { holder: 'a'.repeat(16) }),
  getPartnerRefunds: () => host.get(`/v5/orders/${order_id}/refunds`),
  nameRefundAddress: () =>
    host.post(`/v5/orders/${order_id}/refund_address`, {
      order_key,
      address: BUYER_WALLET.address,
    }),
};

/** Answers with a stream of events, which is no JSON document: it has tests of its own. */
const STREAMS = ['subscribeOrder'];

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'surface' in value;
const rows = Object.values({ ...catalog, ...market, ...orders, ...leases, ...refunds })
  .filter((value) => isEndpoint(value))
  .filter(({ surface }) => surface === 'partner')
  .filter(({ name }) => !STREAMS.includes(name))
  .map((row): readonly [string, Endpoint] => [row.name, row]);

const filled = (row: Endpoint): string => row.path.replace(/\{\w+\}/g, 'x');

describe.each(rows)('%s', (name, row) => {
  it('answers its fixture with what its schema says, and nothing besides', async () => {
    const response = await FIXTURES[name]?.();
    expect(response?.status).toBe(200);
    expect(response?.headers.get('Content-Type')).toContain('application/json');
    const body: unknown = await response?.json();
    // Schemas drop what they do not know: what is left equals the body only if they know it all.
    expect(row.output().parse(body)).toEqual(body);
  });

  it('has exactly one route, of its own method', async () => {
    const headers = { 'X-Cr-Application': 'conformance' };
    const request = new Request(BASE + filled(row), { method: 'PATCH', headers });
    const response = await host.current().handle(request);
    expect([response.status, response.headers.get('Allow')]).toEqual([405, row.method]);
  });

  it('refuses an empty request with a top-level error, where it needs any field', async () => {
    if (row.input().safeParse({}).success) return;
    const path = filled(row);
    const response = row.method === 'GET' ? await host.get(path) : await host.post(path, {});
    const body: unknown = await response.json();
    expect(response.status).toBe(400);
    expect(orders.topLevelError().strict().parse(body)).toEqual(body);
  });

  it('is of the partner API, with path fields that its input knows', () => {
    expect(row.surface).toBe('partner');
    expect(row.hints.readOnly && row.hints.destructive).toBe(false);
    for (const field of pathFields(row.path)) {
      const issues = row.input().safeParse({}).error?.issues ?? [];
      expect(issues.map(({ path }) => path[0])).toContain(field);
    }
  });
});

it('every fixture has its row', () => {
  expect(Object.keys(FIXTURES).toSorted()).toEqual(rows.map(([name]) => name).toSorted());
});
