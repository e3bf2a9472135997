/** Callers that others wrote, at their defaults, against the service served on a port. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WirePartnerOrder } from '../../src/contract/partner-orders.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { jsonOf, orderBody, via } from '../support/partner-sandbox.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';

let home: Home;
let sandbox: ServedSandbox;

beforeAll(async () => {
  home = makeHome();
  sandbox = await serveSandbox(home);
});
afterAll(async () => {
  await sandbox.stop();
  home.remove();
});

type Headers = Readonly<Record<string, string>>;

const post = (path: string, body: unknown, headers: Headers = {}): Promise<Response> =>
  fetch(`${sandbox.url}${path}`, {
    method: 'POST',
    headers: { 'X-Cr-Application': 'shop-1', 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe('orders of the partner API', () => {
  const create = async (headers: Headers = {}, more: Record<string, unknown> = {}) =>
    jsonOf<WirePartnerOrder>(await post('/v5/orders', orderBody(more), headers));
  const cancel = (orderId: string) => post(`/sandbox/orders/${orderId}/cancel`, {});

  it('of one marketing session are as many as were asked for', async () => {
    const acquisition = { session_id: '1699999999.1234567890', utm_source: 'newsletter' };
    const first = await create({}, { acquisition });
    expect((await create({}, { acquisition })).order_id).not.toBe(first.order_id);
  });

  it('with one key are one until it is over; then the key makes another', async () => {
    const key = { 'Idempotency-Key': 'cart-77' };
    const first = await create(key);
    expect((await create(key)).order_id).toBe(first.order_id);
    await cancel(first.order_id);
    const second = await create(key);
    expect([second.order_state, second.order_id === first.order_id]).toEqual([
      'WaitingForPayment',
      false,
    ]);
    expect((await create(key)).order_id).toBe(second.order_id);
  });

  it('with a key that has bought are what it bought', async () => {
    const key = { 'Idempotency-Key': 'cart-78' };
    const payment = via('BTC', 'Mainnet');
    const first = await create(key, { payment });
    await post(`/sandbox/orders/${first.order_id}/pay`, {});
    await expect
      .poll(async () => (await create(key, { payment })).order_state, { timeout: 15_000 })
      .toBe('Done');
    const again = await create(key, { payment, acquisition: { utm_source: 'mail' } });
    expect([again.order_id, again.deliveries?.[0]?.deliverable.pin_code]).toEqual([
      first.order_id,
      expect.stringMatching(/./),
    ]);
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
