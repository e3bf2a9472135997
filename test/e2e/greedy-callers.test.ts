/** A host that limits its callers, with greedy ones and honest ones at addresses of their own. */
import { platform } from 'node:os';
import type { PaymentRequirements } from '@x402/core/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { type Answered, holdIdle, sendFrom } from '../support/from-address.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import { type X402Payer, x402Payer } from '../support/x402-payer.ts';

// Only Linux answers on all of 127.0.0.0/8 without being told to.
describe.skipIf(platform() !== 'linux')('a host with greedy callers', () => {
  let home: Home;
  let sandbox: ServedSandbox;
  let payer: X402Payer;
  let order: string;

  beforeAll(async () => {
    home = makeHome();
    sandbox = await serveSandbox(home, ['--strict-limits']);
    payer = await x402Payer(sandbox.url);
    const reply = await fetch(`${sandbox.url}/v1/catalog?country_code=us&brand_name=Amazon.com`);
    const items = (await reply.json()) as {
      product_id: string;
      is_range: boolean;
      price_usdc: string;
    }[];
    const [cheapest] = items
      .filter(({ is_range }) => !is_range)
      .toSorted((one, other) => Number(one.price_usdc) - Number(other.price_usdc));
    order = JSON.stringify({
      email: 'you@example.com',
      items: [{ product_id: cheapest?.product_id, beneficiary_account: 'friend@example.com' }],
    });
  });
  afterAll(async () => {
    await sandbox.stop();
  });

  const ask = (address: string): Promise<Answered> =>
    sendFrom(address, `${sandbox.url}/v1/orders`, { method: 'POST', body: order });

  /** Asks for sessions until it is refused, and pays for none; how many it got. */
  async function grab(address: string): Promise<number> {
    for (let got = 0; ; got += 1) if ((await ask(address)).status !== 402) return got;
  }

  async function pay(address: string, asked: Answered): Promise<number> {
    if (asked.status !== 402) return asked.status;
    const { accepts } = JSON.parse(asked.body) as { accepts: [PaymentRequirements] };
    const { paymentPayload } = await payer.pay(accepts[0]);
    const paid = await sendFrom(address, `${sandbox.url}/v1/orders`, {
      method: 'POST',
      body: order,
      headers: {
        'PAYMENT-SIGNATURE': Buffer.from(JSON.stringify(paymentPayload)).toString('base64'),
      },
    });
    return paid.status;
  }

  it('sells to an honest one all it asks for while six take all they get', async () => {
    const greedy = Array.from({ length: 6 }, (_, last) => `127.0.6.${last + 1}`);
    for (const got of await Promise.all(greedy.map(grab))) expect(got).toBeGreaterThanOrEqual(10);
    const buyer = '127.0.6.100';
    const asked = await Promise.all(Array.from({ length: 10 }, () => ask(buyer)));
    const paid = await Promise.all(asked.map((session) => pay(buyer, session)));
    expect(paid).toEqual(paid.map(() => 200));
    // What is paid takes no place any more.
    expect(await grab(buyer)).toBeGreaterThanOrEqual(10);
  });

  it('answers at once while one address holds 2,100 connections that say nothing', async () => {
    const held = await holdIdle('127.0.7.1', sandbox.url, 2_100);
    // Every one of them has come to the server: it holds 2,048.
    await expect
      .poll(() => held.filter(({ destroyed }) => destroyed).length)
      .toBeGreaterThanOrEqual(52);
    const health = `${sandbox.url}/v1/brands?country_code=us`;
    expect((await sendFrom('127.0.7.2', health)).status).toBe(200);
    expect((await sendFrom('127.0.7.1', health)).status).toBe(200);
    for (const socket of held) socket.destroy();
  });
});
