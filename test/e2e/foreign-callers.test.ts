/** Callers that others wrote, at their defaults, against the service served on a port. */
import { platform } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WirePartnerOrder } from '../../src/contract/partner-orders.ts';
import { encodeHeader } from '../../src/contract/x402.ts';
import { makeHome } from '../support/cli.ts';
import { sendFrom } from '../support/from-address.ts';
import { jsonOf, orderBody } from '../support/partner-sandbox.ts';
import { postJson } from '../support/post-json.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import { x402Payer } from '../support/x402-payer.ts';

const home = makeHome();
const sandbox = await serveSandbox(home);

type Headers = Readonly<Record<string, string>>;

const post = (path: string, body: unknown, headers: Headers = {}): Promise<Response> =>
  postJson(`${sandbox.url}${path}`, body, { 'X-Cr-Application': 'shop-1', ...headers });

describe('orders of the partner API', () => {
  const create = async (headers: Headers = {}, more: Record<string, unknown> = {}) =>
    jsonOf<WirePartnerOrder>(await post('/v5/orders', orderBody(more), headers));
  const cancel = (orderId: string) => post(`/sandbox/orders/${orderId}/cancel`, {});

  it('of one marketing session are as many as were asked for', async () => {
    const acquisition = { session_id: '1699999999.1234567890', utm_source: 'newsletter' };
    const first = await create({}, { acquisition });
    expect((await create({}, { acquisition })).order_id).not.toBe(first.order_id);
  });

  it('with a key that is to be used once are refused when it is over, and none is made', async () => {
    const key = { 'Idempotency-Key': 'cart-79', 'X-Scrip-Key': 'once' };
    const { order_id } = await create(key);
    expect((await create(key)).order_id).toBe(order_id);
    await cancel(order_id);
    for (const _ of [1, 2]) {
      const reply = await post('/v5/orders', orderBody(), key);
      expect([reply.status, await reply.json()]).toMatchObject([
        409,
        { detail: 'ORDER_IS_OVER', moreDetails: { order_id, order_state: 'Canceled' } },
      ]);
    }
  });
});

// Only Linux answers on all of 127.0.0.0/8 without being told to.
describe.skipIf(platform() !== 'linux')('a host behind proxies that its operator named', () => {
  const own = makeHome();
  let strict: ServedSandbox;
  beforeAll(async () => {
    const proxies = ['--trusted-proxy', '127.0.9.1', '--trusted-proxy', '10.0.0.0/8'];
    // A place is free again every two seconds of its clock, which stands still.
    const clock = ['--clock', '2026-11-01T00:00:00Z'];
    strict = await serveSandbox(own, ['--strict-limits', ...clock, ...proxies]);
  });
  afterAll(async () => {
    await strict.stop();
  });

  const UNKNOWN = '00000000-0000-4000-8000-000000000000';
  /** Reads orders that are not there, which 30 a minute of an address may do. */
  async function guess(from: string, claim: string, count: number): Promise<readonly number[]> {
    const headers = { 'X-Cr-Application': 'shop-1', 'X-Forwarded-For': claim };
    const asked = Array.from({ length: count }, (_, last) => {
      const id = UNKNOWN.slice(0, -3) + String(100 + last);
      return sendFrom(from, `${strict.url}/v5/orders/${id}`, { headers });
    });
    return (await Promise.all(asked)).map(({ status }) => status);
  }
  const refused = (statuses: readonly number[]) =>
    statuses.filter((status) => status === 429).length;

  it('counts a caller by the last hop that they did not add', async () => {
    expect(refused(await guess('127.0.9.1', '192.0.2.1, 198.51.100.1', 40))).toBe(10);
    const again = await guess('127.0.9.1', '192.0.2.9, 198.51.100.1:5000, 10.1.2.3', 20);
    expect(refused(again)).toBe(20);
    expect(refused(await guess('127.0.9.1', '192.0.2.1, 198.51.100.2', 1))).toBe(0);
  });

  it('believes nobody else', async () => {
    for (const claim of ['192.0.2.1', '10.1.2.3', '127.0.9.1']) {
      await guess('127.0.9.2', claim, 10);
    }
    expect(refused(await guess('127.0.9.2', '192.0.2.44', 20))).toBe(20);
  });
});

it('a proxy that is no address is refused by name', async () => {
  const { status, stderr } = await home.run([
    'sandbox',
    '--port',
    '0',
    '--trusted-proxy',
    '10.0.0.0/40',
  ]);
  expect([status, stderr]).toEqual([2, expect.stringContaining('10.0.0.0/40')]);
});

describe('the checkout host', () => {
  const order = (more: Record<string, unknown>, fields: Record<string, unknown> = {}) =>
    post('/v1/orders', {
      email: 'you@example.com',
      items: [{ beneficiary_account: 'friend@example.com', ...more }],
      ...fields,
    });
  const priceOf = async (reply: Response): Promise<bigint> => {
    expect(reply.status).toBe(402);
    const { accepts } = (await reply.json()) as { accepts: [{ maxAmountRequired: string }] };
    return BigInt(accepts[0].maxAmountRequired);
  };
  const amazon = async () => (await goods('us', 'brand_name=Amazon.com'))?.product_id ?? '';

  it('ignores fields that it does not know, and honours a quantity', async () => {
    const product_id = await amazon();
    const one = await priceOf(await order({ product_id }));
    const odd = { note: 'birthday', metadata: { a: [1] } };
    expect(await priceOf(await order({ product_id, ...odd }, { coupon: 'x', ...odd }))).toBe(one);
    expect(await priceOf(await order({ product_id, quantity: 3 }))).toBe(3n * one);
    for (const quantity of [0, -1, 1.5, 11, '2', null]) {
      expect((await order({ product_id, quantity })).status).toBe(400);
    }
  });

  it('sends what is neither card, top-up nor eSIM to an account', async () => {
    const family = encodeURIComponent('Other');
    const other = await goods('us', `family_name=${family}`);
    const product_id = other?.product_id;
    const product_value = other?.is_range ? other.min_value : undefined;
    for (const account of ['Player#1234', '76561198000000000', 'friend@example.com']) {
      const reply = await order({ product_id, product_value, beneficiary_account: account });
      expect([account, reply.status]).toEqual([account, 402]);
    }
    const card = await order({ product_id: await amazon(), beneficiary_account: 'Player#1234' });
    expect([card.status, await card.json()]).toMatchObject([400, { error: 'invalid_beneficiary' }]);
  });

  it('lets an order expire once its payment has run out, and track says so', async () => {
    const payer = await x402Payer(sandbox.url);
    const [email, product_id] = ['ann+expired@example.com', await amazon()];
    const challenge = JSON.parse(await (await order({ product_id }, { email })).text());
    const { paymentPayload } = await payer.pay(challenge.accepts[0]);
    const item = { beneficiary_account: 'friend@example.com', product_id };
    const pay = () =>
      post(
        '/v1/orders',
        { email, items: [item] },
        {
          'PAYMENT-SIGNATURE': encodeHeader(paymentPayload),
        },
      );
    const reply = await pay();
    const receipt = JSON.parse(await reply.text());
    expect([reply.status, receipt.status]).toEqual([200, 'processing']);
    const read = async () => JSON.parse(await (await fetch(receipt.poll_url)).text());
    await expect.poll(async () => (await read()).status).toBe('expired');
    const why = 'The payment was not made in time.';
    expect((await read()).deliveries).toMatchObject([
      { delivery_state: 'failed', failure_reason: why },
    ]);
    // The same payment again is told that nothing was charged.
    const again = await pay();
    const error = 'settlement_failed';
    expect([again.status, JSON.parse(await again.text())]).toMatchObject([402, { error }]);
    const followed = await home.failure(['track', receipt.order_id, ...sandbox.flags]);
    expect(followed).toMatchObject({ status: 10, code: 'ORDER_EXPIRED' });
  });
});

interface Goods {
  readonly product_id: string;
  readonly is_range: boolean;
  readonly min_value?: number;
}

async function goods(country: string, query: string): Promise<Goods | undefined> {
  const items = (await (
    await fetch(`${sandbox.url}/v1/catalog?country_code=${country}&${query}`)
  ).json()) as readonly Goods[];
  return items.find(({ is_range }) => !is_range) ?? items[0];
}

it.each([
  ['/v2/homepage', 'US'],
  ['/v2/homepage?country_code=de', 'DE'],
  ['/v2/brands?country_code=us&cid=&promo_code=', 'US'],
])('%s is answered for %s', async (path, country) => {
  const headers = { 'X-Cr-Application': 'shop-1' };
  const reply = await fetch(`${sandbox.url}${path}`, { headers });
  expect([reply.status, await reply.json()]).toMatchObject([200, { country_code: country }]);
});
