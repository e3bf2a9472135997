/** One wallet that pays on Solana and on Base: a key pays once on both together, and limits count both. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createKeyFile, newKey } from '../../src/wallet/key-file.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { baseLedgerAt, ledgerAt } from '../support/ledger.ts';
import { serveHere } from '../support/served-here.ts';
import {
  amazonProducts,
  buy,
  fundAt,
  fundedOnBase,
  fundedWallet,
  type OrderDocument,
  orderOf,
} from '../support/shop.ts';

const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const BASE = 'eip155:8453';

const home = makeHome();
const sandbox = await serveHere(home);
const onSolana = await fundedWallet(home, sandbox.flags, '500');
const onBase = await fundedOnBase(home, sandbox.url, { usdc: '500' });
const { card25 } = amazonProducts();
const { flags, url } = sandbox;

const held = async () => [
  await ledgerAt(`${url}/rpc`).balance(onSolana),
  await baseLedgerAt(`${url}/rpc/base`).balance(onBase),
];
const byKey = (key: string, network: string) => [
  ...[...flags, '--idempotency-key', key],
  ...['--network', network],
];

function writePolicy({ dir }: Home, policy: object): void {
  const folder = join(dir, '.config', 'scrip');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'policy.json'), JSON.stringify(policy), { mode: 0o600 });
}

describe('one key', () => {
  it.each([
    ['solana', 'base', SOLANA],
    ['base', 'solana', BASE],
  ])('that paid on %s is not paid on %s again', async (first, second, network) => {
    const key = `first-${first}`;
    const bought = await buy(home, card25.product_id, byKey(key, first));
    expect(bought.network).toBe(network);
    const before = await held();
    const again = await home.json<OrderDocument & { readonly already_bought: boolean }>(
      orderOf(card25.product_id, byKey(key, second)),
    );
    expect(again).toMatchObject({ order_id: bought.order_id, network, already_bought: true });
    expect(await held()).toEqual(before);
  });

  it.each([
    ['solana', 'base'],
    ['base', 'solana'],
  ])(
    'whose process died on %s once it had sent goes on there, although %s is named',
    async (first, second) => {
      const key = `died-${first}`;
      const before = await held();
      const env = { SCRIP_TEST: '1', SCRIP_FAIL_POINT: 'submitted' };
      const words = (network: string) => orderOf(card25.product_id, byKey(key, network));
      expect((await home.run(words(first), { env })).signal).toBe('SIGKILL');
      const order = await home.json<OrderDocument>(words(second));
      expect(order).toMatchObject({
        status: 'completed',
        network: first === 'base' ? BASE : SOLANA,
      });
      const spent = (await held()).map((amount, index) => (before[index] ?? 0n) - amount);
      const price = BigInt(order.amount_atomic);
      expect(spent).toEqual(first === 'base' ? [0n, price] : [price, 0n]);
    },
  );
});

describe('a limit', () => {
  afterEach(() => writePolicy(home, {}));

  it.each([
    ['solana', 'base'],
    ['base', 'solana'],
  ])('for a day counts what was paid on %s before a payment on %s', async (first, second) => {
    const shown = await home.json<{ readonly today: { readonly spent: string } }>([
      ...['policy', 'show', ...flags],
    ]);
    writePolicy(home, { perDay: (Number(shown.today.spent) + 30).toFixed(2) });
    await buy(home, card25.product_id, byKey(`limit-${first}`, first));
    const before = await held();
    const refused = await home.failure(
      orderOf(card25.product_id, byKey(`limit-${first}-then`, second)),
    );
    expect(refused).toMatchObject({ code: 'SPENDING_LIMIT', status: 6 });
    expect(await held()).toEqual(before);
  });
});

describe('a wallet that is not marked as test money', () => {
  it.each([
    [
      'that the merchant brings',
      'SPENDING_UNKNOWN',
      /scrip wallet mark-play/,
      () => [] as string[],
    ],
    [
      'that was named',
      'WALLET_PROFILE_MISMATCH',
      /made for the sandbox/,
      () => ['--base-rpc-url', `${url}/rpc/base`],
    ],
  ])('pays nothing by an RPC of Base on this machine %s', async (_which, code, hint, rpc) => {
    const real = makeHome();
    const keypair = join(real.dir, 'real.json');
    const key = newKey();
    createKeyFile(keypair, key);
    await fundAt(url, key.address, '100');
    const address = await fundedOnBase(real, url, { usdc: '100', keypair });
    const hosts = { [new URL(url).host]: { payTo: 'any' } };
    writePolicy(real, { hosts, nonInteractive: { enabled: true } });
    const own = ['--keypair', keypair, ...flags, ...rpc()];
    const refused = await real.failure(
      orderOf(card25.product_id, [...own, '--network', 'base', '--idempotency-key', 'real']),
    );
    expect(refused).toMatchObject({
      ...{ code, funds_at_risk: 'none' },
      hint: expect.stringContaining('scrip wallet mark-play'),
    });
    expect(refused.hint).toMatch(hint);
    expect(await baseLedgerAt(`${url}/rpc/base`).balance(address)).toBe(100_000_000n);
  });
});

describe('the audit', () => {
  it('finds each payment of both networks', async () => {
    const counted = await home.json<{ readonly checked: { readonly settlements: number } }>([
      ...['sandbox', 'audit'],
    ]);
    expect(counted).toMatchObject({ agrees: true, mismatches: [], open: 0 });
    const orders = await home.json<readonly OrderDocument[]>(['orders', ...flags]);
    expect(counted.checked.settlements).toBe(orders.length);
    expect(new Set(orders.map(({ network }) => network))).toEqual(new Set([SOLANA, BASE]));
  });
});
