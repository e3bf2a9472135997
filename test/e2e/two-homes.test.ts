/**
 * One wallet and one idempotency key in several homes, as CI runners and containers have them: one
 * payment, and the same goods for all. `SCRIP_FULL=1` takes twenty homes at once.
 */
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  createAssociatedTokenAccountInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
} from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { USDC_DECIMALS, USDC_MINT } from '../../src/contract/x402.ts';
import { createKeyFile } from '../../src/wallet/key-file.ts';
import { type CliResult, type Home, makeHome } from '../support/cli.ts';
import { KEYLESS, type Manners, openFrontHost, retelling } from '../support/front-host.ts';
import { IS_FULL } from '../support/fuzz.ts';
import { ledgerAt } from '../support/ledger.ts';
import { newKey } from '../support/new-key.ts';
import { serveHere } from '../support/served-here.ts';
import {
  amazonProducts,
  fundAt,
  fundedWallet,
  GIFT,
  HERE,
  markPlay,
  orderOf,
} from '../support/shop.ts';

/** Keeps little history, and says so of itself; these transactions it does not list. */
function forgetting(dropped: readonly string[]): Manners {
  const [slot, seconds] = [299_000_000, 1_700_000_000];
  return retelling(({ method, params }, result) => {
    if (method === 'getFirstAvailableBlock') return { result: slot };
    if (method === 'getBlockTime' && params?.[0] === slot) return { result: seconds };
    if (method !== 'getSignaturesForAddress') return result === undefined ? {} : { result };
    const listed = result as readonly { signature: string }[];
    return { result: listed.filter(({ signature }) => !dropped.includes(signature)) };
  });
}

const AT_ONCE = IS_FULL ? 20 : 4;
const WALLET = '.local/share/scrip/wallets/sandbox.json';

const first = makeHome();

const sandbox = await serveHere(first);
const keyless = await openFrontHost(sandbox.url, KEYLESS);
/** Says that it keeps little, and keeps all of the wallet. */
const pruned = await openFrontHost(sandbox.url, forgetting([]));
const ledger = ledgerAt(`${sandbox.url}/rpc`);
const payer = await fundedWallet(first, sandbox.flags, '5000');
const forgetful = await openFrontHost(sandbox.url, forgetting(await ledger.history(payer)));
const productId = amazonProducts().fixed.product_id;

/** A home that has the wallet, and knows nothing of what was bought with it. */
function twinHome(): Home {
  const home = makeHome();
  const path = join(home.dir, WALLET);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  copyFileSync(join(first.dir, WALLET), path);
  markPlay(home, payer);
  return home;
}

/** A home whose wallet another wallet opened, as an exchange does. */
async function youngHome(): Promise<{ home: Home; address: string }> {
  const home = makeHome();
  const key = newKey();
  const { address } = key;
  createKeyFile(join(home.dir, WALLET), key);
  markPlay(home, address);
  const [funder, owner] = [Keypair.generate(), new PublicKey(address)];
  await fundAt(sandbox.url, funder.publicKey.toBase58(), '500', '1');
  const mint = new PublicKey(USDC_MINT);
  const [from, to] = [funder.publicKey, owner].map((one) =>
    getAssociatedTokenAddressSync(mint, one),
  ) as [PublicKey, PublicKey];
  const opening = new Transaction().add(
    SystemProgram.transfer({
      fromPubkey: funder.publicKey,
      toPubkey: owner,
      lamports: LAMPORTS_PER_SOL / 10,
    }),
    createAssociatedTokenAccountInstruction(funder.publicKey, to, owner, mint),
    createTransferCheckedInstruction(
      ...([from, mint, to, funder.publicKey, 500_000_000n, USDC_DECIMALS] as const),
    ),
  );
  await sendAndConfirmTransaction(new Connection(`${sandbox.url}/rpc`, 'confirmed'), opening, [
    funder,
  ]);
  return { home, address };
}

interface Bought {
  readonly order_id: string;
  readonly already_bought?: boolean;
  readonly deliveries: readonly unknown[];
}

const flagsAt = (url: string): readonly string[] => [
  ...['--checkout-url', url],
  ...['--rpc-url', `${sandbox.url}/rpc`],
];
const checkoutOrder = (key: string, url = sandbox.url): string[] =>
  orderOf(productId, ['--idempotency-key', key, ...flagsAt(url), '--json']);
const partnerOrder = (key: string, url = sandbox.url): string[] => [
  ...['order', productId, '--via', 'partner', ...HERE, ...GIFT],
  ...['--pay', '--yes', '--max-amount', '60', '--allow-duplicate'],
  ...['--idempotency-key', key, ...flagsAt(url), '--json'],
];

/** Payments that left the wallet while the work was done. */
async function paidBy<T>(work: () => Promise<T>, by = payer): Promise<{ paid: number; result: T }> {
  const before = await ledger.payments(by);
  const result = await work();
  const after = await ledger.payments(by);
  return { paid: after.length - before.length, result };
}

function boughtIn({ status, stdout, stderr }: CliResult): Bought {
  if (status !== 0) throw new Error(`ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as Bought;
}

const goodsOf = ({ order_id, deliveries }: Bought): string =>
  JSON.stringify([order_id, deliveries]);

const SURFACES = [
  ['at the checkout host', checkoutOrder],
  ['through the partner API', partnerOrder],
] as const;

describe.each(SURFACES)('one key %s', (_surface, wordsOf) => {
  it('pays once from two homes, one after the other', async () => {
    const words = wordsOf(`after-${_surface}`.replaceAll(' ', '-'));
    const { paid, result } = await paidBy(async () => [
      await twinHome().run(words),
      await twinHome().run(words),
    ]);
    const [one, other] = result.map(boughtIn);
    expect(paid).toBe(1);
    expect(other && goodsOf(other)).toBe(one && goodsOf(one));
    expect([one?.already_bought, other?.already_bought]).toEqual([false, true]);
  });

  it(`pays once from ${AT_ONCE} homes at once`, { timeout: 300_000 }, async () => {
    const words = wordsOf(`at-once-${_surface}`.replaceAll(' ', '-'));
    const { paid, result } = await paidBy(() =>
      Promise.all(Array.from({ length: AT_ONCE }, () => twinHome().run(words))),
    );
    const bought = result.map(boughtIn);
    expect(paid).toBe(1);
    expect(new Set(bought.map(goodsOf)).size).toBe(1);
    // One says that it paid, all others that they did not.
    expect(bought.filter(({ already_bought }) => already_bought !== true)).toHaveLength(1);
  });
});

describe('one key of an order that was canceled', () => {
  it('pays nothing from any home, and each is told so', async () => {
    const words = partnerOrder('canceled');
    const unpaid = words.filter((word) => word !== '--pay');
    const one = twinHome();
    const made = boughtIn(await one.run(unpaid));
    const cancel = `${sandbox.url}/sandbox/orders/${made.order_id}/cancel`;
    expect((await fetch(cancel, { method: 'POST' })).status).toBe(200);
    const { paid, result } = await paidBy(async () => [
      await one.run(words),
      await twinHome().run(words),
    ]);
    expect(paid).toBe(0);
    for (const { status, stderr } of result) {
      expect([status, JSON.parse(stderr).error]).toMatchObject([
        10,
        { code: 'ORDER_CANCELED', details: { order_id: made.order_id } },
      ]);
    }
  });
});

describe('one key at a host that takes none', () => {
  // The first payment is confirmed when the second home starts, and not final.
  it.each(SURFACES)('pays once %s, and the second home says so', async (surface, wordsOf) => {
    const words = wordsOf(`keyless-${surface}`.replaceAll(' ', '-'), keyless.url);
    const { paid, result } = await paidBy(async () => [
      await twinHome().run(words),
      await twinHome().run(words),
    ]);
    const [one, other] = result;
    expect(one?.status).toBe(0);
    expect(paid).toBe(1);
    expect(other?.status).toBe(11);
    expect(JSON.parse(other?.stderr ?? '{}').error).toMatchObject({
      code: 'PAID_ELSEWHERE',
      funds_at_risk: 'spent',
      details: { transaction: (await ledger.payments(payer))[0] },
    });
  });
});

describe.each(SURFACES)(
  'a history that cannot be read back to the first use of a key, %s',
  (surface, wordsOf) => {
    const at = (key: string, more: readonly string[] = []): string[] => [
      ...wordsOf(`${key}-${surface}`.replaceAll(' ', '-')),
      ...['--rpc-url', `${forgetful.url}/rpc`],
      ...more,
    ];
    const errorOf = ({ stderr }: CliResult) => JSON.parse(stderr).error;

    it('is a refusal before anything is signed', async () => {
      const { paid, result } = await paidBy(() => twinHome().run(at('unread')));
      expect(paid).toBe(0);
      expect(result.status).toBe(5);
      expect(errorOf(result)).toMatchObject({ code: 'KEY_HISTORY_UNREAD', funds_at_risk: 'none' });
      expect(errorOf(result).hint).toMatch(/^Add --key-since \d{4}-\d\d-\d\d if /);
    });

    it('is none where the node keeps all of the wallet, though little else', async () => {
      const words = [
        ...wordsOf(`young-${surface}`.replaceAll(' ', '-')),
        '--rpc-url',
        `${pruned.url}/rpc`,
      ];
      const { home, address } = await youngHome();
      const { paid, result } = await paidBy(() => home.run(words), address);
      expect([boughtIn(result).already_bought, paid]).toEqual([false, 1]);
    });

    it('is enough where the user says since when the key can have been used', async () => {
      const words = at('since', ['--key-since', '30d']);
      const { paid, result } = await paidBy(async () => [
        await twinHome().run(words),
        await twinHome().run(words),
      ]);
      const [one, other] = result.map(boughtIn);
      expect(paid).toBe(1);
      expect(other && goodsOf(other)).toBe(one && goodsOf(one));
    });

    it('is not made up for by a day to come', async () => {
      const { paid, result } = await paidBy(() =>
        twinHome().run(at('tomorrow', ['--key-since', '2999-01-01'])),
      );
      expect(paid).toBe(0);
      expect(errorOf(result)).toMatchObject({ code: 'INPUT_INVALID' });
    });
  },
);

it('without a key nothing is looked up: it was drawn for this purchase alone', async () => {
  const words = orderOf(productId, [
    ...flagsAt(sandbox.url),
    '--rpc-url',
    `${forgetful.url}/rpc`,
    '--json',
  ]);
  const { paid, result } = await paidBy(() => twinHome().run(words));
  expect([result.status, paid]).toEqual([0, 1]);
});
