/** Whom the fee payer pays for: sessions of its own host. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PaymentRequirements } from '@x402/core/types';
import { describe, expect, it } from 'vitest';
import { BASE, SOLANA_MAINNET } from '../../src/contract/usdc.ts';
import { makeHome } from '../support/cli.ts';
import { openFrontHost } from '../support/front-host.ts';
import { ledgerAt } from '../support/ledger.ts';
import { postJson } from '../support/post-json.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, buy, fundedWallet } from '../support/shop.ts';
import { type FacilitatorBody, requirementTo, rpc, x402Payer } from '../support/x402-payer.ts';

const TOKEN = 'b'.repeat(32);

const home = makeHome();
const sandbox = await serveSandbox(home);
const payer = await x402Payer(sandbox.url);
const other = await x402Payer(sandbox.url);
const { fixed } = amazonProducts();
const ORDER = {
  email: 'you@example.com',
  items: [{ ...fixed, beneficiary_account: 'friend@example.com' }],
};
const toSelf = await requirementTo(sandbox.url, other.address);

interface Settled {
  readonly status: number;
  readonly success: boolean;
  readonly errorReason?: string;
}

async function settle(body: FacilitatorBody): Promise<Settled> {
  const response = await postJson(`${sandbox.url}/settle`, { x402Version: 2, ...body });
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
});

describe('a payment for a session of the host', () => {
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    postJson(`${sandbox.url}/v1/orders`, body, headers);

  async function order() {
    const body = ORDER;
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
  it('signs nothing: its network is not offered, 503 where it is named, and a line in the log', async () => {
    const poor = await serveSandbox(home, ['--fee-payer-floor', '2']);
    const offered = async () => {
      const asked = await postJson(`${poor.url}/v1/orders`, ORDER);
      expect(asked.status).toBe(402);
      const { accepts } = (await asked.json()) as { accepts: PaymentRequirements[] };
      return accepts.map(({ network }) => network);
    };
    expect(await offered()).toEqual([BASE]);
    const payment = { x402Version: 2, ...(await payer.pay(toSelf)) };
    const reply = await postJson(`${poor.url}/verify`, payment);
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '60']);
    await rpc(poor.url, 'requestAirdrop', [toSelf.extra.feePayer, 2_000_000_000]);
    expect(await offered()).toEqual([SOLANA_MAINNET, BASE]);
    await poor.stop();
    expect(poor.warnings()).toContain(`the fee payer ${toSelf.extra.feePayer} has `);
  });
});

describe('scrip sandbox', () => {
  it.each([
    [['--fee-payer-floor', '1', '--facilitator', 'https://f.example'], '--fee-payer-floor'],
    [['--facilitator-token', 'callers.json'], '--facilitator-token'],
    [['--facilitator', 'http://example.com'], '--facilitator'],
  ])('refuses %j', async (flags, named) => {
    const { status, stderr } = await home.run(['sandbox', '--port', '0', ...flags]);
    expect([status, stderr.includes(named)]).toEqual([2, true]);
  });

  it('sells by a facilitator elsewhere, which it tells who it is by the token of a file', async () => {
    const named: (string | undefined)[] = [];
    const elsewhere = await openFrontHost(sandbox.url, {
      hear: ({ headers }) => {
        named.push(headers.authorization);
        return {};
      },
    });
    writeFileSync(join(home.dir, 'token'), `${TOKEN}\n`, { mode: 0o600 });
    // Both processes share one folder, and so one chain; only the first one settles.
    const by = ['--facilitator', elsewhere.url, '--facilitator-token', 'token'];
    const shop = await serveSandbox(home, by);
    const owner = await fundedWallet(home, shop.flags);
    const { transaction } = await buy(home, fixed.product_id, shop.flags);
    expect(await ledgerAt(`${shop.url}/rpc`).payments(owner)).toEqual([transaction]);
    expect(new Set(named)).toEqual(new Set([`Bearer ${TOKEN}`]));
  });
});
