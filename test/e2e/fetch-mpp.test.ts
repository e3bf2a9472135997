/** `scrip fetch` at hosts of MPP, which ask for a payment by `WWW-Authenticate: Payment`. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FetchedRecord } from '../../src/cli/schemas/purchase.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { baseLedgerAt, ledgerAt } from '../support/ledger.ts';
import { mppOnBase, mppOnSolana } from '../support/mpp-host.ts';
import { type PaidHost, payee, paymentIn, serveAnswers } from '../support/paid-host.ts';
import { serveHere } from '../support/served-here.ts';
import { fundedWallet, markPlay } from '../support/shop.ts';

const served = makeHome();
const sandbox = await serveHere(served, true);
const ledger = ledgerAt(`${sandbox.url}/rpc`);
const host = await mppOnSolana(sandbox.url, {}, true);

const WALLET = '.local/share/scrip/wallets/sandbox.json';
const words = ({ url }: Pick<PaidHost, 'url'>, ...more: string[]) => [
  ...['fetch', `${url}/report`, '--max-amount', '0.02', ...sandbox.flags, ...more],
];

async function funded(): Promise<{ readonly home: Home; readonly payer: string }> {
  const home = makeHome();
  return { home, payer: await fundedWallet(home, sandbox.flags, '5') };
}

describe('a host of mppx that takes USDC on Solana', () => {
  it('is paid once for a key, and its answer is kept', async () => {
    const { home, payer } = await funded();
    const key = ['--idempotency-key', 'once'];
    const first = await home.json<FetchedRecord>(words(host, ...key));
    expect(first).toMatchObject({
      ...{ status: 200, body: expect.stringContaining('"fine"') },
      payment: { amount: '0.01', transaction: (await ledger.payments(payer))[0] },
    });
    expect((await home.json<FetchedRecord>(words(host, ...key))).body).toBe(first.body);
    expect(await ledger.payments(payer)).toHaveLength(1);
    expect(await home.json(['inspect', `${host.url}/report`, ...sandbox.flags])).toMatchObject({
      ...{ ok: true, amount: '0.01' },
    });
  });

  it('has its reference in the memo of the payment', async () => {
    const { home, payer } = await funded();
    const named = await mppOnSolana(sandbox.url, { externalId: 'invoice 7' });
    expect((await home.run(words(named))).stdout).toContain('"fine"');
    expect(await ledger.payments(payer)).toHaveLength(1);
  });

  it.each(['attempt-written', 'goods-read'])(
    'killed at %s and run again, it is paid once, with the same bytes',
    async (point) => {
      const { home, payer } = await funded();
      const before = host.paid.length;
      const env = { SCRIP_TEST: '1', SCRIP_FAIL_POINT: point };
      expect((await home.run(words(host), { env })).signal).toBe('SIGKILL');
      const again = await home.run(words(host));
      expect(again.stdout, again.stderr).toContain('"fine"');
      expect(await ledger.payments(payer)).toHaveLength(1);
      const sent = host.paid.slice(before).map(({ headers }) => paymentIn(headers));
      expect(new Set(sent).size).toBe(1);
    },
  );

  it('is paid once for a key by two machines of one wallet', async () => {
    const { home, payer } = await funded();
    const other = makeHome();
    const key = ['--idempotency-key', 'anywhere'];
    mkdirSync(dirname(join(other.dir, WALLET)), { recursive: true });
    copyFileSync(join(home.dir, WALLET), join(other.dir, WALLET));
    markPlay(other, payer);
    expect((await home.run(words(host, ...key))).stdout).toContain('"fine"');
    expect(await other.failure(words(host, ...key))).toMatchObject({
      ...{ code: 'PAID_ELSEWHERE', funds_at_risk: 'spent' },
    });
    expect(await ledger.payments(payer)).toHaveLength(1);
  });

  it('is not paid over the maximum, nor by a request with an Authorization of its own', async () => {
    const { home, payer } = await funded();
    const before = host.paid.length;
    const over = ['fetch', `${host.url}/report`, '--max-amount', '0.001', ...sandbox.flags];
    const own = words(host, '-H', 'Authorization: Bearer mine');
    const codes = [(await home.failure(over)).code, (await home.failure(own)).code];
    expect(codes).toEqual(['AMOUNT_OVER_CAP', 'REQUIREMENT_UNACCEPTABLE']);
    expect(host.paid).toHaveLength(before);
    expect(await ledger.payments(payer)).toEqual([]);
  });
});

describe('a host of mppx that takes USDC on Base', () => {
  it('offers x402 as well, and is paid by that', async () => {
    const home = makeHome();
    const base = await mppOnBase(sandbox.url);
    await home.json(['wallet', 'new', ...sandbox.flags]);
    await home.json(['wallet', 'fund', '--network', 'base', ...sandbox.flags]);
    const { payment } = await home.json<FetchedRecord>(words(base));
    expect(payment).toMatchObject({ amount: '0.01', network: 'eip155:8453' });
    expect(base.paid.map(({ headers }) => headers.has('payment-signature'))).toEqual([true]);
    const paid = await baseLedgerAt(`${sandbox.url}/rpc/base`).credits(payment?.pay_to ?? '');
    expect([...paid.values()]).toEqual([10_000n]);
  });
});

describe('what scrip does not pay by MPP', () => {
  it.each([
    ['a payer who pays the fee', async () => mppOnSolana(sandbox.url, { isPayerCharged: true })],
    [
      'several recipients',
      async () =>
        mppOnSolana(sandbox.url, {
          splits: [{ recipient: await payee(sandbox.url), amount: '1000' }],
        }),
    ],
  ])('%s', async (_what, open) => {
    const { home, payer } = await funded();
    const failure = await home.failure(words(await open()));
    expect(failure).toMatchObject({ code: 'MERCHANT_REPLY_INVALID', funds_at_risk: 'none' });
    expect(failure.message).toContain('asks for a payment by MPP: solana charge');
    expect(await ledger.payments(payer)).toEqual([]);
  });

  it('is named with its methods, by inspect too', async () => {
    const { home } = await funded();
    const asked = ['tempo', 'stripe'].map(
      (method) =>
        `Payment id="x", realm="api.example", method="${method}", intent="charge", request="e30"`,
    );
    const headers = { 'WWW-Authenticate': `Basic realm="a, b", ${asked.join(', ')}` };
    const other = await serveAnswers(() => new Response('pay', { status: 402, headers }));
    const failures = [
      await home.failure(words(other)),
      await home.failure(['inspect', other.url, ...sandbox.flags]),
    ];
    for (const { message, details } of failures) {
      expect(message).toContain('by MPP: tempo charge, stripe charge');
      expect(details.methods).toEqual(['tempo charge', 'stripe charge']);
    }
  });
});
