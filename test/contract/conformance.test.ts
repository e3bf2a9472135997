/** The service is held to the table: every row has its one route and answers in its own words. */
import { describe, expect, it } from 'vitest';
import { CHECKOUT_ENDPOINTS, errorBody } from '../../src/contract/checkout.ts';
import { type Endpoint, pathFields } from '../../src/contract/endpoint.ts';
import { getCheckoutRefunds } from '../../src/contract/order-refunds.ts';
import { getAvailableCountries } from '../../src/contract/site.ts';
import { paymentRequired } from '../../src/contract/x402.ts';
import { bodyOf, checkoutHost, ORDER } from '../support/checkout-host.ts';

const host = await checkoutHost();
const { order_id } = await host.buy();
await host.service.tick();

/** One good request per row, by name: a row that is added fails here until it has one. */
const FIXTURES: Readonly<Record<string, () => Promise<Response>>> = {
  getBrands: () => host.get('/v1/brands?country_code=us'),
  getCatalog: () => host.get('/v1/catalog?country_code=us'),
  getPrice: () =>
    host.get(
      '/v1/price?country_code=us&brand_name=Amazon.com&product_id=amazon-range&product_value=25',
    ),
  postOrder: async () => host.pay(await host.challenge()),
  getOrder: () => host.get(`/v1/orders/${order_id}`),
  getCheckoutRefunds: () => host.get(`/v1/orders/${order_id}/refunds`),
  getAvailableCountries: () => host.get('/api/available-countries'),
};

const SERVED: readonly Endpoint[] = [
  ...CHECKOUT_ENDPOINTS,
  getCheckoutRefunds,
  getAvailableCountries,
];
const rows: readonly (readonly [string, Endpoint])[] = SERVED.map((row) => [row.name, row]);

/** The path with something in place of each field. */
const filled = (row: Endpoint): string => row.path.replace(/\{\w+\}/g, 'x');

describe.each(rows)('%s', (name, row) => {
  it('answers its fixture with what its schema says, and nothing besides', async () => {
    const response = await FIXTURES[name]?.();
    expect(response?.status).toBe(200);
    expect(response?.headers.get('Content-Type')).toBe('application/json');
    const body = response && (await bodyOf<unknown>(response));
    // Schemas drop what they do not know: what is left equals the body only if they know it all.
    expect(row.output().parse(body)).toEqual(body);
  });

  it('has exactly one route, of its own method', async () => {
    const response = await host.service.fetch(
      new Request(`https://x.example${filled(row)}`, { method: 'PATCH' }),
    );
    expect([response.status, response.headers.get('Allow')]).toEqual([405, row.method]);
  });

  it('refuses an empty request with an Error body, where it needs any field', async () => {
    if (row.input().safeParse({}).success) return;
    const response =
      row.method === 'GET' ? await host.get(filled(row)) : await host.post(filled(row), {});
    const body = await bodyOf<unknown>(response);
    expect([400, 404]).toContain(response.status);
    expect(errorBody().strict().parse(body)).toEqual(body);
  });

  it('has hints that fit its method, and path fields that its input knows', () => {
    const isRead = row.method === 'GET';
    expect(row.hints.readOnly).toBe(isRead);
    expect(row.hints.readOnly && row.hints.destructive).toBe(false);
    for (const field of pathFields(row.path)) {
      const issues = row.input().safeParse({}).error?.issues ?? [];
      expect(issues.map(({ path }) => path[0])).toContain(field);
    }
  });
});

it('every fixture has its row', () => {
  expect(Object.keys(FIXTURES)).toEqual(rows.map(([name]) => name));
});

it('the 402 of phase 1 parses as the envelope of the wire', async () => {
  const body = await bodyOf<unknown>(await host.post('/v1/orders', ORDER));
  expect(paymentRequired().parse(body)).toEqual(body);
});
