/** What the operator of a shop lists: orders of both surfaces. */
import { afterAll, expect, it } from 'vitest';
import { listOrders } from '../../src/service/operator/order-desk.ts';
import { partnerSandbox } from '../support/partner-sandbox.ts';
import { orderRow } from '../support/store-suite.ts';

const host = await partnerSandbox();
afterAll(() => host.close());
const list = (state?: string, limit = 10) => listOrders(host.current().store, { state, limit });

it('has the orders under way, the oldest first, and ended ones by their state', async () => {
  const { store } = host.current();
  const first = await host.create();
  await host.pass(1_000);
  const atMs = host.clock.now();
  const row = orderRow({ orderId: 'checkout-1', createdAtMs: atMs, updatedAtMs: atMs });
  await store.tables.orders.insert(row, []);
  await host.pass(1_000);
  const last = await host.create();
  const ids = async (state?: string, limit?: number) =>
    (await list(state, limit)).map(({ order_id }) => order_id);
  expect(await ids()).toEqual([first.order_id, 'checkout-1', last.order_id]);
  expect(await ids(undefined, 2)).toEqual([first.order_id, 'checkout-1']);
  expect(await list('processing')).toEqual([
    {
      order_id: 'checkout-1',
      surface: 'checkout',
      state: 'processing',
      payment_state: null,
      partner_id: null,
      created_at: new Date(atMs).toISOString(),
      updated_at: new Date(atMs).toISOString(),
    },
  ]);
  await host.post(`/sandbox/orders/${first.order_id}/cancel`, {});
  expect(await ids('Canceled')).toEqual([first.order_id]);
  expect(await ids()).toEqual(['checkout-1', last.order_id]);
  expect((await list('WaitingForPayment'))[0]).toMatchObject({
    surface: 'partner',
    partner_id: 'shop-1',
    payment_state: 'PaymentRequested',
  });
});
