/** What a partner is told of its order while it is paid and delivered. */
import { afterEach, expect, it } from 'vitest';
import type { WirePartnerOrder } from '../../src/contract/partner-orders.ts';
import type { SendWebhook } from '../../src/domain/address/webhook-address.ts';
import {
  APPLICATION,
  jsonOf,
  orderBody,
  type PartnerSandbox,
  partnerSandbox,
} from '../support/partner-sandbox.ts';
import { verifyThen } from '../support/webhook-receiver.ts';

let shop: PartnerSandbox;
afterEach(() => shop.close());

it('tells every change of state to Done, signed for the order and its partner, without goods', async () => {
  const messages: Parameters<SendWebhook>[0][] = [];
  const send: SendWebhook = async (message) => {
    messages.push(message);
    return { status: 204 };
  };
  shop = await partnerSandbox({ webhooks: { send, isPrivateAllowed: false } });
  const reply = await shop.post(
    '/v5/orders',
    orderBody({ state_transition_notification_url: 'https://shop.example/hook' }),
  );
  const secret = reply.headers.get('X-Scrip-Webhook-Secret') ?? '';
  const order = await jsonOf<WirePartnerOrder>(reply);
  await shop.transfer(order.wallet_address ?? '', 25_250_000n);
  for (let round = 0; round < 60; round += 1) {
    await shop.pass(1_000);
    if ((await shop.read(order.order_id)).order_state === 'Done') break;
  }
  const isTold = () => messages.some(({ body }) => JSON.parse(body).data.order_state === 'Done');
  const tell = async () => {
    await shop?.pass(1_000);
    return isTold();
  };
  await expect.poll(tell, { interval: 5, timeout: 20_000 }).toBe(true);

  const done = await shop.read(order.order_id);
  const code = done.deliveries?.[0]?.deliverable.pin_code ?? '';
  expect(code).toMatch(/^TEST-/);
  const states = messages.map(({ body }) => JSON.parse(body).data.order_state);
  expect(states[0]).toBe('WaitingForPayment');
  expect(states).toContain('WaitingForDelivery');
  expect(states).toContain('Done');
  expect(new Set(messages.map(({ headers }) => headers['webhook-id'])).size).toBe(messages.length);
  const partnerSecret = await shop.current().webhookSecret(APPLICATION);
  for (const { url, body, headers } of messages) {
    expect(url).toBe('https://shop.example/hook');
    expect(Object.keys(JSON.parse(body).data)).toEqual([
      'order_id',
      'order_state',
      'payment_state',
      'seq',
    ]);
    expect(body).not.toContain(code);
    expect(body).not.toContain('@example.com');
    for (const key of [secret, partnerSecret]) verifyThen(key, body, headers);
  }
});

it('refuses an address on a private network when the order is made', async () => {
  const send: SendWebhook = async () => ({ status: 204 });
  shop = await partnerSandbox({ webhooks: { send, isPrivateAllowed: false } });
  for (const url of [
    'https://127.0.0.1/hook',
    'https://[::1]/hook',
    'http://shop.example/hook',
    'https://10.0.0.8/',
  ]) {
    const reply = await shop.post(
      '/v5/orders',
      orderBody({ state_transition_notification_url: url }),
    );
    expect([url, reply.status]).toEqual([url, 400]);
  }
});
