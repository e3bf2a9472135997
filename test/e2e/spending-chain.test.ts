/** Limits of a day by what left the wallet on the chain, whichever state folder or program it left by. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBurnInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import {
  Connection,
  Keypair,
  PublicKey,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { createWalletClient, erc20Abi, type Hex, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { afterEach, describe, expect, it } from 'vitest';
import { USDC_MINT } from '../../src/contract/x402.ts';
import { FINAL_SOON, makeHome, SCRIP } from '../support/cli.ts';
import { openFrontHost, retelling } from '../support/front-host.ts';
import { baseLedgerAt, ledgerAt } from '../support/ledger.ts';
import { postJson } from '../support/post-json.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { AGREED, fundOnBase, GIFT } from '../support/shop.ts';
import { USDC } from '../support/usdc.ts';

const SLOW_MS = 60_000;
/** One product, which the sandbox's margin of 1 % makes 10.10 USDC. */
const TEN = {
  brands: [
    {
      brand_name: 'Ten',
      country_code: 'us',
      category: 'retail',
      products: [{ product_id: '0b7c2f1e-5d0a-4c8e-9f0f-3a5f6d1c2b10', face_value: '10' }],
    },
  ],
} as const;
const PRODUCT = [TEN.brands[0].products[0].product_id, '--country', 'us', '--brand', 'Ten'];

/** Somebody else's shop and chain, in a process of their own. */
const shop = makeHome(SCRIP, FINAL_SOON);
const home = makeHome(SCRIP, FINAL_SOON);
const keypair = join(home.dir, 'real.json');
/** Stands before the chain; a method of this map is answered by it. */
const answers = new Map<string, object>();
/** What it makes of an answer of the chain. */
const lies = new Map<string, (result: readonly unknown[]) => unknown>();

const catalog = join(shop.dir, 'ten.json');
writeFileSync(catalog, JSON.stringify(TEN));
const sandbox = await serveSandbox(shop, ['--catalog', catalog]);
const made = await home.json<{ address: string }>(['wallet', 'new', '--keypair', keypair]);
const owner = made.address;
await home.json(['wallet', 'fund', '--usdc', '200', '--keypair', keypair, ...sandbox.flags]);
const node = await openFrontHost(
  sandbox.url,
  retelling(({ method }, result) => {
    const given = answers.get(method);
    const lie = lies.get(method);
    if (given !== undefined || lie === undefined || result === undefined)
      return given ?? { result };
    return { result: lie(result as readonly unknown[]) };
  }),
);

/** The policy of the one who owns the wallet. */
const allow = (perDay: string, more = {}): void => {
  mkdirSync(join(home.dir, '.config', 'scrip'), { recursive: true });
  const policy = {
    perDay,
    hosts: { [new URL(sandbox.url).host]: { payTo: 'any' } },
    nonInteractive: { enabled: true },
    ...more,
  };
  const path = join(home.dir, '.config', 'scrip', 'policy.json');
  writeFileSync(path, JSON.stringify(policy), { mode: 0o600 });
};
allow('15');
const baseRpc = `${sandbox.url}/rpc/base`;
const flags = () => ['--keypair', keypair, ...sandbox.flags, '--base-rpc-url', baseRpc];
const stateIn = (folder: string) => ({ env: { XDG_STATE_HOME: join(home.dir, folder) } });
/** An order from a state folder of its own. */
const orderIn = async (folder: string, key: string, more: readonly string[] = []) => {
  const named = ['--idempotency-key', key, ...flags(), ...more];
  const words = ['order', ...PRODUCT, ...GIFT, ...AGREED, ...named, '--json'];
  const { status, stderr } = await home.run(words, stateIn(folder));
  return { status, ...(status === 0 ? {} : JSON.parse(stderr).error) };
};
const PARTNER = ['--via', 'partner', '--pay', '--coin', 'USDC', '--network', 'Solana'];
const held = (): Promise<bigint> => ledgerAt(`${sandbox.url}/rpc`).balance(owner);

describe('a wallet of real money under a limit of 15 USDC a day', () => {
  it(
    'spends at most that, however many state folders there are',
    async () => {
      expect(await orderIn('one', 'first')).toMatchObject({ status: 0 });
      for (const folder of ['two', 'three']) {
        expect(await orderIn(folder, `of-${folder}`)).toMatchObject({
          status: 6,
          code: 'SPENDING_LIMIT',
          funds_at_risk: 'none',
          details: { rule: 'perDay', spent: '10.10', remaining: '4.90' },
        });
      }
      expect(await held()).toBe(189_900_000n);
    },
    SLOW_MS,
  );

  it('is told what is left and what was counted, in a state folder that knows of nothing', async () => {
    const today = { left: '4.90', spent: '10.10', counted: 'chain' };
    const inTwo = stateIn('two');
    expect(await home.json(['policy', 'show', ...flags()], inTwo)).toMatchObject({
      money: 'real',
      today,
    });
    expect(await home.json(['spend', ...flags()], inTwo)).toMatchObject({
      today: { ...today, elsewhere: '10.10' },
      merchants: [],
    });
    expect(await home.json(['spend', ...flags()], stateIn('one'))).toMatchObject({
      today: { ...today, elsewhere: '0.00' },
      merchants: [{ today: '10.10', left: '4.90' }],
    });
    const check = ['policy', 'check', '--host', sandbox.url, ...flags(), '--json', '--amount'];
    expect((await home.run([...check, '4.90'], inTwo)).status).toBe(0);
    expect((await home.run([...check, '4.91'], inTwo)).status).toBe(6);
    expect(await orderIn('two', 'rehearsed', ['--dry-run'])).toMatchObject({
      status: 6,
      code: 'SPENDING_LIMIT',
    });
  });

  it(
    'counts a payment once that journal and chain both know',
    async () => {
      allow('21');
      expect(await orderIn('one', 'second')).toMatchObject({ status: 0 });
      expect(await orderIn('one', 'third')).toMatchObject({
        code: 'SPENDING_LIMIT',
        details: { spent: '20.20' },
      });
      expect(await held()).toBe(179_800_000n);
    },
    SLOW_MS,
  );

  it('counts what another program sent', async () => {
    allow('60');
    await burn(30_000_000n);
    expect(await orderIn('one', 'fourth')).toMatchObject({
      code: 'SPENDING_LIMIT',
      details: { spent: '50.20', remaining: '9.80' },
    });
    expect(await held()).toBe(149_800_000n);
  });
});

/** By the libraries of other wallets. */
async function burn(amount: bigint): Promise<void> {
  const connection = new Connection(`${sandbox.url}/rpc`, 'confirmed');
  const payer = Keypair.fromSecretKey(Uint8Array.from(JSON.parse(readFileSync(keypair, 'utf8'))));
  const mint = new PublicKey(USDC_MINT);
  const account = getAssociatedTokenAddressSync(mint, payer.publicKey);
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: (await connection.getLatestBlockhash()).blockhash,
    instructions: [createBurnInstruction(account, mint, payer.publicKey, amount)],
  });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  transaction.sign([payer]);
  const id = await connection.sendTransaction(transaction);
  const isConfirmed = async (): Promise<boolean> => {
    const { value } = await connection.getSignatureStatus(id);
    return ['confirmed', 'finalized'].includes(value?.confirmationStatus ?? '');
  };
  while (!(await isConfirmed()));
}

const byNode = () => ['--rpc-url', `${node.url}/rpc`];

describe('a chain that does not tell what left the wallet', () => {
  const away = { error: { code: -32_000, message: 'the history is away' } };

  it.each([
    ['is away', 'getSignaturesForAddress', away, { status: 4, code: 'CHAIN_UNREACHABLE' }],
    ['gives no transaction', 'getTransaction', { result: null }, { code: 'CHAIN_UNREACHABLE' }],
    [
      'does not reach far enough back',
      'getFirstAvailableBlock',
      { result: Number.MAX_SAFE_INTEGER },
      { status: 6, code: 'SPENDING_UNKNOWN' },
    ],
  ])('where it %s, is paid by nobody', async (what, method, reply, end) => {
    allow('1000');
    answers.set(method, reply);
    const before = await held();
    const folder = what.replaceAll(' ', '-');
    expect(await orderIn(folder, folder, byNode())).toMatchObject({
      ...end,
      funds_at_risk: 'none',
    });
    expect(
      await home.json(['policy', 'show', ...flags(), ...byNode()], stateIn(folder)),
    ).toMatchObject({
      today: { left: '0.00', counted: 'journal' },
    });
    answers.clear();
    expect(await held()).toBe(before);
  });

  afterEach(() => {
    lies.clear();
    answers.clear();
  });

  const DAY_AND_HOUR = 25 * 60 * 60;

  it('where it lists nothing of an account that exists, is not believed', async () => {
    allow('1000');
    lies.set('getSignaturesForAddress', () => []);
    const before = await held();
    expect(await orderIn('four', 'unlisted', byNode())).toMatchObject({
      status: 6,
      code: 'SPENDING_UNKNOWN',
      funds_at_risk: 'none',
    });
    expect(await held()).toBe(before);
  });

  it.each([
    ['from any folder, where it tells the time of tomorrow', 'two', DAY_AND_HOUR],
    ['from any folder, where it tells the time of years to come', 'one', 3_650 * DAY_AND_HOUR],
  ])('counts what was paid today, %s', async (_what, folder, later) => {
    allow('60');
    lies.set('getBlockTime', (seconds) => Number(seconds) + later);
    const end = await orderIn(folder, `late-${folder}`, byNode());
    expect(end).toMatchObject({ code: 'SPENDING_LIMIT', details: { spent: '50.20' } });
  });

  it('is asked beside a second node, and the stricter answer counts', async () => {
    allow('60');
    const both = [...byNode(), '--rpc-url-2', `${sandbox.url}/rpc`];
    lies.set('getSignaturesForAddress', (listed) => listed.slice(-1));
    expect(await orderIn('five', 'by-two', both)).toMatchObject({
      code: 'SPENDING_LIMIT',
      details: { spent: '50.20' },
    });
    allow('1000');
    const before = await held();
    expect(await orderIn('five', 'first', [...PARTNER, ...both])).toMatchObject({
      code: 'PAID_ELSEWHERE',
    });
    expect(await held()).toBe(before);
  });

  it('keeps nobody from paying play money', async () => {
    const other = makeHome(SCRIP, FINAL_SOON);
    await other.json(['wallet', 'new']);
    await other.json(['wallet', 'fund', ...sandbox.flags]);
    answers.set('getFirstAvailableBlock', { result: Number.MAX_SAFE_INTEGER });
    const words = ['order', ...PRODUCT, ...GIFT, ...AGREED, ...sandbox.flags, ...byNode()];
    expect((await other.run(words)).status).toBe(0);
  });
});

it('one product for one person is a duplicate on both surfaces, in whatever letters', async () => {
  allow('1000');
  const once = [...AGREED.filter((word) => word !== '--allow-duplicate'), ...flags(), '--json'];
  const order = async (key: string, to: string, more: readonly string[] = []) => {
    const whom = ['--to', to, '--email', 'you@example.com', '--idempotency-key', key];
    const words = ['order', ...PRODUCT, ...whom, ...once, ...more];
    const { status, stderr } = await home.run(words, stateIn('twice'));
    return { status, ...(status === 0 ? {} : JSON.parse(stderr).error) };
  };
  const twin = { status: 7, code: 'DUPLICATE_PURCHASE' };
  expect(await order('d1', 'one@example.com')).toMatchObject({ status: 0 });
  const before = await held();
  expect(await order('d2', 'One@Example.com', PARTNER)).toMatchObject(twin);
  expect(await order('d3', 'ONE@example.com')).toMatchObject(twin);
  expect(await held()).toBe(before);
  expect(await order('d4', 'two@example.com', PARTNER)).toMatchObject({ status: 0 });
  const refused = await order('d5', 'two@Example.com');
  expect(refused).toMatchObject(twin);
  expect(refused.message).not.toMatch(/USD USD/);
});

it.each([
  ['perOrder', { perOrder: '6' }],
  ['nonInteractive.perOrder', { nonInteractive: { enabled: true, perOrder: '6' } }],
])(
  'an order that is paid in parts costs no more than %s',
  async (rule, limit) => {
    allow('1000', limit);
    const words = ['order', ...PRODUCT, ...GIFT, ...PARTNER, '--yes', '--allow-duplicate'];
    const made = await home.json<{ order_id: string }>(
      [
        ...words.filter((word) => word !== '--pay'),
        '--idempotency-key',
        `parts-${rule}`,
        ...flags(),
      ],
      stateIn('parts'),
    );
    const part = ['--amount', '5.05', '--yes', '--max-amount', '11', '--no-wait', ...flags()];
    const pay = () => home.run(['pay', made.order_id, ...part, '--json'], stateIn('parts'));
    const before = await held();
    expect((await pay()).status).toBe(0);
    const { status, stderr } = await pay();
    expect({ status, ...JSON.parse(stderr).error }).toMatchObject({
      ...{ status: 6, code: 'SPENDING_LIMIT' },
      details: { rule, spent: '5.05', remaining: '0.95' },
    });
    expect(before - (await held())).toBe(5_050_000n);
  },
  60_000,
);

describe('a wallet with a key for Base too', () => {
  /** By the library of other wallets. */
  async function sendOnBase(amount: bigint): Promise<void> {
    const secret = readFileSync(keypair.replace('.json', '.evm.key'), 'utf8').trim();
    const account = privateKeyToAccount(`0x${secret.replace(/^0x/, '')}` as Hex);
    await fundOnBase(sandbox.url, account.address, '100');
    await postJson(baseRpc, {
      ...{ jsonrpc: '2.0', id: 1, method: 'sandboxFaucet' },
      params: [account.address, { usdc: '0', wei: String(10n ** 18n) }],
    });
    const client = createWalletClient({ account, chain: base, transport: http(baseRpc) });
    const hash = await client.writeContract({
      ...{ address: USDC as Hex, abi: erc20Abi, functionName: 'transfer' },
      args: [`0x${'11'.repeat(20)}`, amount],
    });
    await client.extend(publicActions).waitForTransactionReceipt({ hash });
    expect(await baseLedgerAt(baseRpc).balance(account.address)).toBe(100_000_000n - amount);
  }
  const today = async (network: string, more: readonly string[] = []) => {
    const env = { ...stateIn('base').env, SCRIP_NETWORK: network };
    const words = ['policy', 'show', ...flags(), ...more];
    const shown = await home.json<{ today: object }>(words, { env });
    return shown.today;
  };

  it('counts what left it on either network, whichever pays', async () => {
    allow('1000');
    const { spent } = Object(await today('solana'));
    expect(await today('base')).toMatchObject({ spent, counted: 'chain' });
    await sendOnBase(20_000_000n);
    const more = (Number(spent) + 20).toFixed(2);
    for (const network of ['solana', 'base']) {
      expect(await today(network)).toMatchObject({ spent: more, counted: 'chain' });
    }
    allow((Number(more) + 5).toFixed(2), { perMerchantPerDay: '1000' });
    expect(await orderIn('base', 'over')).toMatchObject({
      ...{ code: 'SPENDING_LIMIT', funds_at_risk: 'none' },
      details: { rule: 'perDay', spent: more, remaining: '5.00' },
    });
  });

  it('pays nothing where the other network is not told of, or by the merchant alone', async () => {
    allow('1000');
    const before = await held();
    const away = ['--base-rpc-url', 'http://127.0.0.1:9'];
    expect(await orderIn('base', 'away', away)).toMatchObject({ code: 'CHAIN_UNREACHABLE' });
    expect(await today('solana', away)).toMatchObject({ left: '0.00', counted: 'journal' });
    const words = ['order', ...PRODUCT, ...GIFT, ...AGREED, '--idempotency-key', 'merchants'];
    const own = ['--keypair', keypair, ...sandbox.flags];
    expect(await home.failure([...words, ...own], stateIn('base'))).toMatchObject({
      ...{ code: 'SPENDING_UNKNOWN', hint: expect.stringContaining('--base-rpc-url') },
    });
    expect(await held()).toBe(before);
  });
});
