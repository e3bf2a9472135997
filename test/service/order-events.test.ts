/** Changes of orders, as streams and webhooks find them. */
import { expect, it } from 'vitest';
import { checkoutHost } from '../support/checkout-host.ts';

const ORDER = {
  email: 'ann@example.com',
  items: [{ product_id: 'amazon-25', beneficiary_account: 'friend@example.com' }],
};

it('every status of a checkout order is an event, told to the address it named', async () => {
  const host = await checkoutHost();
  const callback_url = 'https://shop.example/hook';
  const paid = await host.pay(await host.challenge({ ...ORDER, callback_url }));
  const { order_id } = (await paid.json()) as { order_id: string };
  await host.service.tick();
  const events = await host.store.tables.orderEvents.since(order_id, 0);
  expect(events.map(({ seq, body }) => [seq, body])).toEqual([
    [1, '{"status":"processing"}'],
    [2, '{"status":"completed"}'],
  ]);
  const outbox = await host.store.tables.outbox.byState('pending', 10);
  expect(outbox.map(({ orderId, seq, url }) => [orderId, seq, url])).toEqual([
    [order_id, 1, callback_url],
    [order_id, 2, callback_url],
  ]);
});

it('an order that named no address has events and no webhooks', async () => {
  const host = await checkoutHost();
  const { order_id } = await host.buy();
  expect(await host.store.tables.orderEvents.latestSeq(order_id)).toBe(1);
  expect(await host.store.tables.outbox.byState('pending', 10)).toEqual([]);
});
