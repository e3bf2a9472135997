/**
 * Refunds of `scrip serve`, killed at each fail point of one; its chains are another process. Part of
 * `npm run test:faults`.
 */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { BASE } from '../../src/contract/usdc.ts';
import { FEE_POINTS, REFUND_POINTS } from '../../src/domain/journal/fail-points.ts';
import type { AuditReport } from '../../src/domain/operator/audit.ts';
import { systemClock } from '../../src/net/clock.ts';
import { evmSigner } from '../../src/rails/evm/secp256k1.ts';
import { fundByFaucet } from '../../src/rails/faucet.ts';
import { openPayerRail } from '../../src/rails/registry.ts';
import { FINAL_SOON, type Home, makeHome, SCRIP } from '../support/cli.ts';
import { ENGINES } from '../support/engines.ts';
import { EVM_PAYER, secretOf } from '../support/evm-payment.ts';
import { baseLedgerAt, ledgerAt } from '../support/ledger.ts';
import { payAtHost } from '../support/pay-at-host.ts';
import { postJson } from '../support/post-json.ts';
import { createDatabase, type TestDatabase } from '../support/postgres-server.ts';
import {
  type OneShop,
  PRODUCT,
  prepareShop,
  REFUSED,
  type RealShop,
  withBase,
} from '../support/real-shop.ts';
import type { ServedSandbox } from '../support/served-sandbox.ts';
import { fundedWallet } from '../support/shop.ts';

const ORDER = [
  ...['order', PRODUCT, '--country', 'de', '--brand', 'Eckladen', '--to', 'friend@example.com'],
  ...['--email', 'you@example.com', '--yes', '--allow-duplicate', '--no-wait'],
  ...['--via', 'partner', '--coin', 'USDC', '--network', 'Solana'],
];
const PAID = '30';
/** A caller may ask sixty times a minute. */
const PATIENCE = { timeout: 60_000, interval: 1_500 };

interface Parts {
  readonly home: Home;
  readonly world: RealShop;
  readonly shop: OneShop;
}

/** Orders that money is owed back of. */
interface Way {
  readonly owedAtomic: bigint;
  /** Makes one, and pays it; gives its id. */
  buy(running: ServedSandbox): Promise<string>;
  /** States of its refunds. */
  states(orderId: string, running: ServedSandbox): Promise<readonly (string | undefined)[]>;
  /** What came to the buyer, by transaction. */
  credits(): Promise<ReadonlyMap<string, bigint>>;
}

/** Too much is paid by the partner API. */
async function onSolana({ home, world, shop }: Parts): Promise<Way> {
  const payer = await fundedWallet(home, ['--checkout-url', world.chain.url]);
  return {
    // 30 USDC less the price of 25.25.
    owedAtomic: 4_750_000n,
    async buy() {
      const order = await home.json<{ order_id: string; wallet_address: string }>([
        ...ORDER,
        ...shop.flags(),
      ]);
      await world.transfer(order.wallet_address, PAID);
      return order.order_id;
    },
    async states(orderId) {
      const track = ['track', orderId, '--timeout', '0s', ...shop.flags(), '--json'];
      const { refunds } = JSON.parse((await home.run(track)).stdout);
      return [refunds?.[0]?.state];
    },
    credits: () => ledgerAt(`${world.chain.url}/rpc`).credits(payer),
  };
}

/** The supplier delivers nothing of what was paid over x402. */
async function onBase({ home, world, shop }: Parts): Promise<Way> {
  const url = `${world.chain.url}/rpc/base`;
  const config = withBase(home, shop.configFile, url);
  writeFileSync(join(home.dir, shop.configFile), JSON.stringify(config));
  const node = { url, fetch, clock: systemClock };
  const give = (address: string, usdcAtomic: bigint, lamports: bigint) =>
    fundByFaucet(node, address, { usdcAtomic, lamports });
  await give(evmSigner(secretOf('fees')).address, 0n, 1_000_000_000n);
  await give(evmSigner(secretOf('base refunds')).address, 500_000_000n, 0n);
  await give(EVM_PAYER.address, 500_000_000n, 0n);
  const rail = await openPayerRail(BASE, node);
  const order = {
    email: 'you@example.com',
    items: [{ product_id: PRODUCT, face_value: '20', beneficiary_account: REFUSED }],
  };
  return {
    owedAtomic: 25_250_000n,
    async buy(running) {
      const post = (headers = {}) => postJson(`${running.url}/v1/orders`, order, headers);
      return (await payAtHost(post, { rail, signer: EVM_PAYER })).orderId;
    },
    async states(orderId, running) {
      const reply = await fetch(`${running.url}/v1/orders/${orderId}/refunds`);
      const { refunds } = (await reply.json()) as { refunds: readonly { state: string }[] };
      return refunds.map(({ state }) => state);
    },
    credits: () => baseLedgerAt(url).credits(EVM_PAYER.address),
  };
}

const WAYS = { Solana: onSolana, Base: onBase } as const;
const SHOPS = [
  ...ENGINES.map((engine) => [engine, 'Solana', REFUND_POINTS] as const),
  ['SQLite', 'Base', [...REFUND_POINTS, ...FEE_POINTS]] as const,
];

describe.each(SHOPS)(
  'a served shop on %s, paid on %s',
  { timeout: 180_000 },
  (engine, network, points) => {
    let parts: Parts;
    let way: Way;
    let running: ServedSandbox | undefined;
    let database: TestDatabase | undefined;
    beforeAll(async () => {
      const home = makeHome(SCRIP, FINAL_SOON);
      const world = await prepareShop(home);
      if (engine === 'PostgreSQL') database = await createDatabase();
      const codes = points.map((point) => `CODE-${point}`);
      const shop = database === undefined ? world : await world.beside(database.address, codes);
      parts = { home, world, shop };
      way = await WAYS[network](parts);
    }, 120_000);
    afterEach(async () => {
      await running?.stop();
      running = undefined;
    });
    afterAll(async () => {
      await parts.world.stop();
      await database?.drop();
    });

    it.each(points)('that dies at %s sends a refund once', async (point) => {
      const { shop } = parts;
      const dying = await shop.open({ SCRIP_TEST: '1', SCRIP_FAIL_POINT: point });
      running = dying;
      const ended = once(dying.process, 'exit', { signal: AbortSignal.timeout(PATIENCE.timeout) });
      const before = await way.credits();
      const orderId = await way.buy(dying);
      // A point that is never reached fails here.
      expect((await ended)[1]).toBe('SIGKILL');
      const back = await shop.open();
      running = back;
      const states = () => way.states(orderId, back);
      await vi.waitFor(async () => expect(await states()).toEqual(['sent']), PATIENCE);
      const since = [...(await way.credits())].filter(([transaction]) => !before.has(transaction));
      expect(since.map(([, amountAtomic]) => amountAtomic)).toEqual([way.owedAtomic]);
    });

    it('has books that agree after all of this', async () => {
      const { home, shop } = parts;
      const books = await home.json<AuditReport>(['serve', 'books', '--config', shop.configFile]);
      expect([books.mismatches, books.checked.refunds]).toEqual([[], points.length]);
    });
  },
);
