/** A copy of the shop's records is put back after ten more orders were paid: who says so, and is anything delivered again? */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connect } from '../../src/store/sqlite-driver.ts';
import type { Query } from '../faults/judge.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { baseLedgerAt, ledgerAt } from '../support/ledger.ts';
import { startOwnPostgres } from '../support/postgres-server.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, fundedOnBase, fundedWallet, orderOf } from '../support/shop.ts';

const BEFORE = 3;
const SINCE = 10;

/** Where the records are kept, and how a copy of them is made and put back. */
interface Records {
  readonly words: readonly string[];
  readonly query: Query;
  backUp(): Promise<void>;
  /** While no server is open. */
  restore(): Promise<void>;
  remove(): Promise<void>;
}

const ENGINES: readonly (readonly [name: string, open: (home: Home) => Promise<Records>])[] = [
  ['PostgreSQL, by a base copy', inPostgres],
  ['SQLite, by vacuum into', inSqlite],
];

async function inPostgres(): Promise<Records> {
  const { address, run, ...postgres } = await startOwnPostgres();
  return { words: ['--database', address], query: run, ...postgres };
}

async function inSqlite(home: Home): Promise<Records> {
  const [file, copy] = [join(home.dir, 'shop', 'sandbox.db'), join(home.dir, 'copy.db')];
  const query: Query = async (sql) => {
    const { close, run } = await connect(file);
    const rows = await run(sql);
    await close();
    return rows;
  };
  return {
    words: [],
    query,
    backUp: async () => {
      await query(`vacuum into '${copy}'`);
    },
    restore: async () => {
      for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
      renameSync(copy, file);
    },
    remove: async () => undefined,
  };
}

let home: Home;
let chain: ServedSandbox;
let payer: string;
let payerOnBase: string;
beforeEach(async () => {
  home = makeHome();
  chain = await serveSandbox(home, ['--chain-only', '--data', 'chain']);
  payer = await fundedWallet(home, ['--checkout-url', chain.url], '2000');
  payerOnBase = await fundedOnBase(home, chain.url, { usdc: '2000' });
});
afterEach(async () => {
  await chain.stop();
});

it.each(ENGINES)('%s: each payment since is named, none is delivered again', async (_, open) => {
  const records = await open(home);
  const place = ['--data', 'shop', ...records.words];
  const serve = (port = '0') =>
    serveSandbox(home, [...place, '--port', port, '--chain-rpc', `${chain.url}/rpc`]);
  const audit = async () => {
    const { status, stdout } = await home.run([
      ...['sandbox', 'audit', ...place, '--chain-data', 'chain', '--json'],
    ]);
    return { status, ...JSON.parse(stdout) };
  };
  let shop = await serve();
  const at = () => {
    const { url } = shop;
    const rpcUrl = `${chain.url}/rpc`;
    const nodes = ['--rpc-url', rpcUrl, '--base-rpc-url', `${rpcUrl}/base`];
    return ['--checkout-url', url, '--api-url', url, ...nodes];
  };
  /** Over x402 on Solana, by the partner API, and over x402 on Base in turn; the key of an order is its place. */
  const wordsOf = (index: number) => {
    const means = [
      ['--network', 'solana'],
      ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana', '--pay'],
      ['--network', 'base'],
    ];
    const more = [...at(), ...(means[index % 3] ?? []), '--idempotency-key', `order-${index}`];
    return orderOf(amazonProducts().fixed.product_id, [...more, '--reveal']);
  };
  const order = (index: number) =>
    home.json<{ transaction?: string; payment_transactions?: string[] }>(wordsOf(index));
  const orders = async (from: number, to: number) => {
    const made = [];
    for (let index = from; index < to; index += 1) made.push(await order(index));
    return made;
  };
  const payments = async () =>
    (await ledgerAt(`${chain.url}/rpc`).payments(payer)).length +
    (await baseLedgerAt(`${chain.url}/rpc/base`).payments(payerOnBase)).length;
  const sold = async () =>
    Number((await records.query('select count(*) as n from purchases'))[0]?.n);
  try {
    await orders(0, BEFORE);
    await records.backUp();
    const since = await orders(BEFORE, BEFORE + SINCE);
    expect(await audit()).toMatchObject({ status: 0, agrees: true });
    expect(await sold()).toBe(BEFORE + SINCE);

    await shop.stop();
    await records.restore();
    const { status, mismatches } = await audit();
    expect(status).toBe(11);
    const named = mismatches.map(
      ({ kind, subject }: Record<string, string>) => `${kind} ${subject}`,
    );
    const paid = since.map(({ transaction, payment_transactions: [other] = [] }) => {
      return `payment_without_order ${transaction ?? other}`;
    });
    expect(named.toSorted()).toEqual(paid.toSorted());

    shop = await serve(new URL(shop.url).port);
    // What was bought is in the buyer's journal: the shop, which has lost it, is not needed.
    for (let index = BEFORE; index < BEFORE + SINCE; index += 1) {
      expect((await home.run(wordsOf(index))).status).toBe(0);
    }
    expect([await payments(), await sold()]).toEqual([BEFORE + SINCE, BEFORE]);
    await orders(BEFORE + SINCE, BEFORE + SINCE + 3);
    expect([await payments(), await sold()]).toEqual([BEFORE + SINCE + 3, BEFORE + 3]);
    expect((await audit()).mismatches).toHaveLength(SINCE);
  } finally {
    await shop.stop();
    await records.remove();
  }
});
