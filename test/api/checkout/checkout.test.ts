import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CheckoutCall, challenge, submit } from '../../../src/api/checkout/checkout.ts';
import type { Fetch } from '../../../src/contract/fetch.ts';
import { encodeHeader, SOLANA_MAINNET } from '../../../src/contract/x402.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { START_MS, skippingClock } from '../../support/manual-clock.ts';
import { jsonReply, networkError, scriptedFetch } from '../../support/scripted-fetch.ts';

const REQUIRED = {
  x402Version: 2,
  accepts: [{ scheme: 'exact', network: SOLANA_MAINNET, unknown: { z: 1, a: 2 } }],
  expiresAt: 1,
  another: 'field',
};
const RECEIPT = { order_id: 'cr_1', status: 'processing', poll_url: '/v1/orders/cr_1' };
const PAYMENT = { header: 'exact bytes', sessionId: 'session-1' };

const request = (fetch: Fetch, over: Partial<CheckoutCall> = {}): CheckoutCall => ({
  fetch,
  baseUrl: 'https://checkout.example',
  body: '{"a":1}',
  network: 'solana',
  clock: skippingClock(),
  ...over,
});

describe('phase 1', () => {
  it('reads the header, in either alphabet, and keeps every field of it', async () => {
    const text = JSON.stringify(REQUIRED);
    for (const header of [
      encodeHeader(REQUIRED),
      Buffer.from(text).toString('base64'),
      Buffer.from(text).toString('base64url'),
    ]) {
      const reply = jsonReply(402, '{}', { 'payment-required': header, 'x-session-id': 's-1' });
      expect(await challenge(request(scriptedFetch(reply).fetch))).toEqual({
        required: REQUIRED,
        sessionId: 's-1',
        receivedAtMs: START_MS,
      });
    }
  });

  it('falls back to the body, and needs no session', async () => {
    const { fetch } = scriptedFetch(jsonReply(402, REQUIRED));
    expect(await challenge(request(fetch))).toMatchObject({ required: REQUIRED, sessionId: null });
  });

  it('sends no payment, the body as it is, and says which rail it prefers', async () => {
    const { fetch, asked } = scriptedFetch(jsonReply(402, REQUIRED));
    await challenge(request(fetch));
    expect(asked[0]).toMatchObject({
      url: 'https://checkout.example/v1/orders',
      init: { method: 'POST', body: '{"a":1}', redirect: 'error' },
    });
    expect(asked[0]?.init.headers).toMatchObject({ 'x-preferred-network': 'solana' });
    expect(Object.keys(asked[0]?.init.headers ?? {})).not.toContain('PAYMENT-SIGNATURE');
  });

  const rows: readonly (readonly [number, unknown, string])[] = [
    [200, RECEIPT, 'MERCHANT_REPLY_INVALID'],
    [402, '<html>', 'MERCHANT_REPLY_INVALID'],
    [
      402,
      { x402Version: 3, accepts: [{ scheme: 'exact', network: 'a' }] },
      'MERCHANT_REPLY_INVALID',
    ],
    [402, { x402Version: 2, accepts: [] }, 'MERCHANT_REPLY_INVALID'],
    [400, { error: 'out_of_stock' }, 'OUT_OF_STOCK'],
    [400, { error: 'invalid_beneficiary' }, 'BENEFICIARY_INVALID'],
    [404, { error: 'gone' }, 'PRODUCT_UNKNOWN'],
    [502, { error: 'supplier_error' }, 'MERCHANT_ERROR'],
    [503, { error: 'facilitator_unavailable' }, 'FACILITATOR_UNAVAILABLE'],
    [503, { error: 'shop_full' }, 'SHOP_FULL'],
    [307, '', 'REDIRECT_REFUSED'],
  ];

  it.each(rows)('%i with %j is %s', async (status, body, code) => {
    const { fetch } = scriptedFetch(jsonReply(status, body));
    await expect(challenge(request(fetch))).rejects.toMatchObject({ code });
  });

  it('only a ScripError escapes, whatever the header and the body hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.string(), async (value, text) => {
        const reply = jsonReply(402, text, { 'payment-required': encodeHeader(value) });
        await expect(challenge(request(scriptedFetch(reply).fetch))).rejects.toBeInstanceOf(
          ScripError,
        );
      }),
    );
  });
});

describe('phase 2', () => {
  it('sends exactly the bytes it was given, and the session', async () => {
    const { fetch, asked } = scriptedFetch(jsonReply(200, RECEIPT));
    await submit(request(fetch), PAYMENT);
    expect(asked[0]?.init).toMatchObject({ method: 'POST', body: '{"a":1}', redirect: 'error' });
    expect(asked[0]?.init.headers).toMatchObject({
      'PAYMENT-SIGNATURE': 'exact bytes',
      'X-Session-Id': 'session-1',
      'x-preferred-network': 'solana',
    });
  });

  it('without a session sends none', async () => {
    const { fetch, asked } = scriptedFetch(jsonReply(200, RECEIPT));
    await submit(request(fetch), { header: 'h', sessionId: null });
    expect(Object.keys(asked[0]?.init.headers ?? {})).not.toContain('X-Session-Id');
  });

  it('accepted: the receipt, and the transaction where the merchant names it', async () => {
    const header = encodeHeader({ success: true, transaction: 'tx', network: SOLANA_MAINNET });
    const { fetch } = scriptedFetch(jsonReply(200, RECEIPT, { 'payment-response': header }));
    expect(await submit(request(fetch), PAYMENT)).toEqual({
      kind: 'accepted',
      receipt: RECEIPT,
      transaction: 'tx',
    });
  });

  it.each(['not base64!', encodeHeader([1]), encodeHeader({ transaction: '' })])(
    'accepted: a settlement header of %j is only left out',
    async (header) => {
      const { fetch } = scriptedFetch(jsonReply(200, RECEIPT, { 'payment-response': header }));
      expect(await submit(request(fetch), PAYMENT)).toEqual({ kind: 'accepted', receipt: RECEIPT });
    },
  );

  it.each([400, 401, 402, 403, 404, 409, 410, 413, 422])('%i is refused', async (status) => {
    const { fetch } = scriptedFetch(jsonReply(status, { error: 'code', message: 'Words' }));
    expect(await submit(request(fetch), PAYMENT)).toEqual({
      kind: 'refused',
      status,
      error: 'code',
      message: 'Words',
    });
  });

  it('a refusal at settlement says why', async () => {
    const header = encodeHeader({
      success: false,
      transaction: '',
      network: SOLANA_MAINNET,
      errorReason: 'transaction_failed',
    });
    const { fetch } = scriptedFetch(jsonReply(402, '{}', { 'payment-response': header }));
    expect(await submit(request(fetch), PAYMENT)).toMatchObject({ message: 'transaction_failed' });
  });

  it.each([
    ['a network error', networkError('ECONNRESET')],
    ['408', jsonReply(408, '')],
    ['425', jsonReply(425, '')],
    ['429', jsonReply(429, '')],
    ['500', jsonReply(500, '')],
    ['502', jsonReply(502, '<html>')],
    ['503', jsonReply(503, { error: 'facilitator_unavailable' })],
    ['503 of a full shop', jsonReply(503, { error: 'shop_full' })],
    ['a redirect', jsonReply(308, '')],
    ['202', jsonReply(202, RECEIPT)],
    ['a receipt that is cut', jsonReply(200, '{"order_id":"cr')],
    ['a receipt without an id', jsonReply(200, { status: 'processing', poll_url: '/later' })],
    ['a receipt with an empty id', jsonReply(200, { ...RECEIPT, order_id: '' })],
  ])('%s says nothing', async (_name, answer) => {
    const { fetch } = scriptedFetch(answer);
    expect(await submit(request(fetch), PAYMENT)).toMatchObject({ kind: 'unclear' });
  });

  it('a receipt is told by the address of its status, and needs none where it has an id', async () => {
    const { order_id: _, ...named } = RECEIPT;
    const { poll_url: _url, ...bare } = RECEIPT;
    for (const body of [named, bare, { ...named, poll_url: 'https://h.example/v1/orders/cr_1' }]) {
      const { fetch } = scriptedFetch(jsonReply(200, body));
      const submission = await submit(request(fetch), PAYMENT);
      expect(submission).toMatchObject({ kind: 'accepted', receipt: { order_id: 'cr_1' } });
    }
  });

  it('passes on when to come again', async () => {
    const { fetch } = scriptedFetch(jsonReply(503, '', { 'retry-after': '3' }));
    expect(await submit(request(fetch), PAYMENT)).toMatchObject({ retryAfterMs: 3_000 });
  });

  it('a host that never answers says nothing', async () => {
    const never: Fetch = () => new Promise(() => undefined);
    expect(await submit(request(never, { timeoutMs: 1 }), PAYMENT)).toMatchObject({
      kind: 'unclear',
    });
  });

  it('whatever the reply, the answer is a value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 200, max: 599 }), fc.json(), async (status, text) => {
        const isBodiless = [204, 205, 304].includes(status);
        const reply = new Response(isBodiless ? null : text, { status });
        const { kind } = await submit(request(scriptedFetch(reply).fetch), PAYMENT);
        expect(['refused', 'unclear']).toContain(kind);
      }),
    );
  });
});
