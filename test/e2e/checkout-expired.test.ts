/** An order of the checkout host whose payment ran out: `expired`, told by status, webhook and track. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeHeader } from '../../src/contract/x402.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { type ServedHere, serveHere } from '../support/served-here.ts';
import { amazonProducts } from '../support/shop.ts';
import { x402Payer } from '../support/x402-payer.ts';

let home: Home;
let shop: ServedHere;
beforeAll(async () => {
  home = makeHome();
  shop = await serveHere(home);
});
afterAll(async () => {
  await shop.stop();
});

it('is expired once its payment has run out, and track says so: exit status 10', async () => {
  const { fixed } = amazonProducts();
  const payer = await x402Payer(shop.url);
  const body = JSON.stringify({
    email: 'ann+expired@example.com',
    items: [{ product_id: fixed.product_id, beneficiary_account: 'friend@example.com' }],
  });
  const post = (headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${shop.url}/v1/orders`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
    });
  const challenge = JSON.parse(await (await post()).text());
  const { paymentPayload } = await payer.pay(challenge.accepts[0]);
  const signature = { 'PAYMENT-SIGNATURE': encodeHeader(paymentPayload) };
  const reply = await post(signature);
  const receipt = JSON.parse(await reply.text());
  expect([reply.status, receipt.status]).toEqual([200, 'processing']);
  const read = async () => JSON.parse(await (await fetch(receipt.poll_url)).text());
  await expect.poll(async () => (await read()).status).toBe('expired');
  expect((await read()).deliveries).toEqual([
    expect.objectContaining({
      delivery_state: 'failed',
      failure_reason: 'The payment was not made in time.',
    }),
  ]);
  // The same payment again is told that nothing was charged.
  const again = await post(signature);
  expect([again.status, JSON.parse(await again.text()).error]).toEqual([402, 'settlement_failed']);
  const followed = await home.run(['track', receipt.order_id, '--json', ...shop.flags]);
  expect(followed.status).toBe(10);
  expect(JSON.parse(followed.stderr).error.code).toBe('ORDER_EXPIRED');
});
