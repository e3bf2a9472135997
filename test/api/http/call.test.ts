import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call } from '../../../src/api/http/call.ts';
import {
  getBrands,
  getCatalog,
  getOrder,
  getPrice,
  postOrder,
} from '../../../src/contract/checkout.ts';
import { endpoint } from '../../../src/contract/endpoint.ts';
import type { Fetch, Reply } from '../../../src/contract/fetch.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { failureOf } from '../../support/failure.ts';
import { START_MS, skippingClock } from '../../support/manual-clock.ts';
import { jsonReply, networkError, scriptedFetch } from '../../support/scripted-fetch.ts';

const BASE = 'https://checkout.example';
const ORDER = { order_id: 'cr_1', status: 'processing' };
const ask = (fetch: Fetch) => call(fetch, BASE, getOrder, { order_id: 'cr_1' });
const askPatiently = (fetch: Fetch, clock = skippingClock()) =>
  call(fetch, BASE, getOrder, { order_id: 'cr_1' }, { clock });

describe('a request', () => {
  it('fills the path and escapes what is put there', async () => {
    const { fetch, asked } = scriptedFetch(jsonReply(200, ORDER));
    await call(fetch, BASE, getOrder, { order_id: 'a/b?c d' });
    expect(asked[0]?.url).toBe(`${BASE}/v1/orders/a%2Fb%3Fc%20d`);
  });

  it('refuses half a character, which no address can hold', async () => {
    const { fetch, asked } = scriptedFetch(jsonReply(200, []));
    const inPath = call(fetch, BASE, getOrder, { order_id: '\ud800' });
    const inQuery = call(fetch, BASE, getCatalog, { country_code: 'us', brand_name: 'x\udc00' });
    for (const one of [inPath, inQuery]) expect((await failureOf(one)).code).toBe('INPUT_INVALID');
    expect(asked).toEqual([]);
  });

  it.each(['.', '..'])('refuses %s as a path field: it would name another resource', async (id) => {
    const { fetch, asked } = scriptedFetch(jsonReply(200, ORDER));
    expect((await failureOf(call(fetch, BASE, getOrder, { order_id: id }))).code).toBe(
      'INPUT_INVALID',
    );
    expect(asked).toEqual([]);
  });

  it('puts the rest of a GET into the query, with plain &, and leaves out what is undefined', async () => {
    const { fetch, asked } = scriptedFetch(
      jsonReply(200, {
        product_id: 'p',
        brand_name: 'B',
        is_range: false,
        currency: 'USD',
        price_usdc: '1',
        quote_expires_at: '2026-01-01T00:00:00Z',
      }),
    );
    const input = {
      product_id: 'p',
      country_code: 'us',
      brand_name: 'A & B+',
      product_value: undefined,
    };
    await call(fetch, BASE, getPrice, input);
    expect(asked[0]?.url).toBe(
      `${BASE}/v1/price?product_id=p&country_code=us&brand_name=A%20%26%20B%2B`,
    );
    expect(asked[0]?.init).toMatchObject({ method: 'GET', redirect: 'error' });
  });

  it('puts the rest of a POST into a JSON body', async () => {
    const row = endpoint({
      name: 'test',
      method: 'POST',
      path: '/v1/things/{id}',
      summary: 'test',
      input: () => z.object({ id: z.string(), size: z.number() }),
      output: () => z.object({ ok: z.boolean() }),
    });
    const { fetch, asked } = scriptedFetch(jsonReply(200, { ok: true }));
    const headers = { 'x-extra': '1' };
    expect(await call(fetch, BASE, row, { id: '7', size: 2 }, { headers })).toEqual({ ok: true });
    expect(asked[0]).toMatchObject({
      url: `${BASE}/v1/things/7`,
      init: {
        body: '{"size":2}',
        headers: { 'content-type': 'application/json', 'x-extra': '1' },
      },
    });
  });

  it('is not sent when the input breaks its schema, and the field is named', async () => {
    const { fetch, asked } = scriptedFetch(jsonReply(200, []));
    const error = await failureOf(call(fetch, BASE, getBrands, { country_code: 'US' }));
    expect(error.code).toBe('INPUT_INVALID');
    expect(error.message).toContain('country_code');
    expect(asked).toEqual([]);
  });
});

describe('a reply', () => {
  it('is read tolerantly: numbers are texts, broken optional fields count as absent', async () => {
    const body = {
      order_id: 'cr_1',
      status: 'completed',
      new_field: 1,
      deliveries: [
        { voucher_code: 'TEST-1', url: '', barcode_image_url: null, pin_serial: 12, extra: {} },
        { voucher_code: 'TEST-2' },
      ],
    };
    expect(await ask(scriptedFetch(jsonReply(200, body)).fetch)).toEqual({
      order_id: 'cr_1',
      status: 'completed',
      deliveries: [{ voucher_code: 'TEST-1', pin_serial: '12' }, { voucher_code: 'TEST-2' }],
    });
  });

  it.each([
    ['no JSON', '<html>'],
    ['nothing', ''],
    ['another shape', '[]'],
    ['nothing of an order', '{"order_id":"cr_1","error":"away"}'],
  ])('with %s is not of this interface', async (_name, text) => {
    const error = await failureOf(ask(scriptedFetch(jsonReply(200, text)).fetch));
    expect(error.code).toBe('MERCHANT_REPLY_INVALID');
    expect(error.message).toContain('checkout.example');
  });

  it.each([
    ['no id', '{"status":"processing"}', 'processing'],
    ['a status in capitals', '{"order_id":"cr_1","status":"COMPLETED"}', 'completed'],
    ['an unknown status', '{"order_id":"cr_1","status":"settling"}', 'processing'],
    [
      'an unknown status and all goods',
      '{"status":"fulfilled","deliveries":[{"delivery_state":"done","pin":"1"}]}',
      'completed',
    ],
    ['goods alone', '{"deliveries":[{"delivery_state":"failed"}]}', 'failed'],
  ])('with %s is read', async (_name, text, status) => {
    const read = await ask(scriptedFetch(jsonReply(200, text)).fetch);
    expect(read).toMatchObject({ order_id: 'cr_1', status });
  });

  it('whatever it holds, only a ScripError escapes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 200, max: 599 }), fc.json(), async (status, text) => {
        const isBodiless = [204, 205, 304].includes(status);
        const reply = new Response(isBodiless ? null : text, { status });
        await ask(scriptedFetch(reply).fetch).catch((error: unknown) =>
          expect(error).toBeInstanceOf(ScripError),
        );
      }),
    );
  });

  it('that does not end is cut off at its cap', async () => {
    let chunks = 0;
    const endless: Reply = {
      status: 200,
      headers: new Headers(),
      body: {
        async *[Symbol.asyncIterator]() {
          for (;;) {
            chunks += 1;
            yield new Uint8Array(256 * 1024);
          }
        },
      },
      text: async () => '',
    };
    expect((await failureOf(ask(scriptedFetch(endless).fetch))).code).toBe(
      'MERCHANT_REPLY_INVALID',
    );
    expect(chunks).toBe(9);
  });

  it('of a list may be larger', async () => {
    const brand = { brand_name: 'B'.repeat(1_000), family: 'Gift Cards', category: 'games' };
    const list = Array(3_000).fill(brand);
    const { fetch } = scriptedFetch(jsonReply(200, list));
    expect(await call(fetch, BASE, getBrands, { country_code: 'us' })).toHaveLength(3_000);
  });
});

describe('a status', () => {
  const rows: readonly (readonly [number, unknown, string])[] = [
    [400, { error: 'bad', message: 'No.' }, 'MERCHANT_REFUSED'],
    [400, { error: 'value_out_of_range' }, 'VALUE_OUT_OF_RANGE'],
    [400, { error: 'country_not_supported' }, 'COUNTRY_NOT_SOLD'],
    [400, { error: 'constructor' }, 'MERCHANT_REFUSED'],
    [400, { error: 'unknown_family' }, 'FAMILY_UNKNOWN'],
    [400, '<html>', 'MERCHANT_REPLY_INVALID'],
    [403, { error: 'forbidden' }, 'MERCHANT_REFUSED'],
    [404, { error: 'gone' }, 'ORDER_UNKNOWN'],
    [404, '<html>', 'MERCHANT_REPLY_INVALID'],
    [409, { error: 'conflict' }, 'MERCHANT_REFUSED'],
    [429, '', 'RATE_LIMITED'],
    [500, '', 'MERCHANT_ERROR'],
    [502, { error: 'supplier' }, 'MERCHANT_ERROR'],
    [503, '', 'MERCHANT_ERROR'],
    [204, undefined, 'MERCHANT_REPLY_INVALID'],
    [301, '', 'REDIRECT_REFUSED'],
    [307, '', 'REDIRECT_REFUSED'],
    [304, undefined, 'MERCHANT_REPLY_INVALID'],
  ];

  it.each(rows)('%i with %j is %s', async (status, body, code) => {
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    const reply = new Response((text as string | undefined) ?? null, { status });
    expect((await failureOf(ask(scriptedFetch(reply).fetch))).code).toBe(code);
  });

  it('404 of a price is an unknown product', async () => {
    const { fetch } = scriptedFetch(jsonReply(404, { error: 'none' }));
    const input = { product_id: 'p', country_code: 'us', brand_name: 'B' };
    expect((await failureOf(call(fetch, BASE, getPrice, input))).code).toBe('PRODUCT_UNKNOWN');
  });

  it('brings the merchant’s own code and words, cut short', async () => {
    const body = { error: 'bad_email', message: 'x'.repeat(5_000) };
    const error = await failureOf(ask(scriptedFetch(jsonReply(400, body)).fetch));
    expect(error.details).toMatchObject({ status: 400, error: 'bad_email' });
    expect(error.message.length).toBeLessThan(400);
  });
});

describe('repetition', () => {
  it.each([
    ['a network error', networkError('ECONNRESET')],
    ['502', jsonReply(502, '')],
    ['503', jsonReply(503, '')],
    ['429', jsonReply(429, '')],
  ])('a read is sent again after %s, with growing waits', async (_name, failure) => {
    const clock = skippingClock();
    const { fetch, asked } = scriptedFetch(failure, failure, jsonReply(200, ORDER));
    expect(await askPatiently(fetch, clock)).toEqual(ORDER);
    expect(asked).toHaveLength(3);
    expect(clock.now() - START_MS).toBe(1_500);
  });

  it('gives up after three tries', async () => {
    const { fetch, asked } = scriptedFetch(networkError('ECONNREFUSED'));
    const error = await failureOf(askPatiently(fetch));
    expect(error.code).toBe('NETWORK_UNREACHABLE');
    expect(error.message).toBe('checkout.example is unreachable (ECONNREFUSED)');
    expect(asked).toHaveLength(3);
  });

  it('honours Retry-After', async () => {
    const clock = skippingClock();
    const busy = jsonReply(429, '', { 'retry-after': '7' });
    await askPatiently(scriptedFetch(busy, jsonReply(200, ORDER)).fetch, clock);
    expect(clock.now() - START_MS).toBe(7_000);
  });

  it('does not wait longer than a person would', async () => {
    const busy = jsonReply(503, '', { 'retry-after': '3600' });
    const { fetch, asked } = scriptedFetch(busy);
    expect((await failureOf(askPatiently(fetch))).details.retry_after_ms).toBe(3_600_000);
    expect(asked).toHaveLength(1);
  });

  it('never repeats a call that is no read', async () => {
    const { fetch, asked } = scriptedFetch(networkError('ECONNRESET'));
    const input = {
      email: 'a@example.com',
      items: [{ product_id: 'p', beneficiary_account: 'a' }],
    };
    await failureOf(call(fetch, BASE, postOrder, input, { clock: skippingClock() }));
    expect(asked).toHaveLength(1);
  });
});

describe('time', () => {
  const never: Fetch = () => new Promise(() => undefined);

  it('a host that never answers, and a fetch that heeds no signal, end at the timeout', async () => {
    const error = await failureOf(
      call(never, BASE, getOrder, { order_id: 'cr_1' }, { timeoutMs: 1 }),
    );
    expect(error.code).toBe('NETWORK_UNREACHABLE');
    expect(error.message).toContain('did not answer within 1 s');
  });

  it('the user’s interruption ends a call at once', async () => {
    const controller = new AbortController();
    const work = call(never, BASE, getOrder, { order_id: 'cr_1' }, { signal: controller.signal });
    controller.abort();
    expect(await failureOf(work)).toMatchObject({ code: 'INTERRUPTED', fundsAtRisk: 'none' });
  });

  it('the user’s interruption ends the wait before another try', async () => {
    const controller = new AbortController();
    const clock = skippingClock();
    const { fetch } = scriptedFetch(networkError('ECONNRESET'));
    const interrupting = {
      ...clock,
      sleep: async () => {
        controller.abort();
        controller.signal.throwIfAborted();
      },
    };
    const options = { clock: interrupting, signal: controller.signal };
    const work = call(fetch, BASE, getOrder, { order_id: 'cr_1' }, options);
    expect((await failureOf(work)).code).toBe('INTERRUPTED');
  });
});
