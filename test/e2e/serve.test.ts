/** `scrip serve`: a shop whose chain, rates and supplier are processes of their own. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AuditReport } from '../../src/domain/operator/audit.ts';
import type { SalesRecord } from '../../src/domain/operator/operator-records.ts';
import { collect, FINAL_SOON, makeHome, SCRIP } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { createDatabase, type TestDatabase } from '../support/postgres-server.ts';
import { type OneShop, PRODUCT, prepareShop } from '../support/real-shop.ts';
import type { ServedSandbox } from '../support/served-sandbox.ts';
import { fundedWallet, type OrderDocument } from '../support/shop.ts';

interface PartnerDocument {
  readonly order_state: string;
  readonly deliveries: readonly { readonly deliverable: { readonly pin_code?: string } }[];
}

const ORDER = ['order', PRODUCT, '--country', 'de', '--brand', 'Eckladen'] as const;
const FOR = ['--to', 'friend@example.com', '--email', 'you@example.com'] as const;
const AGREED = ['--yes', '--max-amount', '30', '--allow-duplicate'] as const;
/** 20 EUR at 0.8 EUR per dollar, and the margin of 1 %. */
const PRICE = 25_250_000n;

let open: ServedSandbox;
/** What each process of the shop has logged. */
const logs: (() => string)[] = [];
async function opened(): Promise<ServedSandbox> {
  const server = await shop.open();
  logs.push(server.warnings);
  return server;
}
const home = makeHome(SCRIP, FINAL_SOON);
const shop = await prepareShop(home);
const payer = await fundedWallet(home, ['--checkout-url', shop.chain.url]);

describe('a shop with real parts', () => {
  it('is tried part by part before it is opened', async () => {
    const words = ['serve', '--config', shop.configFile, '--check'];
    const checked = await home.json<{ ok: boolean; checks: { part: string }[] }>(words);
    expect(checked.ok).toBe(true);
    expect(checked.checks.map(({ part }) => part)).toEqual([
      ...['master seed', 'database', 'chain', 'websocket', 'fee payer', 'treasury'],
      ...['accounts', 'refund wallet', 'catalog', 'rates', 'supplier'],
    ]);
  });

  it('names what is wrong, part by part and at every path', async () => {
    const config = JSON.parse(readFileSync(join(home.dir, shop.configFile), 'utf8'));
    const write = (name: string, value: unknown) =>
      writeFileSync(join(home.dir, name), JSON.stringify(value));
    write('poor.json', { ...config, chain: { ...config.chain, fee_payer_floor_sol: '5' } });
    const poor = await home.run(['serve', '--config', 'poor.json', '--check']);
    expect(poor.status).toBe(2);
    expect(poor.stdout).toMatch(/fee payer\s+FAIL {2}\S+ has 1 SOL, less than its minimum of 5/);
    write('broken.json', { ...config, data_dir: 7, chain: { rpc: 'https://key' } });
    const broken = await home.failure(['serve', '--config', 'broken.json']);
    expect(broken.code).toBe('INPUT_INVALID');
    for (const path of ['$.data_dir', '$.chain.rpc', '$.chain.fee_payer', '$.chain.treasury']) {
      expect(broken.message).toContain(path);
    }
  });

  it('delivers once what was paid before it was killed', async () => {
    open = await opened();
    const words = [...ORDER, ...FOR, ...AGREED, ...shop.flags(), '--json'];
    const bought = collect(home.start(words), '');
    await vi.waitFor(() => expect(shop.purchases()).toHaveLength(1), WAIT);
    await open.stop('SIGKILL');
    open = await opened();
    const { status, stdout, stderr } = await bought;
    expect([status, stderr]).toEqual([0, '']);
    const order: OrderDocument = JSON.parse(stdout);
    const [purchase] = shop.purchases();
    expect(order).toMatchObject({ status: 'completed', amount_atomic: `${PRICE}` });
    expect(order.deliveries[0]?.voucher_code).toBe(purchase?.voucher.voucher_code);
    expect(shop.purchases()).toHaveLength(1);
    expect(await ledger().payments(payer)).toEqual([order.transaction]);
  });

  it('delivers orders of the partner API, and moves what was paid to the treasury', async () => {
    const means = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana', '--pay'];
    const order = await home.json<PartnerDocument>([
      ...[...ORDER, ...FOR, ...AGREED, ...means, ...shop.flags()],
    ]);
    expect(order.order_state).toBe('Done');
    const codes = shop.purchases().map(({ voucher }) => voucher.voucher_code);
    expect(order.deliveries.map(({ deliverable }) => deliverable.pin_code)).toEqual([codes[1]]);
    const most = 1_000_000n + 2n * PRICE;
    await vi.waitFor(async () => expect(await ledger().balance(shop.treasury)).toBe(most), WAIT);
    expect(await ledger().payments(payer)).toHaveLength(2);
  });

  it('agrees with its nodes and its supplier, and tells monitors how it does', async () => {
    const books = await home.json<AuditReport>(['serve', 'books', '--config', shop.configFile]);
    expect([books.mismatches, books.checked.lines, books.checked.transfers]).toEqual([[], 2, 2]);
    const read = async () => (await fetch(`${open.url}/metrics`)).text();
    await vi.waitFor(async () => expect(await read()).toMatch(SUBSCRIBED), WAIT);
    const metrics = await read();
    expect(metrics).toMatch(/^scrip_orders\{surface="checkout",state="processing"\} 0$/m);
    expect(metrics).toMatch(/^scrip_fee_payer_sol 0\.\d+$/m);
    expect(metrics).toMatch(/^scrip_chain_lag_slots \d+$/m);
  });

  it('sums up its sales with their costs, and lists them for a spreadsheet', async () => {
    const words = ['serve', 'sales', '--config', shop.configFile];
    const sums = await home.json<readonly SalesRecord[]>([...words, '--by', 'country']);
    const usdc = { coin: 'USDC', lines: 2, gross: '50.5', cost: '50', margin: '0.5' };
    expect(sums.filter(({ lines }) => lines > 0)).toMatchObject([
      { key: 'de', is_total: false, ...usdc },
      { key: null, is_total: true, ...usdc, undelivered: '0' },
    ]);
    const { stdout } = await home.run([...words, '--csv']);
    const [header = '', ...lines] = stdout.trim().split('\r\n');
    const fields = header.split(',');
    const rows = lines.map((line) =>
      Object.fromEntries(line.split(',').map((cell, at) => [fields[at], cell])),
    );
    const sold = rows.filter(({ kind }) => kind === 'sale');
    expect(sold.map(({ receipt, amount, rate, cost }) => [receipt, amount, rate, cost])).toEqual([
      ['1', '25.25', '1.25', '20'],
      ['2', '25.25', '1.25', '20'],
    ]);
    expect(sold.map(({ transaction }) => transaction).toSorted()).toEqual(
      (await ledger().payments(payer)).toSorted(),
    );
  });

  it('sends back once what was paid too much, although it is killed while it does', async () => {
    const means = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana', '--no-wait'];
    const order = await home.json<{ order_id: string; wallet_address: string }>([
      ...[...ORDER, ...FOR, '--yes', '--allow-duplicate', ...means, ...shop.flags()],
    ]);
    const [before, treasury] = await Promise.all([payer, shop.treasury].map(ledger().balance));
    await shop.transfer(order.wallet_address, '30');
    const shown = async () => {
      const words = ['track', order.order_id, '--timeout', '0s', ...shop.flags(), '--json'];
      const { stdout } = await home.run(words);
      return JSON.parse(stdout).refunds?.[0];
    };
    await vi.waitFor(async () => expect(await shown()).toMatchObject(BEGUN), LONG);
    await open.stop('SIGKILL');
    open = await opened();
    const sent = { state: 'sent', proof: 'proved', amount: '4.75', recipient: payer };
    await vi.waitFor(async () => expect(await shown()).toMatchObject(sent), LONG);
    expect(await ledger().payments(shop.refundWallet)).toHaveLength(1);
    expect((await ledger().balance(payer)) - (before ?? 0n)).toBe(30_000_000n - PRICE);
    const moved = (treasury ?? 0n) + 30_000_000n;
    await vi.waitFor(async () => expect(await ledger().balance(shop.treasury)).toBe(moved), LONG);
  });

  it('logged no person, code, order or caller, in all of this', async () => {
    const log = logs.map((read) => read()).join('');
    const codes = shop.purchases().map(({ voucher }) => voucher.voucher_code);
    const people = ['friend@example.com', 'you@example.com', payer, '/orders/', 'X-Forwarded-For'];
    for (const text of [...codes, ...people]) expect(log).not.toContain(text);
  });
});

describe('a shop on PostgreSQL that sells from a file of codes', () => {
  const CODE = 'CODE-1111';
  let database: TestDatabase;
  let other: OneShop;
  let running: ServedSandbox;
  beforeAll(async () => {
    database = await createDatabase();
    other = await shop.beside(database.address, [CODE]);
    running = await other.open();
  });
  afterAll(async () => {
    await running?.stop();
    await database.drop();
  });

  it('sells the last code to an order of the partner API, sweeps, and is then out of stock', async () => {
    const before = await ledger().balance(shop.treasury);
    const means = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana', '--pay'];
    const order = await home.json<PartnerDocument>([
      ...[...ORDER, ...FOR, ...AGREED, ...means, ...other.flags()],
    ]);
    expect(order.order_state).toBe('Done');
    expect(order.deliveries.map(({ deliverable }) => deliverable.pin_code)).toEqual([CODE]);
    await vi.waitFor(
      async () => expect(await ledger().balance(shop.treasury)).toBe(before + PRICE),
      WAIT,
    );
    const refused = await home.run([...ORDER, ...FOR, ...AGREED, ...other.flags(), '--json']);
    expect([refused.status, refused.stderr]).toEqual([4, expect.stringContaining('out of stock')]);
    // Codes are encrypted: nothing of them is in the database.
    const lines = "select goods, encode(voucher, 'escape') as voucher from deliveries";
    expect(JSON.stringify(await database.run(lines))).not.toContain(CODE);
  });

  it('has its operator find the order by what its buyer knows, and the code in no output', async () => {
    const config = ['--config', other.configFile];
    const listed = await home.run(['serve', 'orders', '--state', 'any', '--csv', ...config]);
    const [header = '', row = '', end] = listed.stdout.split('\r\n');
    expect([listed.status, end]).toEqual([0, '']);
    const order = Object.fromEntries(
      header.split(',').map((name, at) => [name, row.split(',')[at]]),
    );
    expect(order).toMatchObject({ state: 'Done', amount: '25.25', coin: 'USDC', refund: '' });
    const transaction = /[1-9A-HJ-NP-Za-km-z]{64,}/.exec(row)?.[0] ?? '';
    const find = (what: readonly string[], input = '') =>
      home.run(['serve', 'order', ...what, ...config, '--json'], { input });
    const runs = [
      await find(['YOU@example.com']),
      await find([transaction]),
      await find([order.order_id?.slice(9, 18) ?? '']),
      await find(['--code-file', '-'], `${CODE}\n`),
    ];
    for (const { status, stdout, stderr } of [...runs, listed]) {
      expect([status, stdout + stderr]).toEqual([0, expect.not.stringMatching(`${CODE}|you@`)]);
    }
    expect(runs.map(({ stdout }) => JSON.parse(stdout).order_id)).toEqual(
      Array(4).fill(order.order_id),
    );
    const none = await find(['--code-file', '-'], 'CODE-9');
    expect([none.status, none.stdout, none.stderr]).toEqual([
      ...[3, '', expect.stringMatching(/There is no order \\?"[0-9a-f]{64}/)],
    ]);
  });
});

describe('a partner of the shop', () => {
  const ask = (secret?: string) =>
    fetch(`${open.url}/v3/currencies`, {
      headers: {
        'X-Cr-Application': 'acme',
        ...(secret === undefined ? {} : { Authorization: `Bearer ${secret}` }),
      },
    });
  const statusOf = async (secret?: string) => (await ask(secret)).status;
  const partners = (...words: readonly string[]) =>
    home.json<{ readonly secret: string }>([
      ...['serve', 'partners', ...words, '--config', shop.configFile],
    ]);

  it('is held to its secret by the running server, until it is revoked', async () => {
    expect(await statusOf()).toBe(200);
    const { secret } = await partners('add', 'acme', '--as', 'ann');
    await vi.waitFor(async () => expect(await statusOf()).toBe(401), WAIT);
    expect(await statusOf(secret)).toBe(200);
    const { secret: next } = await partners('rotate', 'acme');
    await vi.waitFor(async () => expect(await statusOf(next)).toBe(200), WAIT);
    expect(await statusOf(secret)).toBe(200);
    await partners('revoke', 'acme');
    await vi.waitFor(async () => expect(await statusOf(next)).toBe(401), WAIT);
    expect(JSON.stringify(await partners('list'))).not.toContain('scrip_partner_');
    const log = ['serve', 'log', '--config', shop.configFile];
    const actions = (await home.json<{ who: string; action: string }[]>(log)).toReversed();
    expect(actions.map(({ action }) => action)).toEqual([
      ...['partners.add', 'partners.rotate', 'partners.revoke'],
    ]);
    expect(actions[0]).toMatchObject({ who: 'ann', subject: 'acme', result: 'done' });
  });

  it('buys by this program, which sends the secret and never shows it', async () => {
    const { secret } = await partners('add', 'beta');
    writeFileSync(join(home.dir, 'beta.secret'), `${secret}\n`, { mode: 0o600 });
    const asBeta = [...shop.flags(), '--partner-id', 'beta'];
    const coins = (env: Readonly<Record<string, string>>) =>
      home.run(['vias', 'coins', ...asBeta, '--verbose'], { env });
    const refused = await home.failure(['vias', 'coins', ...asBeta]);
    expect(refused).toMatchObject({ code: 'PARTNER_UNAUTHORIZED' });
    const file = { SCRIP_PARTNER_SECRET_FILE: join(home.dir, 'beta.secret') };
    const runs = [
      await coins(file),
      await coins({ SCRIP_PARTNER_SECRET: secret }),
      await home.run(['doctor', '--bundle', ...asBeta], { env: file }),
      await home.run(['config', ...asBeta], { env: { SCRIP_PARTNER_SECRET: secret } }),
    ];
    expect(runs.slice(0, 2).map(({ status }) => status)).toEqual([0, 0]);
    for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toContain(secret);
    const typed = ['profile', 'add', 'x', ...shop.flags(), '--partner-secret-file', secret];
    const asWord = await home.run([...typed, '--json']);
    expect(asWord.status).toBe(2);
    expect(asWord.stderr).not.toContain(secret);
  });
});

const SUBSCRIBED = /^scrip_chain_subscriptions [1-9]\d*$/m;
const WAIT = { timeout: 15_000, interval: 100 };
/** Payments have to be final. */
const LONG = { timeout: 60_000, interval: 300 };
const BEGUN = { state: expect.stringMatching(/^(sending|sent)$/) };

function ledger() {
  return ledgerAt(`${shop.chain.url}/rpc`);
}
