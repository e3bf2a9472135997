import { describe, expect, it } from 'vitest';
import { WIRE_ERRORS } from '../../src/service/http/replies.ts';
import {
  away,
  bodyOf,
  checkoutHost,
  FEE_PAYER,
  ORDER,
  paymentFor,
} from '../support/checkout-host.ts';

const host = await checkoutHost();
const send = (path: string, init?: RequestInit) =>
  host.service.fetch(new Request(`https://checkout.example${path}`, init));

describe('routing', () => {
  it('lists its paths at the root', async () => {
    const { paths } = await bodyOf<{ paths: { method: string; path: string }[] }>(
      await host.get('/'),
    );
    expect(paths.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/brands',
      'GET /v1/catalog',
      'GET /v1/price',
      'POST /v1/orders',
      'GET /v1/orders',
      'GET /v1/orders/{order_id}',
      'GET /v1/orders/{order_id}/refunds',
      'GET /api/available-countries',
      'GET /.well-known/did.json',
      'GET /supported',
      'POST /verify',
      'POST /settle',
      'GET /.well-known/x402.json',
    ]);
  });

  it.each(['/nothing', '/v1', '/v1/orders/', '/v1/orders/a/b', '//', '/V1/brands'])(
    'answers %s with 404 and an Error body',
    async (path) => {
      const response = await host.get(path);
      expect([response.status, (await bodyOf(response)).error]).toEqual([404, 'not_found']);
    },
  );

  it.each([
    ['DELETE', '/v1/brands', 'GET'],
    ['POST', '/v1/orders/x', 'GET'],
    ['PUT', '/v1/orders', 'POST, GET'],
    ['PUT', '/settle', 'POST'],
  ])('answers %s %s with 405 and the method it has', async (method, path, allowed) => {
    const response = await send(path, { method });
    expect([response.status, response.headers.get('Allow')]).toEqual([405, allowed]);
    expect((await bodyOf(response)).error).toBe('method_not_allowed');
  });

  it('tells a program that asks with OPTIONS, but is no page, which method it has', async () => {
    const path = '/v1/orders';
    const asked = { 'Access-Control-Request-Method': 'POST', Origin: 'https://page.example' };
    const [probe, preflight] = [
      await send(path, { method: 'OPTIONS' }),
      await send(path, { method: 'OPTIONS', headers: asked }),
    ];
    expect([probe.status, probe.headers.get('Allow')]).toEqual([405, 'POST, GET']);
    expect([preflight.status, await preflight.text()]).toEqual([204, '']);
  });

  it('answers HEAD as GET, without the body', async () => {
    const response = await send('/v1/brands?country_code=us', { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it('says nothing of what broke, and reports it', async () => {
    const broken = await checkoutHost({
      clock: {
        now: () => {
          throw new Error('secret detail');
        },
      },
    });
    const response = await broken.post('/v1/orders', ORDER);
    const text = await response.text();
    expect([response.status, JSON.parse(text).error]).toEqual([500, 'internal_error']);
    expect(text).not.toContain('secret detail');
    expect(broken.faults).toHaveLength(1);
  });
});

describe('a body', () => {
  const post = (body: string | ReadableStream, path = '/v1/orders') =>
    send(path, { method: 'POST', body, duplex: 'half' });

  it.each(['', '{', 'null', '1', '"x"', '[]', '\u0000'])('%j is refused', async (body) => {
    const response = await post(body);
    expect([response.status, (await bodyOf(response)).error]).toEqual([400, 'invalid_request']);
  });

  it('of 64 kB is read, one byte more is 413', async () => {
    const fill = (size: number) => JSON.stringify(ORDER).padEnd(size, ' ');
    expect((await post(fill(65_536))).status).toBe(402);
    const response = await post(fill(65_537));
    expect([response.status, (await bodyOf(response)).error]).toEqual([413, 'payload_too_large']);
  });

  it('without a stated length is read no further than the limit', async () => {
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 1;
        controller.enqueue(new Uint8Array(16_384).fill(32));
      },
    });
    expect((await post(endless)).status).toBe(413);
    expect(sent).toBeLessThan(10);
  });
});

describe('the facilitator over HTTP', () => {
  it('says what it settles', async () => {
    expect(await bodyOf<unknown>(await host.get('/supported'))).toMatchObject({
      kinds: [{ scheme: 'exact', extra: { feePayer: FEE_PAYER } }],
    });
  });

  it('passes payload and requirement on, and answers a refusal with 200', async () => {
    const asked = await host.challenge();
    // Of another host: its terms name no session of ours.
    const requirement = { ...asked.requirement, extra: { feePayer: FEE_PAYER } };
    const request = {
      x402Version: 2,
      paymentPayload: paymentFor({ ...asked, requirement }, { isStandard: true }),
      paymentRequirements: requirement,
    };
    const verified = await host.post('/verify', request);
    expect([verified.status, await bodyOf<unknown>(verified)]).toMatchObject([
      200,
      { isValid: true },
    ]);
    host.script.verify = () => ({ isValid: false, invalidReason: 'unsupported_scheme' });
    expect((await host.post('/verify', request)).status).toBe(200);
  });

  it('settles for strangers nothing but what a session of its own asked for', async () => {
    const own = await checkoutHost();
    const asked = await own.challenge();
    const { requirement } = asked;
    const requestOf = (paymentPayload: unknown) => ({
      x402Version: 2,
      paymentPayload,
      paymentRequirements: requirement,
    });
    const broken = { x402Version: 2, accepted: requirement, payload: { transaction: 'bm8=' } };
    const stranger = await own.post('/settle', requestOf(broken));
    expect([stranger.status, stranger.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer']);
    const settled = await own.post('/settle', requestOf(paymentFor(asked)));
    expect([settled.status, await bodyOf<unknown>(settled)]).toMatchObject([
      200,
      { success: true },
    ]);
    const second = await own.post('/settle', requestOf(paymentFor(asked, { nonce: 1 })));
    expect(await bodyOf<unknown>(second)).toMatchObject({
      success: false,
      errorReason: 'session_used',
    });
    // The buyer's phase 2 comes to the order that is there already.
    expect((await own.pay(asked)).status).toBe(200);
  });

  it('asks for no payment whose fee cannot be paid', async () => {
    const poor = await checkoutHost();
    poor.script.checkFunds = away;
    const asked = await poor.post('/v1/orders', ORDER);
    expect([asked.status, asked.headers.get('Retry-After')]).toEqual([503, '5']);
    // The buyer learns no host, and the operator learns why.
    expect(await asked.text()).not.toContain('10.0.0.7');
    expect(poor.faults.map(String)).toEqual([expect.stringContaining('no answer from 10.0.0.7')]);
  });

  it('refuses a body that is no facilitator request', async () => {
    const response = await host.post('/settle', { x402Version: 2 });
    expect([response.status, (await bodyOf(response)).error]).toEqual([400, 'invalid_request']);
  });
});

describe('/.well-known/x402.json', () => {
  it('states network, asset, fee payer and how destinations are allocated', async () => {
    expect(await bodyOf<unknown>(await host.get('/.well-known/x402.json'))).toMatchObject({
      x402Version: 2,
      network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      asset: { symbol: 'USDC', decimals: 6 },
      feePayer: FEE_PAYER,
      payTo: { allocation: 'per_session' },
      resources: [{ method: 'POST', url: 'https://checkout.example/v1/orders' }],
    });
  });
});

describe('docs/inside/checkout.md', () => {
  it('names every code with its status', async () => {
    const { readFileSync } = await import('node:fs');
    const page = readFileSync(new URL('../../docs/inside/checkout.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` +\| (\d{3})/gm)].map(
      ([, code, status]) => [code, Number(status)] as const,
    );
    expect(Object.fromEntries(rows)).toEqual(WIRE_ERRORS);
  });
});
