/** Whom the fee payer pays for: sessions of its own host, and callers that the operator named. */
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

const TOKENS = { books: 'b'.repeat(32), music: 'm'.repeat(32) };
/** What a payment of the public client costs: two signatures, and its priority fee rounded up. */
const FEE = 10_001n;
/** Ten payments, and not quite an eleventh. */
const MUSIC_BUDGET = 10n * FEE + FEE - 1n;

const SETTLING = ['--settle-for', 'callers.json'];

let home: Home;
let sandbox: ServedSandbox;
let payer: X402Payer;
/** A transfer between two wallets of the payer's own. */
let toSelf: PaymentRequirements;

beforeAll(async () => {
  home = makeHome();
  const callers = [
    { name: 'books', token: TOKENS.books, lamports_per_day: 1_000_000 },
    { name: 'music', token: TOKENS.music, lamports_per_day: Number(MUSIC_BUDGET) },
  ];
  writeFileSync(join(home.dir, 'callers.json'), JSON.stringify({ callers }), { mode: 0o600 });
  sandbox = await serveSandbox(home, SETTLING);
  payer = await x402Payer(sandbox.url);
  const other = await x402Payer(sandbox.url);
  toSelf = await requirementTo(sandbox.url, other.address);
});
afterAll(async () => {
  await sandbox.stop();
  home.remove();
});

interface Settled {
  readonly status: number;
  readonly success: boolean;
  readonly errorReason?: string;
}

async function settle(body: FacilitatorBody, authorization?: string): Promise<Settled> {
  const response = await fetch(`${sandbox.url}/settle`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
    },
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

/** The public client, named by a token or by none. */
function publicClient(token?: string): HTTPFacilitatorClient {
  const headers: Record<string, string> =
    token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return new HTTPFacilitatorClient({
    url: sandbox.url,
    createAuthHeaders: async () => ({ verify: headers, settle: headers, supported: headers }),
  });
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

  it.each(['', 'Bearer ', `Bearer ${TOKENS.books}x`, TOKENS.books, `Basic ${TOKENS.books}`])(
    'who call themselves "%s" stay strangers',
    async (authorization) => {
      const [payment] = await payments(1);
      if (payment) expect(await settle(payment, authorization)).toMatchObject({ status: 401 });
    },
  );

  it('may ask what is supported and have payments verified, by the public client as well', async () => {
    const client = publicClient();
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

describe('a caller that the operator named', () => {
  it('has payments settled, by the public client with its own way to name itself', async () => {
    const before = await lamports();
    const { paymentPayload, paymentRequirements } = await payer.pay(toSelf);
    const client = publicClient(TOKENS.books);
    expect(await client.settle(paymentPayload, paymentRequirements)).toMatchObject({
      success: true,
      payer: payer.address,
    });
    // A repeat is the same settlement, and costs nothing more.
    expect(await client.settle(paymentPayload, paymentRequirements)).toMatchObject({
      success: true,
    });
    expect(before - (await lamports())).toBe(FEE);
  });

  it('gets its budget and not a lamport more, whatever comes at once, and after a restart', async () => {
    const before = await lamports();
    const authorization = `Bearer ${TOKENS.music}`;
    const replies = await Promise.all(
      (await payments(50)).map((payment) => settle(payment, authorization)),
    );
    expect(replies.filter(({ success }) => success)).toHaveLength(10);
    for (const reply of replies.filter(({ success }) => !success)) {
      expect(reply).toMatchObject({ status: 200, errorReason: 'caller_budget_exhausted' });
    }
    expect(before - (await lamports())).toBe(10n * FEE);

    await sandbox.stop();
    sandbox = await serveSandbox(home, [...SETTLING, '--port', new URL(sandbox.url).port]);
    const [late] = await payments(1);
    if (late) expect(await settle(late, authorization)).toMatchObject({ success: false });
    expect(before - (await lamports())).toBe(10n * FEE);
    const { callers } = await home.json<{ callers: unknown }>(['sandbox', 'audit']);
    expect(callers).toEqual([
      { caller: 'books', payments: 1, lamports: FEE.toString() },
      { caller: 'music', payments: 10, lamports: (10n * FEE).toString() },
    ]);
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
    const poor = await serveSandbox(home, [
      '--fee-payer-floor',
      '2',
      '--settle-for',
      'callers.json',
    ]);
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
    const headers = { authorization: `Bearer ${TOKENS.books}` };
    for (const path of ['/verify', '/settle']) {
      const reply = await fetch(poor.url + path, { method: 'POST', headers, body });
      expect([path, reply.status, reply.headers.get('retry-after')]).toEqual([path, 503, '60']);
    }
    await rpc(poor.url, 'requestAirdrop', [toSelf.extra.feePayer, 2_000_000_000]);
    expect((await ask()).status).toBe(402);
    await poor.stop();
    expect(log).toContain(`the fee payer ${toSelf.extra.feePayer} has `);
  });
});

describe('scrip sandbox', () => {
  it.each([
    [['--settle-for', 'callers.json', '--facilitator', 'https://f.example'], '--settle-for'],
    [['--fee-payer-floor', '1', '--facilitator', 'https://f.example'], '--fee-payer-floor'],
    [['--facilitator-token', 'callers.json'], '--facilitator-token'],
  ])('refuses %j', async (flags, named) => {
    const { status, stderr } = await home.run(['sandbox', '--port', '0', ...flags]);
    expect([status, stderr.includes(named)]).toEqual([2, true]);
  });

  it('reads tokens from private files alone, and quotes none of them', async () => {
    const token = 't'.repeat(40);
    const files: readonly (readonly [string, unknown, number, number])[] = [
      ['open.json', { callers: [] }, 0o644, 13],
      [
        'twins.json',
        { callers: ['a', 'b'].map((name) => ({ name, token, lamports_per_day: 1 })) },
        0o600,
        2,
      ],
      [
        'short.json',
        { callers: [{ name: 'a', token: 't'.repeat(31), lamports_per_day: 1 }] },
        0o600,
        2,
      ],
      ['broken.json', `{"callers": [${token}`, 0o600, 2],
    ];
    for (const [name, content, mode, expected] of files) {
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      writeFileSync(join(home.dir, name), text, { mode });
      const run = await home.run(['sandbox', '--port', '0', '--verbose', '--settle-for', name]);
      expect([name, run.status]).toEqual([name, expected]);
      expect(run.stderr + run.stdout).not.toContain('ttttt');
    }
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
    writeFileSync(join(home.dir, 'token'), `${TOKENS.books}\n`, { mode: 0o600 });
    const shop = await serveSandbox(home, [
      '--facilitator',
      `http://127.0.0.1:${port}`,
      '--facilitator-token',
      'token',
    ]);
    await fetch(`${shop.url}/supported`);
    expect(seen).toEqual([`Bearer ${TOKENS.books}`]);
    await shop.stop();
    elsewhere.close();
  });
});
