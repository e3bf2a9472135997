import { describe, expect, it } from 'vitest';
import {
  decodeHeader,
  PAYMENT_REQUIRED_HEADER,
  SESSION_HEADER,
  SOLANA_MAINNET,
  USDC_MINT,
} from '../../src/contract/x402.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { solanaSignIn } from '../../src/rails/solana/ed25519.ts';
import { BASE_URL, bodyOf, checkoutHost, FEE_PAYER, ORDER } from '../support/checkout-host.ts';
import { START_MS } from '../support/manual-clock.ts';

const host = await checkoutHost();
const item = ORDER.items[0];

describe('phase 1', () => {
  it('answers 402 with the same JSON in header and body', async () => {
    const response = await host.post('/v1/orders', ORDER);
    const body = await bodyOf(response);
    expect(response.status).toBe(402);
    expect(decodeHeader(response.headers.get(PAYMENT_REQUIRED_HEADER) ?? '')).toEqual(body);
    expect(body).toEqual({
      x402Version: 2,
      error: 'payment_required',
      message: expect.any(String),
      resource: {
        url: `${BASE_URL}/v1/orders`,
        description: 'Amazon.com 25 USD',
        mimeType: 'application/json',
      },
      expiresAt: START_MS / 1000 + 60,
      accepts: [
        {
          scheme: 'exact',
          network: SOLANA_MAINNET,
          amount: '25250000',
          maxAmountRequired: '25250000',
          asset: USDC_MINT,
          payTo: expect.any(String),
          maxTimeoutSeconds: 60,
          extra: { feePayer: FEE_PAYER, sessionId: response.headers.get(SESSION_HEADER) },
          description: 'Amazon.com 25 USD',
        },
      ],
      extensions: {
        'payment-identifier': {
          info: { required: false },
          schema: {
            $schema: 'https://json-schema.org/draft/2020-12/schema',
            type: 'object',
            properties: {
              required: { type: 'boolean' },
              id: { type: 'string', minLength: 16, maxLength: 128 },
            },
            required: ['required'],
          },
        },
        // Verified in test/e2e/receipt.test.ts.
        'offer-receipt': {
          info: { offers: [{ format: 'jws', signature: expect.any(String), acceptIndex: 0 }] },
          schema: expect.any(Object),
        },
        bazaar: {
          info: {
            input: {
              type: 'http',
              method: 'POST',
              bodyType: 'json',
              body: {
                email: 'buyer@example.com',
                items: [{ product_id: 'amazon-25', beneficiary_account: 'friend@example.com' }],
              },
            },
            output: { type: 'json', example: expect.objectContaining({ status: 'processing' }) },
          },
          schema: expect.objectContaining({ type: 'object', required: ['input'] }),
        },
      },
    });
  });

  it('names a session by a random UUID and is kept by no cache', async () => {
    const [one, two] = [await host.post('/v1/orders', ORDER), await host.post('/v1/orders', ORDER)];
    const ids = [one, two].map(({ headers }) => headers.get(SESSION_HEADER));
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    expect(new Set(ids).size).toBe(2);
    expect(one.headers.get('Cache-Control')).toBe('no-store');
  });

  it('tells a client of x402 version 1 which header is read', async () => {
    const response = await host.post('/v1/orders', ORDER, { 'X-PAYMENT': 'e30=' });
    expect(response.status).toBe(400);
    expect(await bodyOf(response)).toMatchObject({
      error: 'payment_malformed',
      message: expect.stringContaining('PAYMENT-SIGNATURE'),
    });
  });

  it('asks for the sum of all lines, each session at a destination of its own', async () => {
    const items = [
      item,
      { ...item, product_id: 'amazon-range', product_value: 10 },
      { product_id: 'claro-20', beneficiary_account: '+5511987654321' },
    ];
    const one = await host.challenge({ ...ORDER, items });
    const two = await host.challenge({ ...ORDER, items });
    expect(one.requirement.maxAmountRequired).toBe(String(25_250_000 + 10_100_000 + 4_040_000));
    expect(one.requirement.description).toBe('Amazon.com 25 USD and 2 more');
    expect(one.requirement.payTo).not.toBe(two.requirement.payTo);
  });

  it('writes what was agreed before it answers', async () => {
    const { sessionId } = await host.challenge();
    expect(await host.store.tables.sessions.byId(sessionId)).toMatchObject({
      amountAtomic: '25250000',
      createdAtMs: START_MS,
      expiresAtMs: START_MS + 60_000,
    });
  });
});

describe('phase 1 refuses', () => {
  const range = { product_id: 'amazon-range' };
  /** An order of items that differ so from a good one. */
  const of = (...changes: readonly object[]) => ({
    ...ORDER,
    items: changes.map((change) => ({ ...item, ...change })),
  });
  it.each([
    ['a body that is no object', [], 'invalid_request'],
    ['no e-mail', { items: ORDER.items }, 'invalid_request'],
    ['no items', of(), 'invalid_request'],
    ['eleven items', of(...Array(11).fill({})), 'invalid_request'],
    ['a quantity of nothing', of({ quantity: 0 }), 'invalid_request'],
    ['eleven items by their quantities', of({}, { quantity: 10 }), 'invalid_request'],
    ['a callback that is not http', { ...ORDER, callback_url: 'file:///etc' }, 'invalid_request'],
    ['an unknown product', of({ product_id: 'x' }), 'product_not_found'],
    ['a product of a country without sales', of({ product_id: 'ice-5' }), 'product_not_found'],
    ['a range product without a value', of(range), 'value_required'],
    ['a value out of range', of({ ...range, product_value: 501 }), 'value_out_of_range'],
    ['a value off the step', of({ ...range, product_value: '6' }), 'value_off_step'],
    [
      'a phone number for a card',
      of({ beneficiary_account: '+15551234567' }),
      'invalid_beneficiary',
    ],
    ['an address for a top-up', of({ product_id: 'claro-20' }), 'invalid_beneficiary'],
    ['a brand that is out of stock', of({ product_id: 'nowhere-25' }), 'out_of_stock'],
  ])('%s with 400 %s', async (_what, body, error) => {
    const response = await host.post('/v1/orders', body);
    expect([response.status, (await bodyOf(response)).error]).toEqual([400, error]);
    expect(response.headers.get(SESSION_HEADER)).toBeNull();
  });

  it('names the item at fault', async () => {
    const items = [item, { ...item, product_id: 'x' }];
    const response = await host.post('/v1/orders', { ...ORDER, items });
    expect((await bodyOf(response)).message).toMatch(/^items\.1: /);
  });

  it('what the supplier has sold out', async () => {
    const soldOut = await checkoutHost();
    soldOut.script.check = () => 'out_of_stock';
    const response = await soldOut.post('/v1/orders', ORDER);
    expect([response.status, (await bodyOf(response)).error]).toEqual([400, 'out_of_stock']);
  });

  it('with 502 when the supplier cannot be asked, and says nothing of why', async () => {
    const broken = await checkoutHost();
    broken.script.check = () => {
      throw new ScripError('MERCHANT_ERROR', t`no route to 10.1.1.1`);
    };
    const response = await broken.post('/v1/orders', ORDER);
    const text = await response.text();
    expect([response.status, JSON.parse(text).error]).toEqual([502, 'supplier_error']);
    expect(text).not.toContain('10.1.1.1');
    expect(broken.faults).toHaveLength(1);
  });

  it('with 503 when no destination can be made', async () => {
    const rail = {
      network: SOLANA_MAINNET,
      asset: USDC_MINT,
      signIn: solanaSignIn,
      inspect: () => ({ messageHash: '', payer: '', source: '', payload: {} }),
      requirement: async () => {
        throw new ScripError('CHAIN_UNREACHABLE', t`no answer`);
      },
    };
    const response = await (await checkoutHost({ rail })).post('/v1/orders', ORDER);
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
  });
});
