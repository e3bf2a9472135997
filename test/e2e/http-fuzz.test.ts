/**
 * Nothing that is sent to a server ends its process or is answered with 500: the sandbox, and a shop on each
 * engine. SCRIP_FUZZ_RUNS sends more to each.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../../src/contract/agent.ts';
import { TOOL_MANIFEST_PATH, TOOL_SERVER_PATHS } from '../../src/contract/tool-manifest.ts';
import { encodeHeader, PAYMENT_SIGNATURE_HEADER, SOLANA_MAINNET } from '../../src/contract/x402.ts';
import { FINAL_SOON, makeHome, SCRIP } from '../support/cli.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { mutated } from '../support/mutation.ts';
import { HEADERS, orderBody, partnerSandbox } from '../support/partner-sandbox.ts';
import { postJson } from '../support/post-json.ts';
import { createDatabase } from '../support/postgres-server.ts';
import { type OneShop, PRODUCT, prepareShop } from '../support/real-shop.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts } from '../support/shop.ts';

// Requests that nobody should send, over plain sockets: every route, with streams and upgrades.

interface Target {
  readonly port: number;
  /** `GET /v5/orders/:order_id`, … */
  readonly routes: readonly string[];
  /** Ids of orders and sessions that are there. */
  readonly ids: readonly string[];
  /** Good bodies, each of which some path takes. */
  readonly bodies: readonly unknown[];
}

/** Served beside the service's own routes. */
const OTHER_ROUTES: readonly string[] = [
  ...['GET /livez', 'GET /readyz', 'GET /metrics', 'POST /rpc', 'GET /rpc'],
  ...TOOL_SERVER_PATHS.flatMap((path) => [`POST ${path}`, `GET ${path}`, `DELETE ${path}`]),
  `GET ${TOOL_MANIFEST_PATH}`,
  'POST /supplier/callbacks/:reference',
  'POST /sandbox/orders/:order_id/:action',
];

const AT_ONCE = 16;
/** A request that waits for more is given up. */
const PATIENCE_MS = 5_000;
const APPLICATIONS = 2_000;

const ODD_IDS = [
  ...['x', '%00', 'a%00b', '%E2%82%AC', '€', '%ff', '%', '%0d%0aX:%20y', '%F0%9F%92%A9', '\xe9'],
  ...['..%2f..', '%2e%2e', '__proto__', 'constructor', "'or%201=1--", '-1', '1e999', ' ', ''],
  'a'.repeat(3_000),
];
const ODD_VALUES = [
  ...['', 'us', 'de', 'US', 'amazon', 'Eckladen', 'USDC', 'Solana', 'bitcoin', '25', '20'],
  ...['%00', '%E2%82%AC', '%0A', '%ff', '%', 'NaN', '1e400', '-0', '0x10', '9'.repeat(400)],
  ...['null', '__proto__', 'a,b', '%C3%BC', '[]', '0.0000001', '€', 'shop', '%ED%A0%80'],
];
const FIELDS = [
  ...['application', 'application', 'application', 'country_code', 'brand_name', 'brand', 'family'],
  ...['product_id', 'face_value', 'product_value', 'coin', 'network', 'q', 'page', 'limit', 'lang'],
  ...['__proto__', 'a[b]'],
];
const ODD_TARGETS = ['*', '//evil.example/', 'http://[::1', 'http://a b/', '/__proto__/x', '/%'];
const METHODS = 'GET POST HEAD OPTIONS PUT DELETE PATCH TRACE CONNECT PROPFIND'.split(' ');
const ODD_BODIES = [
  ...['', '{', 'null', '[1,2]', '"x"', '{"__proto__":{"x":1}}', '\xff\xfe{\x00}\x00'],
  ...[33, 5_000, 30_000].map((deep) => '['.repeat(deep) + ']'.repeat(deep)),
  ...['{"order_id":"a\\u0000"}', '{"email":"\\ud800"}', 'address=%00&order_key=%ff', '€'],
];

const RPC_METHODS = [
  ...['getBalance', 'sendTransaction', 'simulateTransaction', 'getTransaction', 'getSlot'],
  ...['accountSubscribe', 'logsSubscribe', 'getProgramAccounts', 'requestAirdrop', 'getBlock'],
  ...['getSignaturesForAddress', 'getMultipleAccounts', 'tools/list', 'initialize'],
];
const CALLS = [
  ...RPC_METHODS.map((method) => ({ jsonrpc: '2.0', id: 1, method, params: ['x', {}] })),
  ...TOOLS.map(({ name }) => ({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name, arguments: { order_id: 'x', country_code: 'us', brand_name: 'Amazon.com' } },
  })),
];

const PAYMENT = {
  x402Version: 2,
  accepted: { scheme: 'exact', network: SOLANA_MAINNET, extra: { sessionId: 'x' } },
  payload: { transaction: 'AAAA' },
};

/** Values of headers, most of which no client sends. */
const ODD_HEADERS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'Last-Event-ID': fc.constantFrom('1', '-1', '999999999999999', '1e5', '\xff', '9'.repeat(30)),
  'X-Session-Id': fc.constantFrom('x', '\xff', '__proto__', '€'),
  [PAYMENT_SIGNATURE_HEADER]: fc.oneof(
    fc.constantFrom('x', 'e30=', 'bnVsbA==', '\xff', 'A'.repeat(6_000)),
    mutated(PAYMENT).map((payment) => encodeHeader(payment ?? null)),
  ),
  Authorization: fc.constantFrom('Bearer x', 'Bearer \xff', 'Basic a', 'Bearer'),
  'Idempotency-Key': fc.constantFrom('k', '\xff', 'a'.repeat(300)),
  Origin: fc.constantFrom('null', 'https://evil.example', 'http://localhost:1', '\xff'),
  Accept: fc.constantFrom('text/event-stream', 'application/json, text/event-stream', '\xff'),
  'Accept-Encoding': fc.constantFrom('br', 'gzip;q=0', '\xff', '*'),
  'Accept-Language': fc.constantFrom('es', 'x-\xff', '*;q=2'),
  'If-None-Match': fc.constantFrom('*', 'W/"x"', '"'),
  'X-Request-Id': fc.constantFrom('ok', 'a b', '\xff', 'a'.repeat(300)),
  'X-Country-ISO-Code': fc.constantFrom('de', '\xff', 'd'),
  'Mcp-Session-Id': fc.constantFrom('x', '\xff'),
  'MCP-Protocol-Version': fc.constantFrom('x', '2025-06-18'),
  Expect: fc.constantFrom('100-continue', 'x'),
  Upgrade: fc.constantFrom('websocket', 'h2c', '\xff'),
  Connection: fc.constantFrom('Upgrade', 'close', 'keep-alive, Upgrade', 'Upgrade, HTTP2-Settings'),
  'Sec-WebSocket-Key': fc.constantFrom('x', 'dGhlIHNhbXBsZSBub25jZQ=='),
  'Sec-WebSocket-Version': fc.constantFrom('13', '99'),
  'Sec-WebSocket-Extensions': fc.constant('permessage-deflate; x=\xff'),
  'Transfer-Encoding': fc.constantFrom('chunked', 'gzip, chunked', 'x'),
  'Content-Encoding': fc.constant('gzip'),
  'Content-Type': fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', '\xff'),
};

/** The headers of a WebSocket that is taken, and what is sent over it. */
const SOCKET: readonly (readonly [string, string])[] = [
  ['Upgrade', 'websocket'],
  ['Connection', 'Upgrade'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
  ['Sec-WebSocket-Version', '13'],
];

interface Asked {
  readonly route: string;
  readonly bytes: Buffer;
  /** Sent after the answer's head: frames of a WebSocket, good and bad. */
  readonly after: Uint8Array;
  /** How many of the bytes are sent; the rest never comes. */
  readonly sent: number;
}

function requests({ port, routes, ids, bodies }: Target): fc.Arbitrary<Asked> {
  const rarely = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>, weight = 12) =>
    fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd });
  const id = fc.oneof(fc.constantFrom(...ODD_IDS), fc.constantFrom(...ids));
  const host = `127.0.0.1:${port}`;
  const known = bodies.flatMap((body) => [fc.constant(body), mutated(body)]);
  const body = fc.oneof(
    ...known.map((one) => one.map((value) => JSON.stringify(value) ?? '')),
    fc
      .constantFrom(...CALLS)
      .chain((call) => mutated(call).map((value) => JSON.stringify(value) ?? '')),
    fc.constantFrom(...ODD_BODIES),
  );
  return fc
    .record({
      route: fc.constantFrom(...routes),
      id,
      query: fc.array(fc.tuple(fc.constantFrom(...FIELDS), fc.constantFrom(...ODD_VALUES)), {
        maxLength: 4,
      }),
      oddTarget: rarely(fc.constant(undefined), fc.constantFrom(...ODD_TARGETS), 30),
      oddMethod: rarely(fc.constant(undefined), fc.constantFrom(...METHODS)),
      host: rarely(
        fc.constant(host),
        fc.constantFrom('', 'evil.example', '[::1', 'a b', '\xff', 'x@y'),
      ),
      application: rarely(
        fc.option(
          fc.nat(APPLICATIONS).map((number) => `shop-${number}`),
          { nil: undefined, freq: 3 },
        ),
        fc.constantFrom('', '__proto__', '\xff', 'a b', 'a'.repeat(200)),
      ),
      address: rarely(
        fc.ipV4(),
        fc.constantFrom('::1', '\xff', ',,,', '[::1]:80', 'a'.repeat(4_000)),
      ),
      headers: fc.array(
        fc
          .constantFrom(...Object.entries(ODD_HEADERS))
          .chain(([name, values]) => values.map((value) => [name, value] as const)),
        { maxLength: 3 },
      ),
      body,
      length: rarely(fc.constant(undefined), fc.constantFrom('-1', '1e3', '9999999999', '0'), 30),
      isSocket: rarely(fc.constant(false), fc.constant(true), 20),
      after: fc.uint8Array({ minLength: 2, maxLength: 64 }),
      cut: rarely(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }), 30),
    })
    .map((asked) => {
      const [method = 'GET', path = '/'] = asked.route.split(' ');
      const query = asked.query.map(([name, value]) => `${name}=${value}`).join('&');
      const filled = path.replace(/:\w+/g, () => asked.id) + (query === '' ? '' : `?${query}`);
      const hasBody = method !== 'GET' || asked.isSocket;
      const content = Buffer.from(hasBody && !asked.isSocket ? asked.body : '');
      const lines: (readonly [string, string])[] = [
        ['Host', asked.host],
        ['X-Forwarded-For', asked.address],
        ...asked.headers,
        ...(asked.isSocket ? SOCKET : []),
      ];
      if (asked.application !== undefined) lines.push(['X-Cr-Application', asked.application]);
      const isFramed = lines.some(([name]) => name === 'Transfer-Encoding');
      if (content.length > 0 && !isFramed) {
        lines.push(['Content-Length', asked.length ?? String(content.length)]);
      }
      const first = `${asked.oddMethod ?? method} ${asked.oddTarget ?? filled} HTTP/1.1`;
      const head = [first, ...lines.map(([name, value]) => `${name}: ${value}`), '', ''].join(
        '\r\n',
      );
      // As UTF-8 what is outside Latin-1, and as one byte what is inside.
      const bytes = Buffer.concat([
        Buffer.from(head, /[^\0-\xff]/.test(head) ? 'utf8' : 'latin1'),
        content,
      ]);
      // A body that is said to be longer never comes either.
      const sent =
        asked.length === undefined ? Math.ceil(bytes.length * asked.cut) : bytes.length - 1;
      return { route: asked.route, bytes, after: asked.after, sent };
    });
}

/** Sends so many requests, some at once; gives one request of each fault, by status and route. */
async function fuzz(target: Target, count: number): Promise<Readonly<Record<string, string>>> {
  const faults: Record<string, string> = {};
  const all = fc.sample(requests(target), { numRuns: count }).concat(corners(target));
  const work = async (): Promise<void> => {
    for (let asked = all.pop(); asked !== undefined; asked = all.pop()) {
      const said = await send(target.port, asked);
      if (/^5/.test(said)) faults[`${said} ${asked.route}`] ??= asked.bytes.toString('latin1');
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return faults;
}

/** What once ended a server or was a 500, at every route. */
function corners({ port, routes }: Target): readonly Asked[] {
  return routes.flatMap((route) =>
    ['%00', 'x?application=%E2%82%AC', 'x?application=%0A', '€'].map((id) => {
      const [first, query = ''] = id.split('?');
      const path = route.replace(/:\w+/g, String(first));
      const bytes = Buffer.from(`${path}?${query} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
      return { route, bytes, after: new Uint8Array(), sent: bytes.length };
    }),
  );
}

function send(port: number, { bytes, after, sent }: Asked): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect(port, '127.0.0.1');
    const done = (instead: string): void => {
      socket.destroy();
      resolve(/^HTTP\/1\.1 (\d{3})/.exec(finalOf(said))?.[1] ?? instead);
    };
    socket.setTimeout(PATIENCE_MS, () => done('timeout'));
    socket.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'error'));
    socket.on('close', () => done('closed'));
    socket.on('data', (data) => {
      said += data.toString('latin1');
      if (!finalOf(said).includes('\r\n\r\n')) return;
      if (!said.startsWith('HTTP/1.1 101')) return done('answered');
      socket.end(after);
    });
    socket.write(bytes.subarray(0, sent), () => {
      if (sent < bytes.length) socket.end();
    });
  });
}

/** What follows `100 Continue`. */
function finalOf(said: string): string {
  return said.replace(/^HTTP\/1\.1 100 .*\r\n\r\n/, '');
}

const COUNT = fuzzRuns(200);
const SLOW_MS = 3_600_000;
/** So that each request is another caller's: nobody is limited. */
const PROXY = '127.0.0.1';

const home = makeHome(SCRIP, FINAL_SOON);
const known = await partnerSandbox();
const routes = [...known.current().routes, ...OTHER_ROUTES];
await known.close();
const database = await createDatabase();
const shop = await prepareShop(home);
afterAll(async () => {
  await shop.stop();
  await database.drop();
});

function behindProxy(configFile: string): void {
  const path = join(home.dir, configFile);
  const config = JSON.parse(readFileSync(path, 'utf8'));
  config.listen.trusted_proxies = [PROXY];
  writeFileSync(path, JSON.stringify(config));
}

const SHOP_LINE = { beneficiary_account: 'friend@example.com' };
const SANDBOX_BODIES = [
  orderBody(),
  {
    email: 'you@example.com',
    items: [{ ...SHOP_LINE, product_id: amazonProducts().fixed.product_id }],
  },
];
const SHOP_BODIES = [
  orderBody({
    deliveries: [
      { ...SHOP_LINE, denomination: '20 EUR', brand_name: 'Eckladen', country_code: 'DE' },
    ],
  }),
  { email: 'you@example.com', items: [{ ...SHOP_LINE, product_id: PRODUCT }] },
];
/** Of paths that take neither order. */
const OTHER_BODIES = [
  { holder: 'a'.repeat(16), order_key: 'k'.repeat(32), address: 'x', account: 'x' },
  { session_token: 'x', answer: 'giftcard', action: 'back' },
  { x402Version: 2, paymentPayload: {}, paymentRequirements: {} },
];

const atShop = (one: OneShop) => {
  behindProxy(one.configFile);
  return one.open();
};
const SERVERS: readonly (readonly [string, () => Promise<ServedSandbox>, readonly unknown[]])[] = [
  ['the sandbox', () => serveSandbox(home, ['--trusted-proxy', PROXY]), SANDBOX_BODIES],
  ['a shop on SQLite', () => atShop(shop), SHOP_BODIES],
  [
    'a shop on PostgreSQL',
    async () => atShop(await shop.beside(database.address, ['CODE-1'])),
    SHOP_BODIES,
  ],
];

describe.each(SERVERS)('%s', (_name, open, bodies) => {
  it('answers whatever is sent, and its process goes on', { timeout: SLOW_MS }, async () => {
    const server = await open();
    const { pid } = server.process;
    const ids = await idsAt(server.url, bodies);
    const port = Number(new URL(server.url).port);
    const target = { port, routes, ids, bodies: [...bodies, ...OTHER_BODIES] };
    const found = Object.entries(await fuzz(target, COUNT));
    expect(server.process.exitCode, server.warnings()).toBe(null);
    expect([(await fetch(`${server.url}/livez`)).status, server.process.pid]).toEqual([200, pid]);
    // 503 refuses what there is no room for, and a busy machine may keep the supplier from answering in time
    // (interface: POST /v1/orders); every other one is a fault of ours.
    const faults = found.filter(
      ([what]) => !what.startsWith('503 ') && what !== '502 POST /v1/orders',
    );
    expect(faults).toEqual([]);
    expect(server.warnings()).not.toMatch(/ended with status 500|INTERNAL/);
    await server.stop();
  });
});

/** An order of the partner API, and a session of the checkout host. */
async function idsAt(url: string, [partner, checkout]: readonly unknown[]): Promise<string[]> {
  const post = (path: string, body: unknown) => postJson(url + path, body, HEADERS);
  const made = await post('/v5/orders', partner);
  const order = (await made.json()) as { readonly order_id?: string };
  const asked = await post('/v1/orders', checkout);
  await asked.body?.cancel();
  const ids = [order.order_id, asked.headers.get('X-Session-Id')];
  expect([made.status, asked.status, ids.map((id) => typeof id)]).toEqual([
    expect.any(Number),
    402,
    ['string', 'string'],
  ]);
  return ids.map(String);
}
