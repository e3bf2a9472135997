/**
 * Nothing that is sent to a server ends its process or is answered with 500: the sandbox, and a shop on each
 * engine. SCRIP_FUZZ_RUNS sends more to each.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FINAL_SOON, makeHome, SCRIP } from '../support/cli.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { type Figures, fuzz, OTHER_ROUTES } from '../support/http-fuzz.ts';
import { HEADERS, orderBody, partnerSandbox } from '../support/partner-sandbox.ts';
import { createDatabase } from '../support/postgres-server.ts';
import { PRODUCT, prepareShop } from '../support/real-shop.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts } from '../support/shop.ts';

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

const SERVERS: readonly (readonly [string, () => Promise<ServedSandbox>, readonly unknown[]])[] = [
  ['the sandbox', () => serveSandbox(home, ['--trusted-proxy', PROXY]), SANDBOX_BODIES],
  [
    'a shop on SQLite',
    () => {
      behindProxy(shop.configFile);
      return shop.open();
    },
    SHOP_BODIES,
  ],
  [
    'a shop on PostgreSQL',
    async () => {
      const beside = await shop.beside(database.address, ['CODE-1']);
      behindProxy(beside.configFile);
      return beside.open();
    },
    SHOP_BODIES,
  ],
];

describe.each(SERVERS)('%s', (name, open, bodies) => {
  it('answers whatever is sent, and its process goes on', { timeout: SLOW_MS }, async () => {
    const server = await open();
    const { pid } = server.process;
    const ids = await idsAt(server.url, bodies);
    const port = Number(new URL(server.url).port);
    const figures = await fuzz({ port, routes, ids, bodies: [...bodies, ...OTHER_BODIES] }, COUNT);
    if (process.env.SCRIP_FUZZ_RUNS !== undefined) print(name, figures);
    expect(server.process.exitCode, server.warnings()).toBe(null);
    expect([(await fetch(`${server.url}/livez`)).status, server.process.pid]).toEqual([200, pid]);
    expect(figures.requests).toBeGreaterThan(COUNT);
    // 503 refuses what there is no room for; every other one is a fault of ours.
    const faults = Object.entries(figures.faults).filter(([what]) => !what.startsWith('503 '));
    expect(faults).toEqual([]);
    expect(server.warnings()).not.toMatch(/ended with status 500|INTERNAL/);
    await server.stop();
  });
});

/** An order of the partner API, and a session of the checkout host. */
async function idsAt(url: string, [partner, checkout]: readonly unknown[]): Promise<string[]> {
  const post = (path: string, body: unknown) =>
    fetch(url + path, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) });
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

function print(name: string, { requests, answers, faults }: Figures): void {
  const told = { name, requests, answers, faults: Object.keys(faults) };
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
