/** The service as a web browser meets it: pages, forms, scripts of other origins, EventSource. */

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { EventSource } from 'eventsource';
import { describe, expect, it } from 'vitest';
import type { WirePartnerOrder } from '../../src/contract/partner-orders.ts';
import { makeHome } from '../support/cli.ts';
import { orderBody } from '../support/partner-sandbox.ts';
import { postJson } from '../support/post-json.ts';
import { serveHere } from '../support/served-here.ts';
import { amazonProducts } from '../support/shop.ts';

const APPLICATION = 'web-shop';

const home = makeHome();
const sandbox = await serveHere(home);

async function createOrder(more: Record<string, unknown> = {}): Promise<WirePartnerOrder> {
  const headers = { 'X-Cr-Application': APPLICATION };
  const response = await postJson(`${sandbox.url}/v5/orders`, orderBody(more), headers);
  expect(response.status).toBe(200);
  return (await response.json()) as WirePartnerOrder;
}

/** As a program may write them, which `fetch` would not let it. */
async function statusOf(
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '{}',
) {
  const sent = request(`${sandbox.url}${path}`, { method, headers });
  sent.end(method === 'POST' ? body : undefined);
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  reply.resume();
  return reply.statusCode;
}

// The page sends no referrer, so that a browser says `Origin: null`, and where the form comes from beside it.
it.each([
  ['same-origin', 303],
  ['same-site', 403],
  ['cross-site', 403],
])('a form of a %s page that hides its origin is answered %i', async (site, status) => {
  const { checkout_url } = await createOrder({ payment: { type: 'binance_pay', coin: 'USDT' } });
  const page = await (await fetch(checkout_url ?? '')).text();
  const [, method = '', action = ''] = /<form method="(\w+)" action="([^"]+)">/.exec(page) ?? [];
  const { pathname } = new URL(action, checkout_url ?? '');
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    Accept: 'text/html,*/*;q=0.8',
    Origin: 'null',
    'Sec-Fetch-Site': site,
  };
  expect(await statusOf(method.toUpperCase(), pathname, headers, '')).toBe(status);
});

const ELSEWHERE = 'https://shop.example';

/** What a browser asks before it lets a page of another origin ask. */
function preflight(path: string, method = 'POST', headers = 'content-type'): Promise<Response> {
  return fetch(`${sandbox.url}${path}`, {
    method: 'OPTIONS',
    headers: {
      Origin: ELSEWHERE,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': headers,
    },
  });
}

const listIn = (response: Response, name: string): readonly string[] =>
  (response.headers.get(name) ?? '').toLowerCase().split(/, */);

describe('a page of another origin', () => {
  it.each([
    // What @x402/fetch sends in a browser.
    ['POST', '/v1/orders', 'access-control-expose-headers,content-type,payment-signature'],
    ['POST', '/v1/orders', 'x-session-id,payment-signature,content-type'],
    ['GET', '/v1/brands', 'if-none-match'],
    ['GET', '/v2/brands', 'x-cr-application,x-cr-version,x-country-iso-code'],
    ['POST', '/v5/orders', 'x-cr-application,x-country-iso-code,idempotency-key,content-type'],
    ['POST', '/v5/orders', 'x-cr-application,x-scrip-key,idempotency-key,content-type'],
    ['GET', '/v5/orders/x/subscribe', 'x-cr-application,last-event-id'],
    ['POST', '/mcp/purchase_elicitation', 'content-type,x-cr-application,user-agent'],
  ])('may %s %s, with %s', async (method, path, headers) => {
    const reply = await preflight(path, method, headers);
    expect([reply.status, reply.headers.get('Access-Control-Allow-Origin')]).toEqual([204, '*']);
    expect(listIn(reply, 'Access-Control-Allow-Methods')).toContain(method.toLowerCase());
    const allowed = listIn(reply, 'Access-Control-Allow-Headers');
    expect(headers.split(',').filter((name) => !allowed.includes(name))).toEqual([]);
    expect(Number(reply.headers.get('Access-Control-Max-Age'))).toBeGreaterThan(0);
    expect(reply.headers.get('Access-Control-Allow-Credentials')).toBeNull();
  });

  it.each([
    ['GET', '/v1/brands?country_code=us', 200],
    ['GET', '/v1/brands', 400],
    ['GET', '/v1/nothing', 404],
    ['GET', '/v1/orders/unknown', 404],
    ['DELETE', '/v1/orders', 405],
    ['GET', '/v2/brands?country_code=us', 400],
    ['GET', '/v2/brands?country_code=us&application=web-shop', 400],
    ['GET', '/v5/orders/unknown', 400],
    ['GET', '/v5/orders/unknown/subscribe', 400],
    ['GET', '/v5/orders/unknown/subscribe?application=web-shop', 404],
    ['GET', '/api/available-countries', 200],
    ['GET', '/.well-known/x402.json', 200],
    ['POST', '/v1/orders', 400],
    ['POST', '/mcp/purchase_elicitation', 400],
  ])('reads the answer to %s %s', async (method, path, status) => {
    const reply = await fetch(`${sandbox.url}${path}`, { method, headers: { Origin: ELSEWHERE } });
    await reply.body?.cancel();
    expect(reply.status).toBe(status);
    expect(reply.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(unexposed(reply)).toEqual([]);
  });

  it('reads every header of a challenge and of an order', async () => {
    const item = { ...amazonProducts().fixed, beneficiary_account: 'friend@example.com' };
    const asked = { email: 'you@example.com', items: [item] };
    const challenge = await postJson(`${sandbox.url}/v1/orders`, asked);
    expect(challenge.status).toBe(402);
    expect(unexposed(challenge)).toEqual([]);
    expect(listIn(challenge, 'Access-Control-Expose-Headers')).toEqual(
      expect.arrayContaining(['payment-required', 'payment-response', 'x-session-id']),
    );
    const headers = { 'X-Cr-Application': APPLICATION, 'X-Country-ISO-Code': 'US' };
    const order = await postJson(`${sandbox.url}/v5/orders`, orderBody(), headers);
    expect([order.status, unexposed(order)]).toEqual([200, []]);
  });
});

/** Headers that a page may always read, or that say nothing to it. */
const COMMON =
  'cache-control content-encoding content-language content-length content-type expires connection date keep-alive transfer-encoding vary referrer-policy'.split(
    ' ',
  );

/** Headers of an answer that its page cannot read. */
function unexposed(reply: Response): readonly string[] {
  const exposed = listIn(reply, 'Access-Control-Expose-Headers');
  return [...reply.headers.keys()].filter(
    (name) =>
      !COMMON.includes(name) && !name.startsWith('access-control-') && !exposed.includes(name),
  );
}

describe('EventSource, which sends no headers,', () => {
  const streamOf = (orderId: string, query: string) =>
    `${sandbox.url}/v5/orders/${orderId}/subscribe${query}`;

  it('follows an order of the partner that its address names', async () => {
    const { order_id } = await createOrder();
    const source = new EventSource(streamOf(order_id, `?application=${APPLICATION}`));
    const [message] = (await once(source as never, 'message')) as [MessageEvent];
    source.close();
    expect(JSON.parse(message.data)).toMatchObject({ order_id });
  });

  it.each([
    ['', 400],
    ['?application=', 400],
    ['?application=another-shop', 404],
    ['?application=a%20b', 400],
  ])('is refused with %j', async (query, status) => {
    const { order_id } = await createOrder();
    const reply = await fetch(streamOf(order_id, query));
    expect([reply.status, reply.headers.get('Access-Control-Allow-Origin')]).toEqual([status, '*']);
  });

  it('is believed no more than a header, which comes first', async () => {
    const { order_id } = await createOrder();
    const reply = await fetch(streamOf(order_id, `?application=${APPLICATION}`), {
      headers: { 'X-Cr-Application': 'another-shop' },
    });
    expect(reply.status).toBe(404);
  });
});

/** Paths that settle, play events, or run tools. */
const CLOSED = [
  ['GET', '/supported'],
  ['POST', '/verify'],
  ['POST', '/settle'],
  ['POST', '/sandbox/orders/00000000-0000-4000-8000-000000000000/pay'],
  ['POST', '/sandbox/orders/00000000-0000-4000-8000-000000000000/refund'],
  ['POST', '/mcp'],
  ['POST', '/mcp/http'],
  ['POST', '/rpc'],
] as const;

describe.each(CLOSED)('%s %s', (method, path) => {
  it('says nothing to pages elsewhere, and takes programs and pages of this machine', async () => {
    const asked = await preflight(path, method);
    expect(asked.headers.get('Access-Control-Allow-Origin')).toBeNull();
    const plain = { Origin: ELSEWHERE, 'Content-Type': 'text/plain' };
    const reply = await fetch(`${sandbox.url}${path}`, { method, headers: plain });
    expect([reply.status, reply.headers.get('Access-Control-Allow-Origin')]).toEqual([403, null]);
    for (const headers of [
      { Origin: ELSEWHERE, 'Content-Type': 'application/x-www-form-urlencoded' },
      { Origin: 'null', 'Content-Type': 'text/plain' },
      { Host: 'rebound.example:4020' },
      { Host: 'rebound.example', Origin: 'http://rebound.example' },
      { Host: '127.0.0.1.rebound.example' },
    ]) {
      expect([headers, await statusOf(method, path, headers)]).toEqual([headers, 403]);
    }
    const { port } = new URL(sandbox.url);
    for (const headers of [{}, { Host: `localhost:${port}`, Origin: 'http://localhost:3000' }]) {
      expect(await statusOf(method, path, headers)).not.toBe(403);
    }
  });
});

it('the RPC lets pages of this machine read its answers, as a test validator does', async () => {
  const origin = 'http://localhost:5173';
  const asked = await fetch(`${sandbox.url}/rpc`, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type,solana-client',
    },
  });
  expect([asked.status, listIn(asked, 'Access-Control-Allow-Headers')]).toEqual([
    204,
    ['content-type', 'solana-client'],
  ]);
  const call = { jsonrpc: '2.0', id: 1, method: 'getHealth' };
  const reply = await postJson(`${sandbox.url}/rpc`, call, { Origin: origin });
  expect(await reply.json()).toMatchObject({ result: 'ok' });
  for (const answered of [asked, reply]) {
    expect(answered.headers.get('Access-Control-Allow-Origin')).toBe(origin);
    expect(answered.headers.get('Vary')).toContain('Origin');
  }
});

it('a list from the cache is counted and carries no request id', async () => {
  const list = () => fetch(`${sandbox.url}/v1/brands?country_code=pt`);
  const first = await list();
  await first.arrayBuffer();
  const again = await list();
  await again.arrayBuffer();
  expect(first.headers.get('x-request-id')).toBeTruthy();
  expect(again.headers.get('x-request-id')).toBeNull();
  const counts = await (await fetch(`${sandbox.url}/metrics`)).text();
  expect(counts).toMatch(/^scrip_http_cached_answers_total [1-9]/m);
});
