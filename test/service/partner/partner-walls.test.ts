/**
 * Where a partner is authenticated: each path of the service, each tool; and whose orders it reads. No
 * path lets a text in that an engine refuses.
 */

import { afterAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../../../src/contract/agent.ts';
import { TOOL_SERVER_PATHS } from '../../../src/contract/tool-manifest.ts';
import {
  encodeHeader,
  PAYMENT_SIGNATURE_HEADER,
  SOLANA_MAINNET,
} from '../../../src/contract/x402.ts';
import { createServiceTools } from '../../../src/mcp/service-tools.ts';
import { createPartnerAdmin } from '../../../src/service/operator/partner-admin.ts';
import { ORDER } from '../../support/checkout-host.ts';
import { ENGINES } from '../../support/engines.ts';
import {
  as,
  BASE,
  BUYER_WALLET,
  jsonOf,
  orderBody,
  partnerSandbox,
} from '../../support/partner-sandbox.ts';
import { random } from '../../support/random.ts';
import { goodCalls } from '../../support/tool-world.ts';

/** Open to everyone, with the reason. A path that is added stands here, or demands a partner's secret. */
const OPEN: Readonly<Record<string, string>> = {
  'GET /': 'the list of paths',
  'GET /.well-known/x402.json': 'the terms of payment',
  'GET /.well-known/did.json': 'the key that signs receipts',
  'GET /did.json': 'the same, of a shop under a path',
  'GET /.well-known/x402': 'the same, for those who look there',
  'GET /.well-known/agent-card.json': 'where it is spoken to',
  'GET /openapi.json': 'what it answers',
  'GET /llms.txt': 'how to buy',
  'GET /v1/brands': 'checkout host: the goods',
  'GET /v1/catalog': 'checkout host: the goods',
  'GET /v1/price': 'checkout host: the goods',
  'GET /v1/orders': 'checkout host: a wallet signs in',
  'POST /v1/orders': 'checkout host: a payment is the credential',
  'GET /v1/orders/:order_id': 'checkout host: the id of an order is its credential',
  'GET /v1/orders/:order_id/refunds': 'checkout host: the same',
  'GET /api/available-countries': 'the site: where it is sold',
  'GET /supported': 'the facilitator: tokens of its own',
  'POST /verify': 'the facilitator: tokens of its own',
  'POST /settle': 'the facilitator: tokens of its own',
  'GET /logos/:folder/:file': 'pictures of brands',
  'GET /qr/:file': 'a picture of what its own address says',
  'GET /pay/:page_id': 'who has the link may pay; no codes, no people, no partner',
  'GET /pay/:page_id/events': 'the same: says only that something changed',
  'POST /pay/:page_id/refund': 'demands the key of the order',
  'GET /pay/:page_id/transaction': 'who has the link may pay',
  'POST /pay/:page_id/transaction': 'who has the link may pay',
  'OPTIONS /pay/:page_id/transaction': 'who has the link may pay',
  'POST /pay/:page_id/authorization': 'the same: what a wallet signed is its credential',
  'GET /pay/style.css': 'a file',
  'GET /pay/live.js': 'a file',
  'GET /pay/icon.svg': 'a file',
};

const SECOND_MS = 1_000;
const RULES = { networks: [], ordersPerMinute: null };
const ORDER_KEY = 'order-key-of-at-least-32-characters';

describe.each(ENGINES)('on %s', async (engine) => {
  const host = await partnerSandbox({ engine, traffic: { isRatioEnforced: false } });
  const { store, routes, webhookSecret } = host.current();
  const admin = createPartnerAdmin({
    store,
    clock: host.clock,
    random,
    webhookKeys: { ofApplication: (id) => webhookSecret(id) },
  });
  const secrets = {
    acme: (await admin.add('acme', RULES)).secret,
    other: (await admin.add('other', RULES)).secret,
    gone: (await admin.add('gone', RULES)).secret,
  };
  await admin.revoke('gone');
  host.clock.advance(SECOND_MS);

  const ACME = as('acme', secrets.acme);
  /** None of these is acme, whatever it says. */
  const IMPOSTORS: readonly (readonly [string, Record<string, string>])[] = [
    ['no secret', as('acme')],
    ['a wrong secret', as('acme', `${secrets.acme}x`)],
    ["another's secret", as('acme', secrets.other)],
    ['another scheme', { ...as('acme'), Authorization: `Basic ${secrets.acme}` }],
    ['a revoked secret', as('gone', secrets.gone)],
  ];
  /** These are who they say, and not acme. */
  const STRANGERS: readonly (readonly [string, Record<string, string>])[] = [
    ['another partner', as('other', secrets.other)],
    ['an id without a secret', as('stranger')],
  ];

  const order = await host.create({}, { ...ACME, 'Idempotency-Key': ORDER_KEY });
  afterAll(() => host.close());

  function send(route: string, headers: Record<string, string>, body: unknown): Promise<Response> {
    const [method, path = ''] = route.replace(':order_id', order.order_id).split(' ');
    const filled = path.replace(/:\w+/g, 'x');
    return method === 'GET' ? host.get(filled, headers) : host.post(filled, body, headers);
  }

  describe.each(routes.filter((route) => !(route in OPEN)))('%s', (route) => {
    it.each(IMPOSTORS)('refuses %s', async (_who, headers) => {
      const refused = await send(route, headers, {});
      expect([refused.status, refused.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer']);
      expect(await refused.text()).not.toContain(order.order_id);
    });
  });

  it('every path that is called open is served', () => {
    expect(Object.keys(OPEN).filter((route) => !routes.includes(route))).toEqual([]);
  });

  /** A good body for each path of an order; a path that is added fails here until it has one. */
  const BODIES: Readonly<Record<string, unknown>> = {
    'POST /v5/orders/:order_id/payment_lease': { holder: 'a'.repeat(16) },
    'POST /v5/orders/:order_id/refund_address': {
      order_key: ORDER_KEY,
      address: BUYER_WALLET.address,
    },
  };
  const OF_ORDERS = routes.filter((route) => route.includes(':order_id') && !(route in OPEN));

  describe.each(OF_ORDERS)('an order at %s', (route) => {
    it.each(STRANGERS)('is not there for %s', async (_who, headers) => {
      const refused = await send(route, headers, BODIES[route]);
      expect([refused.status, await refused.json()]).toEqual([
        404,
        expect.objectContaining({ detail: 'ORDER_NOT_FOUND' }),
      ]);
    });

    it('is there for its partner', async () => {
      const { status, body } = await send(route, ACME, BODIES[route]);
      await body?.cancel();
      expect([200, 409]).toContain(status);
    });
  });

  /** Texts that PostgreSQL refuses and SQLite takes. */
  const UNSTORABLE = [
    ['NUL in its path', (path: string) => path.replace(/:\w+/g, '%00'), {}],
    ['NUL in its query', (path: string) => `${path}?q=%00&country_code=us`, {}],
    ['NUL in its body', (path: string) => path, { a: [{ b: 'c\0' }] }],
    ['NUL in a name of its body', (path: string) => path, { 'a\0': 1 }],
    ['half a surrogate pair in its body', (path: string) => path, { email: 'a\ud800@b.co' }],
  ] as const;

  describe.each(UNSTORABLE)('a request with %s', (_what, fill, extra) => {
    it('is the fault of its caller on every path', async () => {
      const said: unknown[] = [];
      for (const route of routes) {
        const [method = '', path = ''] = route.split(' ');
        const filled = fill(path);
        const reply =
          method === 'GET'
            ? await host.get(filled, ACME)
            : await host.post(filled, { ...orderBody(), ...extra }, ACME);
        if (reply.status >= 500) said.push([route, reply.status, await reply.text()]);
        else await reply.body?.cancel();
        const isTold = method === 'POST' && Object.keys(extra).length > 0;
        if (isTold && reply.status < 400) said.push([route, reply.status]);
      }
      expect(said).toEqual([]);
    });
  });

  it('a session that no engine can store is named by no payment', async () => {
    const extra = { sessionId: 'a\0' };
    const payment = { accepted: { scheme: 'exact', network: SOLANA_MAINNET, extra }, payload: {} };
    const paid = { [PAYMENT_SIGNATURE_HEADER]: encodeHeader({ x402Version: 2, ...payment }) };
    const reply = await host.post('/v1/orders', ORDER, paid);
    expect([reply.status, await reply.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'payment_malformed' }),
    ]);
  });

  describe('a stream that a server writes itself', () => {
    const open = (headers: Record<string, string>) =>
      host.current().follow(
        `/v5/orders/${order.order_id}/subscribe`,
        () => new Headers(headers),
        () => '',
      );

    it.each(IMPOSTORS)('is refused to %s', async (_who, headers) => {
      expect(await open(headers)).toMatchObject({ status: 401 });
    });

    it.each(STRANGERS)('is refused to %s', async (_who, headers) => {
      expect(await open(headers)).toMatchObject({ status: 404 });
    });
  });

  const CALLED = TOOLS.flatMap(({ name }) => TOOL_SERVER_PATHS.map((path) => ({ name, path })));
  describe.each(CALLED)('the tool $name at $path', ({ name, path }) => {
    const tools = createServiceTools({
      baseUrl: BASE,
      fetchFor: () => (url, init) => host.current().handle(new Request(url, init)),
      userAgent: undefined,
      rate: { count: 1_000, windowMs: 1_000 },
      clock: host.clock,
      version: '1.2.3',
      random,
    });
    afterAll(() => tools.close());

    interface Called {
      readonly result: { readonly isError?: boolean; readonly content: readonly unknown[] };
    }
    async function call(headers: Record<string, string>) {
      const params = { name, arguments: goodCalls(order.order_id)[name] };
      const types = { Accept: 'application/json, text/event-stream' };
      const request = new Request(`${BASE}${path}`, {
        method: 'POST',
        headers: { ...types, 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      const { result } = await jsonOf<Called>(await tools.handle(request, ''));
      return { isError: result.isError === true, text: JSON.stringify(result.content) };
    }

    it.each(IMPOSTORS)('is refused to %s', async (_who, headers) => {
      const refused = await call(headers);
      expect(refused).toMatchObject({
        isError: true,
        text: expect.stringMatching(/UNAUTHORIZED|secret/),
      });
      expect(refused.text).not.toContain(order.wallet_address);
    });

    it('answers its partner', async () => {
      expect(await call(ACME)).toMatchObject({ isError: false });
    });
  });
});
