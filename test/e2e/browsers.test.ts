/** The service as a web browser meets it: pages, forms, scripts of other origins, EventSource. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WirePartnerOrder } from '../../src/contract/partner-orders.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { orderBody } from '../support/partner-sandbox.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';

const APPLICATION = 'web-shop';

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

async function createOrder(more: Record<string, unknown> = {}): Promise<WirePartnerOrder> {
  const response = await fetch(`${sandbox.url}/v5/orders`, {
    method: 'POST',
    headers: { 'X-Cr-Application': APPLICATION },
    body: JSON.stringify(orderBody(more)),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as WirePartnerOrder;
}

it("the button of a processor's page pays, as a browser posts its form", async () => {
  const { checkout_url } = await createOrder({ payment: { type: 'binance_pay', coin: 'USDT' } });
  const page = await (await fetch(checkout_url ?? '')).text();
  const [, method, action = ''] = /<form method="(\w+)" action="([^"]+)">/.exec(page) ?? [];
  const paid = await fetch(new URL(action, checkout_url ?? ''), {
    method: method ?? '',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: sandbox.url },
    body: '',
  });
  expect([paid.status, await paid.json()]).toMatchObject([
    200,
    { payment_state: 'PaymentStarted' },
  ]);
});
