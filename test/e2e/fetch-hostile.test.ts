/** `scrip fetch` at hosts that cheat: nothing is signed, or nothing of theirs reaches the terminal. */
import { describe, expect, it } from 'vitest';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { makeHome } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { payee, serveAnswers } from '../support/paid-host.ts';
import { serveHere } from '../support/served-here.ts';
import { fundedWallet } from '../support/shop.ts';
import { requirementTo } from '../support/x402-payer.ts';

const home = makeHome();
const sandbox = await serveHere(home, true);
const payer = await fundedWallet(home, sandbox.flags);
const ledger = ledgerAt(`${sandbox.url}/rpc`);
const [honest, thief] = [await payee(sandbox.url), await payee(sandbox.url)];
const usual = { ...(await requirementTo(sandbox.url, honest)), amount: '10000' };

interface Asked {
  readonly amount?: string;
  readonly payTo?: string;
  readonly network?: string;
  readonly asset?: string;
  readonly extra?: unknown;
}

function required(terms: Asked, expiresAt?: number): Response {
  const envelope = { x402Version: 2, accepts: [{ ...usual, ...terms }], expiresAt };
  const header = Buffer.from(JSON.stringify(envelope)).toString('base64');
  return new Response('pay', { status: 402, headers: { 'PAYMENT-REQUIRED': header } });
}

const PAST = Math.floor(Date.now() / 1_000) - 5;
const words = (url: string, ...more: string[]) => [
  ...['fetch', `${url}/page`, '--max-amount', '0.02', ...sandbox.flags, ...more],
];

/** At the first request the usual, already expired; then what is given. */
async function changing(second: Asked) {
  let asked = 0;
  return serveAnswers(() => {
    asked += 1;
    return asked === 1 ? required({}, PAST) : required(second);
  });
}

describe('between the first and the second 402', () => {
  it.each<[string, Asked, string]>([
    ['a higher amount, within the maximum', { amount: '20000' }, 'changed from 10000 to 20000'],
    ['a lower amount', { amount: '9999' }, 'changed from 10000 to 9999'],
    ['another recipient', { payTo: thief }, `changed from ${honest} to ${thief}`],
    ['another network', { network: 'eip155:8453' }, 'exact on eip155:8453'],
    ['another asset', { asset: thief }, thief],
  ])('%s is refused', async (_what, second, said) => {
    const host = await changing(second);
    const failure = await home.failure(words(host.url));
    expect(failure).toMatchObject({ code: 'REQUIREMENT_UNACCEPTABLE', funds_at_risk: 'none' });
    expect(failure.message).toContain(said);
    expect(host.paid).toEqual([]);
  });

  it('the same terms are paid', async () => {
    let asked = 0;
    const host = await serveAnswers((request) => {
      if (request.headers.has('payment-signature')) return new Response('here');
      asked += 1;
      return asked === 1 ? required({}, PAST) : required({});
    });
    expect((await home.run(words(host.url))).stdout).toBe('here');
    expect([asked, host.paid.length]).toEqual([2, 1]);
  });
});

describe('a 402', () => {
  it.each<[string, () => Response, string]>([
    ['over the maximum', () => required({ amount: '20001' }), 'AMOUNT_OVER_CAP'],
    ['of an odd amount', () => required({ amount: '1e4' }), 'REQUIREMENT_UNACCEPTABLE'],
    ['to the payer', () => required({ payTo: payer }), 'REQUIREMENT_UNACCEPTABLE'],
    ['to a token account', () => required({ payTo: USDC_MINT }), 'REQUIREMENT_UNACCEPTABLE'],
    [
      'with the payer as fee payer',
      () => required({ extra: { feePayer: payer } }),
      'REQUIREMENT_UNACCEPTABLE',
    ],
    ['of no known form', () => new Response('pay me', { status: 402 }), 'MERCHANT_REPLY_INVALID'],
    [
      'of version 1 on an unknown network',
      () =>
        Response.json(
          { x402Version: 1, accepts: [{ ...usual, network: 'polygon' }] },
          { status: 402 },
        ),
      'REQUIREMENT_UNACCEPTABLE',
    ],
    [
      'of version 1 that names a network by another name of its own',
      () =>
        Response.json(
          { x402Version: 1, accepts: [{ ...usual, network: '__proto__' }] },
          { status: 402 },
        ),
      'REQUIREMENT_UNACCEPTABLE',
    ],
  ])('%s is not paid', async (_what, answer, code) => {
    const host = await serveAnswers(answer);
    expect((await home.failure(words(host.url))).code).toBe(code);
    expect(host.paid).toEqual([]);
  });
});

describe('an answer', () => {
  it('that is longer than 16 MiB is refused, and nothing is paid for it', async () => {
    const host = await serveAnswers(() => new Response('x'.repeat(16 * 1024 * 1024 + 1)));
    expect((await home.failure(words(host.url))).code).toBe('MERCHANT_REPLY_INVALID');
  });

  it('that is a redirect is not followed, with a payment or without', async () => {
    const elsewhere = await serveAnswers(() => new Response('stolen'));
    const host = await serveAnswers(
      () => new Response(null, { status: 307, headers: { location: elsewhere.url } }),
    );
    const result = await home.run(words(host.url, '-i'));
    expect(result.stdout).toMatch(/^HTTP\/1\.1 307\r\n/);
    expect(elsewhere.paid).toEqual([]);
  });

  it('that calls a payment settled which was not is kept, and never paid for again', async () => {
    const before = (await ledger.payments(payer)).length;
    const settled = { success: true, transaction: 'none', network: SOLANA_MAINNET };
    const headers = { 'PAYMENT-RESPONSE': Buffer.from(JSON.stringify(settled)).toString('base64') };
    const host = await serveAnswers((request) =>
      request.headers.has('payment-signature')
        ? new Response('gone', { status: 410, headers })
        : required({}),
    );
    const key = ['--idempotency-key', 'liar'];
    expect(await home.run(words(host.url, ...key, '-f'))).toMatchObject({
      status: 4,
      stdout: 'gone',
    });
    expect(await home.run(words(host.url, ...key))).toMatchObject({ status: 0, stdout: 'gone' });
    expect(host.paid).toHaveLength(1);
    expect((await ledger.payments(payer)).length).toBe(before);
  });
});

describe('a request', () => {
  it.each([
    ['-H', 'X-Payment: mine'],
    ['-H', 'Content-Length: 1'],
    ['-H', 'no colon'],
    ['-X', 'GET /other'],
  ])('with %s %j is not sent', async (flag, value) => {
    const failure = await home.failure(words('https://host.example', flag, value));
    expect(failure.code).toBe('INPUT_INVALID');
  });
});
