/** `scrip fetch` at hosts of both versions of x402: one payment, and the answer as it came. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FetchedRecord, fetched } from '../../src/cli/schemas/purchase.ts';
import { makeHome } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { BINARY, expressHost, onBase, onSolana, paidHost } from '../support/paid-host.ts';
import { serveHere } from '../support/served-here.ts';
import { fundedWallet, type OrderDocument } from '../support/shop.ts';

const home = makeHome();
const sandbox = await serveHere(home, true);
const payer = await fundedWallet(home, sandbox.flags);
const ledger = ledgerAt(`${sandbox.url}/rpc`);
const [solana, onEvm] = [await onSolana(sandbox.url), await onBase(sandbox.url)];
const [reference, old] = [await paidHost(2, solana), await paidHost(1, solana)];
const express = await expressHost(solana);
const hosts = [
  await paidHost(2, onEvm),
  await paidHost(1, onEvm),
  await expressHost(onEvm),
] as const;

const AT_MOST = ['--max-amount', '0.02'] as const;
const words = (url: string, ...more: string[]) => [
  'fetch',
  url,
  ...AT_MOST,
  ...sandbox.flags,
  ...more,
];

async function paymentsOf<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const before = (await ledger.payments(payer)).length;
  const result = await work();
  return [result, (await ledger.payments(payer)).length - before];
}

describe.each([
  ['x402 version 2, of @x402/hono', reference, 'payment-signature'],
  ['x402 version 2, of @x402/express', express, 'payment-signature'],
  ['x402 version 1', old, 'x-payment'],
] as const)('a host of %s', (_what, host, header) => {
  it('is paid once, and its answer is printed', async () => {
    const [printed, paid] = await paymentsOf(() =>
      home.json<FetchedRecord>(words(`${host.url}/report`)),
    );
    expect(fetched().parse(printed)).toMatchObject({
      status: 200,
      content_type: expect.stringContaining('application/json'),
      body: expect.stringContaining('"fine"'),
      payment: { amount: '0.01', amount_atomic: '10000' },
    });
    expect(paid).toBe(1);
    expect(host.paid.at(-1)?.headers.has(header)).toBe(true);
  });

  it('is sent method, headers and body, and the same bytes come out', async () => {
    const file = join(home.dir, 'body.txt');
    writeFileSync(file, 'a question');
    const request = ['-X', 'POST', '-H', 'X-Own: yes', '-d', `@${file}`];
    const result = await home.run(words(`${host.url}/echo`, ...request));
    expect(result).toMatchObject({ status: 0, stdout: 'a question!' });
    expect(host.paid.at(-1)?.headers.get('x-own')).toBe('yes');
  });

  it('gives one answer for a key, and is paid once', async () => {
    const key = ['--idempotency-key', host.url];
    const [answers, paid] = await paymentsOf(async () => {
      const first = await home.run(words(`${host.url}/report`, ...key));
      const second = await home.run(words(`${host.url}/report`, ...key));
      return [first, second];
    });
    const { host: name } = new URL(host.url);
    expect(answers).toMatchObject([
      { status: 0, stderr: expect.stringContaining(`Paid 0.01 USDC to ${name} in `) },
      { status: 0, stderr: expect.stringMatching(/^Nothing was paid this time/) },
    ]);
    expect(answers[1]?.stdout).toBe(answers[0]?.stdout);
    expect(paid).toBe(1);
    const other = await home.failure(words(`${host.url}/binary`, ...key));
    expect(other.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it('is inspected without a payment', async () => {
    const [found, paid] = await paymentsOf(() =>
      home.json(['inspect', `${host.url}/report`, ...sandbox.flags]),
    );
    expect(found).toMatchObject({ ok: true, amount: '0.01' });
    const posted = ['-X', 'POST', '-H', 'X-Own: yes', '-d', 'a question'];
    const echo = ['inspect', `${host.url}/echo`, ...posted, ...sandbox.flags];
    expect(await home.json(echo)).toMatchObject({ ok: true });
    expect(paid).toBe(0);
  });
});

describe('an address that asks for a sign-in', () => {
  it.each([['fetch'], ['inspect']])(
    'is named so by %s, with the command that signs in',
    async (verb) => {
      const asked = [verb, `${sandbox.url}/v1/orders`, ...AT_MOST, ...sandbox.flags];
      expect(await home.failure(asked)).toMatchObject({
        code: 'MERCHANT_REPLY_INVALID',
        message: expect.stringContaining('asks for a sign-in with a wallet'),
        hint: expect.stringMatching(new RegExp(`scrip orders recover .*${sandbox.url}$`)),
      });
      expect((await home.failure(['inspect', 'amazon', '25', '-d', 'x'])).code).toBe('USAGE');
    },
  );
});

describe('a host that is paid on Base', () => {
  const owner = makeHome();
  const atBase = (url: string, ...more: string[]) => [
    ...['fetch', url, ...AT_MOST, ...sandbox.flags, ...more],
  ];

  it('gets what it asks for from a wallet with a key for Base, of either version', async () => {
    await owner.run(['wallet', 'new', ...sandbox.flags]);
    const funded = await owner.run(['wallet', 'fund', '--network', 'base', ...sandbox.flags]);
    expect(funded.status, funded.stderr).toBe(0);
    for (const host of hosts) {
      const key = ['--idempotency-key', host.url];
      const words = atBase(`${host.url}/report`, ...key);
      const printed = await owner.json<FetchedRecord>(words);
      expect(printed).toMatchObject({
        status: 200,
        payment: { amount: '0.01', network: 'eip155:8453', transaction: expect.any(String) },
      });
      expect((await owner.json<FetchedRecord>(words)).body).toBe(printed.body);
      expect(host.paid).toHaveLength(1);
    }
    const failure = await owner.failure(atBase(`${hosts[0].url}/report`, '--network', 'solana'));
    expect(failure.code).toBe('REQUIREMENT_UNACCEPTABLE');
    expect(failure.message).toContain('exact on eip155:8453');
  });
});

describe('the answer', () => {
  it('is written to a file as it came, and printed with --include', async () => {
    const file = join(home.dir, 'out.bin');
    const result = await home.run(words(`${reference.url}/binary`, '-o', file));
    expect(result).toMatchObject({ status: 0, stdout: '' });
    expect(new Uint8Array(readFileSync(file))).toEqual(BINARY);
    const included = await home.run(words(`${reference.url}/report`, '-i'));
    expect(included.stdout).toMatch(/^HTTP\/1\.1 200\r\n(?:[a-z-]+: .*\r\n)+\r\n\{/);
  });

  it('is base64 in JSON if it is no text', async () => {
    const { body_base64: body } = fetched().parse(
      await home.json(words(`${reference.url}/binary`)),
    );
    expect(new Uint8Array(Buffer.from(body ?? '', 'base64'))).toEqual(BINARY);
  });

  it.each([
    ['/empty', 204],
    ['/moved', 302],
  ])('%s is one too', async (path, status) => {
    const printed = await home.json<FetchedRecord>(words(`${reference.url}${path}`));
    expect(printed).toMatchObject({ status, payment: { amount: '0.01' } });
  });

  it('may have 16 MiB', async () => {
    const result = await home.run(words(`${reference.url}/large`));
    expect([result.status, result.stdout.length]).toEqual([0, 16 * 1024 * 1024]);
  });

  it('of a host that asks for nothing is printed as it is', async () => {
    const free = await home.run(words(`${reference.url}/free`));
    expect(free).toMatchObject({ status: 0, stdout: 'for nothing' });
    const bad = await home.run(words(`${reference.url}/bad`));
    expect(bad).toMatchObject({ status: 0, stdout: 'bad request' });
    const failed = await home.run(words(`${reference.url}/bad`, '--fail'));
    expect(failed).toMatchObject({ status: 4, stdout: 'bad request' });
  });
});

describe('a purchase of an answer', () => {
  it('is among the orders, and is shown and printed again', async () => {
    const { payment, body } = await home.json<FetchedRecord>(words(`${reference.url}/report`));
    const id = payment?.intent_id ?? '';
    const [order] = await home.json<OrderDocument[]>(['orders', ...sandbox.flags]);
    expect(order).toMatchObject({
      status: 'completed',
      amount: '0.01',
      product_name: `GET ${new URL(reference.url).host}/report`,
    });
    expect(await home.json(['orders', 'show', id])).toMatchObject({ status: 'completed' });
    const revealed = await home.run(['orders', 'reveal', id]);
    expect(revealed).toMatchObject({ status: 0, stdout: body });
  });

  it('is refused over the maximum, and without one', async () => {
    const [codes, paid] = await paymentsOf(async () => {
      const url = `${reference.url}/report`;
      const over = ['fetch', url, '--max-amount', '0.001', ...sandbox.flags];
      const none = ['fetch', url, ...sandbox.flags];
      return [(await home.failure(over)).code, (await home.failure(none)).code];
    });
    expect(codes).toEqual(['AMOUNT_OVER_CAP', 'TERMINAL_REQUIRED']);
    expect(paid).toBe(0);
  });

  it('is not paid if the handler fails, and not known to be lost before that is proven', async () => {
    const soon = [`${reference.url}/missing`, '--timeout', '3s'] as const;
    const [failure, paid] = await paymentsOf(() => home.failure(words(...soon)));
    expect(failure).toMatchObject({ code: 'OUTCOME_UNKNOWN', status: 9 });
    expect(failure.message).toContain('http_404');
    expect(paid).toBe(0);
  });
});
