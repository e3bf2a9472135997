/**
 * Refunds of `scrip serve`, killed at each fail point of one; its chain is another process. Part of
 * `npm run test:faults`.
 */
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { REFUND_POINTS } from '../../src/domain/journal/fail-points.ts';
import type { AuditReport } from '../../src/domain/operator/audit.ts';
import { FINAL_SOON, type Home, makeHome, SCRIP } from '../support/cli.ts';
import { ENGINES } from '../support/engines.ts';
import { ledgerAt } from '../support/ledger.ts';
import { createDatabase, type TestDatabase } from '../support/postgres-server.ts';
import { type OneShop, PRODUCT, prepareShop, type RealShop } from '../support/real-shop.ts';
import type { ServedSandbox } from '../support/served-sandbox.ts';
import { fundedWallet } from '../support/shop.ts';

const ORDER = [
  ...['order', PRODUCT, '--country', 'de', '--brand', 'Eckladen', '--to', 'friend@example.com'],
  ...['--email', 'you@example.com', '--yes', '--allow-duplicate', '--no-wait'],
  ...['--via', 'partner', '--coin', 'USDC', '--network', 'Solana'],
];
const PAID = '30';
/** 30 USDC less the price of 25.25. */
const OWED_ATOMIC = 4_750_000n;
/** A caller may ask sixty times a minute. */
const PATIENCE = { timeout: 60_000, interval: 1_500 };

describe.each(ENGINES)('a served shop on %s', { timeout: 180_000 }, (engine) => {
  let home: Home;
  let world: RealShop;
  let shop: OneShop;
  let running: ServedSandbox | undefined;
  let database: TestDatabase | undefined;
  let payer: string;
  beforeAll(async () => {
    home = makeHome(SCRIP, FINAL_SOON);
    world = await prepareShop(home);
    payer = await fundedWallet(home, ['--checkout-url', world.chain.url]);
    if (engine === 'PostgreSQL') database = await createDatabase();
    const codes = REFUND_POINTS.map((point) => `CODE-${point}`);
    shop = database === undefined ? world : await world.beside(database.address, codes);
  }, 120_000);
  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });
  afterAll(async () => {
    await world.stop();
    await database?.drop();
  });
  const ledger = () => ledgerAt(`${world.chain.url}/rpc`);

  it.each(REFUND_POINTS)('that dies at %s sends a refund once', async (point) => {
    const dying = await shop.open({ SCRIP_TEST: '1', SCRIP_FAIL_POINT: point });
    running = dying;
    const ended = once(dying.process, 'exit', { signal: AbortSignal.timeout(PATIENCE.timeout) });
    const before = await ledger().payments(world.refundWallet);
    const order = await home.json<{ order_id: string; wallet_address: string }>([
      ...ORDER,
      ...shop.flags(),
    ]);
    await world.transfer(order.wallet_address, PAID);
    // A point that is never reached fails here.
    expect((await ended)[1]).toBe('SIGKILL');
    running = await shop.open();
    const track = ['track', order.order_id, '--timeout', '0s', ...shop.flags(), '--json'];
    const shown = async () => JSON.parse((await home.run(track)).stdout).refunds?.[0];
    await vi.waitFor(async () => expect(await shown()).toMatchObject({ state: 'sent' }), PATIENCE);
    const after = await ledger().payments(world.refundWallet);
    const sent = after.filter((transaction) => !before.includes(transaction));
    expect(sent).toHaveLength(1);
    expect(await ledger().paidBy(payer, sent[0] ?? '')).toBe(-OWED_ATOMIC);
  });

  it('has books that agree after all of this', async () => {
    const books = await home.json<AuditReport>(['serve', 'books', '--config', shop.configFile]);
    expect([books.mismatches, books.checked.refunds]).toEqual([[], REFUND_POINTS.length]);
  });
});
