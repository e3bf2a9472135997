/** One wallet that pays on Solana and on Base: a key pays once on both together, and limits count both. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createKeyFile } from '../../src/wallet/key-file.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { KEYLESS, openFrontHost } from '../support/front-host.ts';
import { baseLedgerAt, ledgerAt } from '../support/ledger.ts';
import { newKey } from '../support/new-key.ts';
import {
  onBase as chainOfBase,
  onSolana as chainOfSolana,
  referenceHost,
} from '../support/paid-host.ts';
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

describe('one key on two machines', () => {
  const ORDERS = [
    ['solana', 'base', SOLANA],
    ['base', 'solana', BASE],
  ] as const;
  /** Another machine with the wallet, which knows nothing of what was bought with it. */
  const twinHome = (): Home => {
    const twin = makeHome();
    for (const folder of ['wallets', 'play']) {
      const path = join('.local/share/scrip', folder);
      cpSync(join(home.dir, path), join(twin.dir, path), { recursive: true });
    }
    return twin;
  };
  const spentBy = async <T>(work: () => Promise<T>) => {
    const before = await held();
    const result = await work();
    const after = await held();
    return { result, spent: before.map((amount, index) => amount - (after[index] ?? 0n)) };
  };
  const only = (network: string, amount: bigint) =>
    network === SOLANA ? [amount, 0n] : [0n, amount];

  it.each(ORDERS)(
    'that paid on %s is not paid on %s again, at a host that takes no keys',
    async (first, second, network) => {
      const keyless = await openFrontHost(url, KEYLESS);
      const words = (on: string) => [
        ...orderOf(card25.product_id, ['--idempotency-key', `keyless-${first}`, '--network', on]),
        ...['--checkout-url', keyless.url, '--rpc-url', `${url}/rpc`],
      ];
      const { result, spent } = await spentBy(async () => [
        await twinHome().json<OrderDocument>(words(first)),
        await twinHome().failure(words(second)),
      ]);
      expect(result[1]).toMatchObject({
        ...{ code: 'PAID_ELSEWHERE', status: 11, funds_at_risk: 'spent' },
        details: { transaction: (result[0] as OrderDocument).transaction },
      });
      expect(spent).toEqual(only(network, 25_250_000n));
    },
  );

  it.each(ORDERS)(
    'that paid on %s is delivered to the machine that names %s, at a host that takes keys',
    async (first, second, network) => {
      const { result, spent } = await spentBy(async () => [
        await buy(twinHome(), card25.product_id, byKey(`twin-${first}`, first)),
        await buy(twinHome(), card25.product_id, byKey(`twin-${first}`, second)),
      ]);
      const [one, other] = result;
      expect(other).toMatchObject({
        ...{ order_id: one?.order_id, deliveries: one?.deliveries, already_bought: true },
        ...{ network, transaction: one?.transaction, payer: one?.payer },
      });
      expect(spent).toEqual(only(network, 25_250_000n));
    },
  );

  it.each(ORDERS)(
    'that paid on %s is finished without its state folder, although %s is named',
    async (first, second, network) => {
      const twin = twinHome();
      const bought = await buy(twin, card25.product_id, byKey(`lost-${first}`, first));
      rmSync(join(twin.dir, '.local/state/scrip'), { recursive: true });
      const { result, spent } = await spentBy(() =>
        buy(twin, card25.product_id, byKey(`lost-${first}`, second)),
      );
      expect(result).toMatchObject({ order_id: bought.order_id, network, already_bought: true });
      expect(spent).toEqual([0n, 0n]);
      const again = await twin.json<readonly OrderDocument[]>(['orders', ...flags]);
      expect(again).toMatchObject([{ order_id: bought.order_id, network, payer: bought.payer }]);
    },
  );

  it.each(ORDERS)(
    'of a request that was paid on %s is not paid on %s again',
    async (first, second, network) => {
      const host = await referenceHost([await chainOfSolana(url), await chainOfBase(url)]);
      const words = (on: string) => [
        ...['fetch', `${host.url}/report`, '--max-amount', '0.02', ...flags],
        ...['--idempotency-key', `fetch-${first}`, '--network', on],
      ];
      const { result, spent } = await spentBy(async () => {
        const paid = await twinHome().json<{ payment: { network: string } }>(words(first));
        return { paid, again: await twinHome().failure(words(second)) };
      });
      expect(result.paid.payment.network).toBe(network);
      expect(result.again).toMatchObject({ code: 'PAID_ELSEWHERE', funds_at_risk: 'spent' });
      expect(spent).toEqual(only(network, 10_000n));
    },
  );
});
