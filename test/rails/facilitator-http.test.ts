import { describe, expect, test } from 'vitest';
import type { Fetch, FetchInit } from '../../src/contract/fetch.ts';
import { createFacilitatorClient, readFacilitatorTerms } from '../../src/rails/facilitator-http.ts';
import { manualClock, START_MS } from '../support/manual-clock.ts';
import {
  FEE_PAYER,
  payerSigned,
  payloadOf,
  REQUIREMENT,
  STRANGER,
} from '../support/solana-payment.ts';

interface Seen {
  readonly url: string;
  readonly init: FetchInit;
}

const HEADERS = { authorization: 'Bearer t0ken', 'x-api-key': 'k' };

function remote(status: number, body: unknown, headers: Record<string, string> = {}) {
  const seen: Seen[] = [];
  const fetch: Fetch = async (url, init = {}) => {
    seen.push({ url, init });
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return {
      status,
      headers: { get: (name) => headers[name.toLowerCase()] ?? null },
      body: null,
      text: async () => text,
    };
  };
  const url = 'https://facilitator.example/x402';
  const client = createFacilitatorClient({ url, fetch, clock: manualClock(), headers: HEADERS });
  return { ...client, seen };
}

const payload = payloadOf(await payerSigned());
const { network } = REQUIREMENT;
const settled = { success: true, transaction: 'tx', network, payer: 'p' };
const KIND = { x402Version: 2, scheme: 'exact', network, extra: { feePayer: FEE_PAYER.address } };

describe('a facilitator elsewhere', () => {
  test('is asked what it supports, with the headers that name us', async () => {
    const { supported, seen } = remote(200, { kinds: [KIND] });
    expect(await supported()).toMatchObject({ kinds: [KIND] });
    expect(seen[0]).toMatchObject({
      url: 'https://facilitator.example/x402/supported',
      init: { method: 'GET', redirect: 'error', headers: HEADERS },
    });
  });

  test('is given payment and requirement to settle, in the fields of the standard alone', async () => {
    const { settle, seen } = remote(200, settled);
    const described = { ...REQUIREMENT, description: 'what the buyer buys' };
    const accepted = { ...described, extra: { ...REQUIREMENT.extra, sessionId: 'secret' } };
    expect(await settle({ ...payload, accepted }, described)).toEqual(settled);
    expect(seen[0]?.url).toBe('https://facilitator.example/x402/settle');
    expect(seen[0]?.init).toMatchObject({ redirect: 'error', headers: HEADERS });
    const { maxAmountRequired, ...standard } = REQUIREMENT;
    expect(JSON.parse(seen[0]?.init.body ?? '')).toEqual({
      x402Version: 2,
      paymentPayload: { x402Version: 2, accepted: standard, payload: payload.payload },
      paymentRequirements: standard,
    });
  });

  test.each([200, 400, 402])('refuses with status %d and a verdict', async (status) => {
    const verdict = { ...settled, success: false, errorReason: 'invalid_exact_svm_payload' };
    expect(await remote(status, verdict).settle(payload, REQUIREMENT)).toMatchObject(verdict);
  });
});

describe('what a facilitator supports', () => {
  const termsOf = (answers: readonly unknown[]) => {
    const clock = manualClock();
    let calls = 0;
    const supported = async () => {
      const answer = answers[calls] ?? answers.at(-1);
      calls += 1;
      return (await remote(answer === 'away' ? 503 : 200, answer).supported()) as never;
    };
    return {
      ...readFacilitatorTerms({ supported }, { network, clock }),
      clock,
      count: () => calls,
    };
  };

  test('is asked for once a minute, and only what is ours is kept', async () => {
    const other = { ...KIND, network: 'eip155:8453' };
    const signers = { 'solana:*': [STRANGER.address], 'eip155:*': ['0x1'] };
    const terms = termsOf([{ kinds: [other, KIND], signers }]);
    const current = await terms.current();
    expect(current).toEqual({
      kinds: [KIND],
      extensions: [],
      signers: { 'solana:*': [STRANGER.address] },
    });
    terms.clock.advance(59_999);
    const managed = [FEE_PAYER.address, STRANGER.address, '0x1', undefined];
    expect(await Promise.all(managed.map(terms.isManaged))).toEqual([true, true, false, false]);
    expect(terms.count()).toBe(1);
    terms.clock.advance(1);
    await terms.current();
    expect(terms.count()).toBe(2);
  });

  test('is unknown while it is away, and asked for again after five seconds', async () => {
    const terms = termsOf(['away', { kinds: [KIND] }]);
    await expect(terms.current()).rejects.toMatchObject({ code: 'FACILITATOR_UNAVAILABLE' });
    await expect(terms.current()).rejects.toMatchObject({ code: 'FACILITATOR_UNAVAILABLE' });
    expect(terms.count()).toBe(1);
    terms.clock.advance(5_000);
    expect((await terms.current()).kinds).toEqual([KIND]);
  });

  test.each([
    ['another version', { ...KIND, x402Version: 1 }],
    ['another scheme', { ...KIND, scheme: 'upto' }],
    ['another network', { ...KIND, network: 'eip155:8453' }],
    ['no fee payer', { ...KIND, extra: {} }],
  ])('is nothing of ours with %s', async (_what, kind) => {
    await expect(termsOf([{ kinds: [kind] }]).current()).rejects.toMatchObject({
      code: 'FACILITATOR_UNAVAILABLE',
      message: expect.stringContaining(network),
    });
  });
});

describe('is unavailable', () => {
  test.each<[string, number, unknown]>([
    ['at a 500, whatever it says', 500, settled],
    ['at a 503', 503, 'busy'],
    ['at a 429, whatever it says', 429, settled],
    ['at a 404', 404, { error: 'not found' }],
    ['at a verdict of another form', 200, { success: 'yes' }],
    ['at no JSON', 200, '<html>'],
  ])('%s', async (_name, status, body) => {
    await expect(remote(status, body).settle(payload, REQUIREMENT)).rejects.toMatchObject({
      code: 'FACILITATOR_UNAVAILABLE',
      fundsAtRisk: 'possible',
      details: { status },
    });
  });

  test('without money at risk when it was only asked', async () => {
    await expect(remote(503, '').supported()).rejects.toMatchObject({
      code: 'FACILITATOR_UNAVAILABLE',
      fundsAtRisk: 'none',
    });
  });

  test.each([
    ['2', 2_000],
    [new Date(START_MS + 5_000).toUTCString(), 5_000],
    [new Date(START_MS - 5_000).toUTCString(), 0],
    ['soon', undefined],
  ])('and says when to come back: %s', async (header, retryAfterMs) => {
    const away = remote(503, '', { 'retry-after': header }).supported();
    const error = await away.catch((caught: unknown) => caught);
    expect(error).toHaveProperty('details.status', 503);
    if (retryAfterMs === undefined) expect(error).not.toHaveProperty('details.retryAfterMs');
    else expect(error).toHaveProperty('details.retryAfterMs', retryAfterMs);
  });

  test('when it does not answer in time, whatever it does meanwhile', async () => {
    const fetch: Fetch = (_url, { signal } = {}) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    const address = { url: 'https://x.example', fetch, clock: manualClock(), settleMs: 1 };
    await expect(
      createFacilitatorClient(address).settle(payload, REQUIREMENT),
    ).rejects.toMatchObject({ code: 'FACILITATOR_UNAVAILABLE', fundsAtRisk: 'possible' });
  });

  test('when it is unreachable', async () => {
    const cause = new TypeError('fetch failed');
    const fetch: Fetch = () => Promise.reject(cause);
    const url = 'https://x.example';
    const client = createFacilitatorClient({ url, fetch, clock: manualClock() });
    await expect(client.settle(payload, REQUIREMENT)).rejects.toMatchObject({
      code: 'FACILITATOR_UNAVAILABLE',
      fundsAtRisk: 'possible',
      cause,
    });
  });
});
