import { describe, expect, test } from 'vitest';
import type { Fetch, FetchInit } from '../../src/contract/fetch.ts';
import { t } from '../../src/domain/message.ts';
import { createRemoteFacilitator } from '../../src/rails/facilitator-http.ts';
import type { PaymentFate } from '../../src/rails/rail.ts';
import { manualClock, START_MS } from '../support/manual-clock.ts';
import { payerSigned, payloadOf, REQUIREMENT } from '../support/solana-payment.ts';

interface Seen {
  readonly url: string;
  readonly init: FetchInit;
}

const pending: PaymentFate = { fate: 'pending' };

function remote(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
  found: PaymentFate = pending,
) {
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
  const fate = async () => found;
  return { ...createRemoteFacilitator({ url, fetch, clock: manualClock(), fate }), seen };
}

const payload = payloadOf(await payerSigned());
const settled = { success: true, transaction: 'tx', network: REQUIREMENT.network, payer: 'p' };

describe('a facilitator elsewhere', () => {
  test('is asked what it supports', async () => {
    const kinds = [{ x402Version: 2, scheme: 'exact', network: REQUIREMENT.network }];
    const { supported, seen } = remote(200, { kinds });
    expect(await supported()).toMatchObject({ kinds });
    expect(seen[0]).toMatchObject({
      url: 'https://facilitator.example/x402/supported',
      init: { method: 'GET', redirect: 'error' },
    });
  });

  test.each(['verify', 'settle'] as const)(
    'is given payment and requirement to %s',
    async (call) => {
      const answer = call === 'verify' ? { isValid: true, payer: 'p' } : settled;
      const { seen, ...port } = remote(200, answer);
      expect(await port[call](payload, REQUIREMENT)).toEqual(answer);
      expect(seen[0]?.url).toBe(`https://facilitator.example/x402/${call}`);
      expect(seen[0]?.init.redirect).toBe('error');
      expect(JSON.parse(seen[0]?.init.body ?? '')).toEqual({
        x402Version: 2,
        paymentPayload: { ...payload, accepted: REQUIREMENT },
        paymentRequirements: REQUIREMENT,
      });
    },
  );

  test('keeps what the payer accepted', async () => {
    const accepted = { ...REQUIREMENT, description: 'as the payer saw it' };
    const { settle, seen } = remote(200, settled);
    await settle({ ...payload, accepted }, REQUIREMENT);
    expect(JSON.parse(seen[0]?.init.body ?? '')).toMatchObject({ paymentPayload: { accepted } });
  });

  test.each([200, 400, 402])('refuses with status %d and a verdict', async (status) => {
    const verdict = { isValid: false, invalidReason: 'invalid_exact_svm_payload_amount_mismatch' };
    expect(await remote(status, verdict).verify(payload, REQUIREMENT)).toMatchObject(verdict);
  });
});

describe('a settlement that the facilitator refuses', () => {
  const landed: PaymentFate = { fate: 'landed', transaction: 'tx-landed', slot: 7 };
  const dead: PaymentFate = { fate: 'dead', proof: t`expired and absent` };
  const refusal = (errorReason: string) => ({
    success: false,
    transaction: '',
    network: REQUIREMENT.network,
    errorReason,
  });
  const forgotten = refusal('invalid_exact_svm_transaction_simulation_failed');
  const settle = (status: number, body: unknown, found: PaymentFate) =>
    remote(status, body, {}, found).settle(payload, REQUIREMENT);

  test.each([
    ['that forgot it', 200, forgotten],
    ['that takes it for a repeat', 200, refusal('duplicate_settlement')],
    ['that waits for it', 200, refusal('settlement_pending')],
    ['that is gone', 503, 'busy'],
  ])('is a success when the payment is on the chain: by one %s', async (_who, status, body) => {
    expect(await settle(status, body, landed)).toMatchObject({
      success: true,
      transaction: 'tx-landed',
    });
  });

  test.each<PaymentFate>([pending, { fate: 'unknown', reason: t`no node` }])(
    'is undecided while the payment may land: $fate',
    async (found) => {
      expect(await settle(200, forgotten, found)).toMatchObject({
        success: false,
        errorReason: 'settlement_pending',
      });
    },
  );

  test.each([
    ['in its words', 200, forgotten, forgotten.errorReason],
    [
      'though it waits',
      200,
      refusal('settlement_pending'),
      'invalid_exact_svm_transaction_expired',
    ],
    ['though it is gone', 503, 'busy', 'invalid_exact_svm_transaction_expired'],
  ])('has failed when the payment cannot land: %s', async (_how, status, body, errorReason) => {
    expect(await settle(status, body, dead)).toMatchObject({ success: false, errorReason });
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
    await expect(remote(503, '').verify(payload, REQUIREMENT)).rejects.toMatchObject({
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

  test('when it is unreachable', async () => {
    const cause = new TypeError('fetch failed');
    const fetch: Fetch = () => Promise.reject(cause);
    const port = createRemoteFacilitator({
      url: 'https://x.example',
      fetch,
      clock: manualClock(),
      fate: async () => pending,
    });
    await expect(port.settle(payload, REQUIREMENT)).rejects.toMatchObject({
      code: 'FACILITATOR_UNAVAILABLE',
      fundsAtRisk: 'possible',
      cause,
    });
  });
});
