/** A shop whose payments x402’s own facilitator settles, with the faults that it may have. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { ServedShop } from '../../src/cli/serving/ports.ts';
import type { WireOrderReceipt, WireOrderStatus } from '../../src/contract/checkout.ts';
import {
  encodeHeader,
  SESSION_HEADER,
  type SettleResponse,
  SOLANA_MAINNET,
} from '../../src/contract/x402.ts';
import { systemClock } from '../../src/net/clock.ts';
import { createHttpFetch } from '../../src/net/fetch.ts';
import { checkShop, serveShop } from '../../src/run/shop-serving.ts';
import { createKeyFile } from '../../src/wallet/key-file.ts';
import { hostThat } from '../support/at-end.ts';
import { makeHome } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { newKey } from '../support/new-key.ts';
import { createDatabase } from '../support/postgres-server.ts';
import { GOODS, PRODUCT } from '../support/real-shop.ts';
import { served, serveSandbox } from '../support/served-sandbox.ts';
import { fundAt } from '../support/shop.ts';
import { referenceFacilitator, x402Payer } from '../support/x402-payer.ts';

const TOKEN = 't'.repeat(32);
const BODY = JSON.stringify({
  email: 'you@example.com',
  items: [{ product_id: PRODUCT, beneficiary_account: 'friend@example.com' }],
});

/** What happens between the shop and the facilitator; `reply` is what the facilitator really says. */
type Fault = (reply: () => Promise<SettleResponse>) => Promise<SettleResponse | 'nothing'>;

const honestly: Fault = (reply) => reply();

interface Front {
  readonly url: string;
  fault: Fault;
  isAway: boolean;
  readonly settled: SettleResponse[];
}

const open = new Set<ServedShop>();

const home = makeHome();
const at = (name: string) => join(home.dir, name);
const secret = (name: string, text: string) => writeFileSync(at(name), text, { mode: 0o600 });
const inDollars = (brand: (typeof GOODS.brands)[number]) => ({ ...brand, country_code: 'us' });

const [chain, database] = await Promise.all([
  serveSandbox(home, ['--chain-only', '--data', 'chain']),
  createDatabase(),
]);
const payer = await x402Payer(chain.url);
const treasury = newKey().address;
const feePayer = newKey();
createKeyFile(at('fee-payer.json'), feePayer);
for (const address of [treasury, feePayer.address]) await give(address, '1');
writeFileSync(at('goods.json'), JSON.stringify({ brands: GOODS.brands.map(inDollars) }));
secret('header', `Bearer ${TOKEN}`);
secret('rpc', `${chain.url}/rpc`);
secret('database', database.address);
const fronts = [await openFront(), await openFront()];
for (const [index, name] of ['sqlite', 'postgres'].entries()) write(name, index, treasury);
afterAll(() => Promise.all([...open].map((shop) => shop.close())));

function give(address: string, usdc: string): Promise<unknown> {
  return fundAt(chain.url, address, usdc, '1');
}

function write(name: string, index: number, treasury: string): void {
  const codes = Array.from({ length: 20 }, (_, code) => ({
    product_id: PRODUCT,
    face_value: '20',
    voucher_code: `${name}-${code}`,
  }));
  secret(`${name}.jsonl`, codes.map((line) => JSON.stringify(line)).join('\n'));
  secret(`${name}.seed`, randomBytes(32).toString('hex'));
  const config = {
    data_dir: name,
    ...(name === 'postgres' ? { database: { file: 'database' } } : {}),
    master_seed: { file: `${name}.seed` },
    listen: { port: 0 },
    chain: {
      rpc: { file: 'rpc' },
      witness_rpc: { file: 'rpc' },
      fee_payer: { file: 'fee-payer.json' },
      facilitator: { url: fronts[index]?.url, headers: { Authorization: { file: 'header' } } },
      treasury,
    },
    accounts: { rent_per_day_sol: '1', spare: 0 },
    catalog: { file: 'goods.json' },
    supplier: { kind: 'codes', file: `${name}.jsonl` },
  };
  writeFileSync(at(`${name}.json`), JSON.stringify(config));
}

const parts = () => ({
  clock: systemClock,
  version: '0.0.0',
  network: createHttpFetch({}),
  env: {},
  random: (length: number) => new Uint8Array(randomBytes(length)),
  report: (error: unknown) => warnings.push(String(error)),
});
const warnings: string[] = [];

async function serve(name: string): Promise<ServedShop> {
  const shop = await serveShop(parts(), at(`${name}.json`));
  const close = async () => {
    if (open.delete(shop)) await shop.close();
  };
  open.add(shop);
  return { ...shop, close };
}

/** The same as a process. */
const start = (name: string) => served(home.start(['serve', '--config', `${name}.json`, '--json']));

/** Stands before a facilitator of the public libraries. */
async function openFront(): Promise<Front> {
  const { facilitator, address } = await referenceFacilitator(`${chain.url}/rpc`);
  await give(address, '1');
  const url = await hostThat(async (request, response) => {
    const body = await text(request);
    const isNamed = request.headers.authorization === `Bearer ${TOKEN}`;
    if (self.isAway || !isNamed) return void response.writeHead(503).end('{}');
    if (request.url === '/x402/supported') {
      return void response.end(JSON.stringify(facilitator.getSupported()));
    }
    const said = await self.fault(async () => {
      const { paymentPayload, paymentRequirements } = JSON.parse(body);
      const settled = await facilitator.settle(paymentPayload, paymentRequirements);
      self.settled.push(settled);
      return settled;
    });
    if (said === 'nothing') request.socket.destroy();
    else response.end(JSON.stringify(said));
  });
  const self: Front = { url: `${url}/x402/`, fault: honestly, isAway: false, settled: [] };
  return self;
}

interface Bought {
  readonly status: number;
  readonly receipt: WireOrderReceipt;
  /** Phase 2 once more, as it was. */
  again(): Promise<Bought>;
}

const post = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${url}/v1/orders`, { method: 'POST', body: BODY, headers });

/** Phase 1, and what phase 2 sends. */
async function ask(url: string): Promise<{ readonly headers: Readonly<Record<string, string>> }> {
  const challenge = await post(url);
  expect(challenge.status).toBe(402);
  const { accepts } = (await challenge.json()) as { accepts: [never] };
  const { paymentPayload } = await payer.pay(accepts[0]);
  const session = challenge.headers.get(SESSION_HEADER) ?? '';
  return {
    headers: { 'PAYMENT-SIGNATURE': encodeHeader(paymentPayload), [SESSION_HEADER]: session },
  };
}

async function pay(url: string, headers: Readonly<Record<string, string>>): Promise<Bought> {
  const reply = await post(url, headers);
  const again = () => pay(url, headers);
  return { status: reply.status, receipt: (await reply.json()) as WireOrderReceipt, again };
}

async function buy({ url }: ServedShop): Promise<Bought> {
  return pay(url, (await ask(url)).headers);
}

async function statusOf(shop: ServedShop, { receipt }: Bought): Promise<WireOrderStatus> {
  return (await (
    await fetch(`${shop.url}/v1/orders/${receipt.order_id}`)
  ).json()) as WireOrderStatus;
}

const WAIT = { timeout: 20_000, interval: 100 };

async function completed(shop: ServedShop, bought: Bought): Promise<void> {
  expect(bought.status).toBe(200);
  await vi.waitFor(
    async () => expect(await statusOf(shop, bought)).toMatchObject({ status: 'completed' }),
    WAIT,
  );
}

const payments = () => ledgerAt(`${chain.url}/rpc`).payments(payer.address);

describe.each([
  ['sqlite', 0, 'was settled'],
  ['postgres', 1, 'was not sent yet'],
] as const)('with its records in %s', (name, index, state) => {
  let shop: ServedShop;
  const at_ = () => fronts[index] as Front;

  it('is tried before the shop opens', async () => {
    const checks = await checkShop(parts(), at(`${name}.json`));
    expect(checks.filter(({ fault }) => fault !== null)).toEqual([]);
    const { detail } = checks.find(({ part }) => part === 'facilitator') ?? {};
    expect(String(detail)).toMatch(/^pays fees from \w+, which has [\d.]+ SOL$/);
    at_().isAway = true;
    const faults = (await checkShop(parts(), at(`${name}.json`))).flatMap(
      ({ fault }) => fault ?? [],
    );
    expect(faults.map(({ code, hint }) => [code, String(hint)])).toEqual([
      ['FACILITATOR_UNAVAILABLE', expect.stringMatching(/^Check chain\.facilitator/)],
    ]);
    at_().isAway = false;
  });

  it('sells while it is honest, once, also if it is asked again', async () => {
    shop = await serve(name);
    const before = (await payments()).length;
    const bought = await buy(shop);
    await completed(shop, bought);
    const again = await bought.again();
    expect(again.receipt).toMatchObject({ order_id: bought.receipt.order_id });
    const all = await payments();
    expect([all.length - before, at_().settled.length]).toEqual([1, 1]);
    expect(all).toContain(at_().settled[0]?.transaction);
    const fees = await fetch(`${shop.url}/supported`);
    const { kinds } = (await fees.json()) as { kinds: [{ extra: { feePayer: string } }] };
    expect([kinds.length, kinds[0].extra.feePayer === shop.feePayer]).toEqual([1, false]);
  });

  it.each<readonly [string, Fault]>([
    [
      'drops its answer',
      async (reply) => {
        await reply();
        return 'nothing';
      },
    ],
    [
      'refuses what it settles',
      async (reply) => ({ ...(await reply()), success: false, errorReason: 'no_reason' }),
    ],
    [
      'names another transaction',
      async (reply) => ({ ...(await reply()), transaction: '1'.repeat(64) }),
    ],
  ])('delivers once what was paid, though it %s', async (_what, fault) => {
    const before = (await payments()).length;
    at_().fault = fault;
    const bought = await buy(shop);
    await completed(shop, bought);
    at_().fault = honestly;
    expect((await payments()).length - before).toBe(1);
    expect((await bought.again()).receipt.order_id).toBe(bought.receipt.order_id);
  });

  it(`has one payment for one order after it was killed when the payment ${state}`, async () => {
    const before = (await payments()).length;
    await shop.close();
    const killed = await start(name);
    const handedOver = new Promise<void>((resolve) => {
      at_().fault = async (reply) => {
        if (state === 'was settled') await reply();
        resolve();
        return new Promise(() => undefined);
      };
    });
    const { headers } = await ask(killed.url);
    const lost = post(killed.url, headers).catch(() => undefined);
    await handedOver;
    await killed.stop('SIGKILL');
    expect(await lost).toBeUndefined();
    at_().fault = honestly;
    shop = await serve(name);
    const bought = await pay(shop.url, headers);
    await completed(shop, bought);
    expect((await payments()).length - before).toBe(1);
    expect((await pay(shop.url, headers)).receipt.order_id).toBe(bought.receipt.order_id);
  });

  it('keeps an order that it refuses, and delivers it when it is settled after all', async () => {
    at_().fault = async () => ({
      success: false,
      transaction: '',
      network: SOLANA_MAINNET,
      errorReason: 'no_reason',
    });
    const bought = await buy(shop);
    expect((await statusOf(shop, bought)).status).toBe('processing');
    expect(warnings.join()).toContain('refused a payment that we accepted: "no_reason"');
    at_().fault = honestly;
    await completed(shop, bought);
  });

  it('says that nothing can be paid while it is away from the start', async () => {
    await shop.close();
    at_().isAway = true;
    shop = await serve(name);
    const asked = await fetch(`${shop.url}/v1/orders`, { method: 'POST', body: BODY });
    expect([asked.status, asked.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    await vi.waitFor(async () => {
      const reply = await fetch(`${shop.url}/readyz`);
      expect([reply.status, await reply.json()]).toEqual([
        200,
        expect.objectContaining({ degraded: { facilitator: expect.stringContaining('x402') } }),
      ]);
    }, WAIT);
    const metrics = await (await fetch(`${shop.url}/metrics`)).text();
    expect(metrics).toContain('scrip_degraded{part="facilitator"} 1');
    at_().isAway = false;
  });
});
