/** Whom the fee payer pays for: sessions of its own host. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HTTPFacilitatorClient } from '@x402/core/server';
import type { PaymentRequirements } from '@x402/core/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import {
  type FacilitatorBody,
  requirementTo,
  rpc,
  type X402Payer,
  x402Payer,
} from '../support/x402-payer.ts';

const TOKEN = 'b'.repeat(32);

let home: Home;
let sandbox: ServedSandbox;
let payer: X402Payer;
/** A transfer between two wallets of the payer's own. */
let toSelf: PaymentRequirements;

beforeAll(async () => {
  home = makeHome();
  sandbox = await serveSandbox(home);
  payer = await x402Payer(sandbox.url);
  const other = await x402Payer(sandbox.url);
  toSelf = await requirementTo(sandbox.url, other.address);
});
afterAll(async () => {
  await sandbox.stop();
});

interface Settled {
  readonly status: number;
  readonly success: boolean;
  readonly errorReason?: string;
}

async function settle(body: FacilitatorBody): Promise<Settled> {
  const response = await fetch(`${sandbox.url}/settle`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ x402Version: 2, ...body }),
  });
  return { status: response.status, ...((await response.json()) as Omit<Settled, 'status'>) };
}

async function payments(count: number): Promise<readonly FacilitatorBody[]> {
  return Promise.all(Array.from({ length: count }, () => payer.pay(toSelf)));
}

/** What is left to the fee payer. */
async function lamports(): Promise<bigint> {
  const { value } = await rpc<{ value: number }>(sandbox.url, 'getBalance', [
    toSelf.extra.feePayer,
  ]);
  return BigInt(value);
}

describe('strangers', () => {
  it('have none of a hundred transfers between their own wallets paid for', async () => {
    const before = await lamports();
    const replies: Settled[] = [];
    // Ten at once: the sandbox gives a connection 10 s to say what it wants, also on a busy machine.
    for (let round = 0; round < 10; round += 1) {
      replies.push(...(await Promise.all((await payments(10)).map((payment) => settle(payment)))));
    }
    const refused = { status: 401, success: false, errorReason: 'caller_unauthorized' };
    expect(replies).toHaveLength(100);
    for (const reply of replies) expect(reply).toMatchObject(refused);
    expect(await lamports()).toBe(before);
  });

  it('may ask what is supported and have payments verified, by the public client as well', async () => {
    const client = new HTTPFacilitatorClient({ url: sandbox.url });
    expect((await client.getSupported()).kinds).toHaveLength(1);
    const { paymentPayload, paymentRequirements } = await payer.pay(toSelf);
    expect(await client.verify(paymentPayload, paymentRequirements)).toMatchObject({
      isValid: true,
      payer: payer.address,
    });
    await expect(client.settle(paymentPayload, paymentRequirements)).rejects.toMatchObject({
      name: 'SettleError',
      statusCode: 401,
      errorReason: 'caller_unauthorized',
    });
  });
});

describe('a payment for a session of the host', () => {
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${sandbox.url}/v1/orders`, { method: 'POST', body: JSON.stringify(body), headers });

  async function order() {
    const items = await fetch(
      `${sandbox.url}/v1/catalog?country_code=us&brand_name=Amazon.com`,
    ).then((reply) => reply.json() as Promise<{ product_id: string; is_range: boolean }[]>);
    const product_id = items.find(({ is_range }) => !is_range)?.product_id;
    const body = {
      email: 'you@example.com',
      items: [{ product_id, beneficiary_account: 'friend@example.com' }],
    };
    const reply = await post(body);
    const { accepts } = (await reply.json()) as { accepts: [PaymentRequirements] };
    return { body, requirement: accepts[0] };
  }

  it('is settled for anyone, and becomes the order of the session', async () => {
    const { body, requirement } = await order();
    const payment = await payer.pay(requirement);
    expect(await settle(payment)).toMatchObject({ status: 200, success: true });
    expect(await settle(await payer.pay(requirement))).toMatchObject({
      status: 200,
      success: false,
      errorReason: 'session_used',
    });
    // The buyer's own request comes after it, and gets the receipt.
    const header = Buffer.from(JSON.stringify(payment.paymentPayload)).toString('base64');
    const receipt = await post(body, { 'PAYMENT-SIGNATURE': header });
    expect(receipt.status).toBe(200);
    expect(await home.json(['sandbox', 'audit'])).toMatchObject({ agrees: true });
  });

  it('is held to what the session asked for, not to what the caller says it did', async () => {
    const { requirement } = await order();
    const before = await lamports();
    const less = { ...requirement, amount: '1', maxAmountRequired: '1' };
    expect(await settle(await payer.pay(less))).toMatchObject({
      status: 200,
      success: false,
      errorReason: 'invalid_exact_svm_payload_amount_mismatch',
    });
    expect(await lamports()).toBe(before);
  });
});

describe('a fee payer below its floor', () => {
  it('signs nothing: 503 at every place where money is asked for, and a line in the log', async () => {
    const poor = await serveSandbox(home, ['--fee-payer-floor', '2']);
    let log = '';
    poor.process.stderr?.on('data', (text: string) => {
      log += text;
    });
    const items = await fetch(`${poor.url}/v1/catalog?country_code=us&brand_name=Amazon.com`);
    const products = (await items.json()) as { product_id: string; is_range: boolean }[];
    const product_id = products.find(({ is_range }) => !is_range)?.product_id;
    const ask = () =>
      fetch(`${poor.url}/v1/orders`, {
        method: 'POST',
        body: JSON.stringify({
          email: 'you@example.com',
          items: [{ product_id, beneficiary_account: 'friend@example.com' }],
        }),
      });
    const asked = await ask();
    expect([asked.status, asked.headers.get('retry-after')]).toEqual([503, '60']);
    expect(await asked.json()).toMatchObject({ error: 'facilitator_unavailable' });
    const body = JSON.stringify({ x402Version: 2, ...(await payer.pay(toSelf)) });
    const reply = await fetch(`${poor.url}/verify`, { method: 'POST', body });
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '60']);
    await rpc(poor.url, 'requestAirdrop', [toSelf.extra.feePayer, 2_000_000_000]);
    expect((await ask()).status).toBe(402);
    await poor.stop();
    expect(log).toContain(`the fee payer ${toSelf.extra.feePayer} has `);
  });
});

describe('scrip sandbox', () => {
  it.each([
    [['--fee-payer-floor', '1', '--facilitator', 'https://f.example'], '--fee-payer-floor'],
    [['--facilitator-token', 'callers.json'], '--facilitator-token'],
  ])('refuses %j', async (flags, named) => {
    const { status, stderr } = await home.run(['sandbox', '--port', '0', ...flags]);
    expect([status, stderr.includes(named)]).toEqual([2, true]);
  });

  it('names itself to a facilitator elsewhere by the token of a file', async () => {
    const { createServer } = await import('node:http');
    const seen: (string | undefined)[] = [];
    const elsewhere = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end(JSON.stringify({ kinds: [] }));
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const address = elsewhere.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    writeFileSync(join(home.dir, 'token'), `${TOKEN}\n`, { mode: 0o600 });
    const shop = await serveSandbox(home, [
      '--facilitator',
      `http://127.0.0.1:${port}`,
      '--facilitator-token',
      'token',
    ]);
    await fetch(`${shop.url}/supported`);
    expect(seen).toEqual([`Bearer ${TOKEN}`]);
    await shop.stop();
    elsewhere.close();
  });
});
