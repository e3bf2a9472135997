/** An order of which the process dies on the way, and the same command run again by whoever sees that. */
import { cpSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { judge } from '../support/embedded-service.ts';
import { amazonProducts, buy, fundedWallet, type OrderDocument, orderOf } from '../support/shop.ts';

const KILL_POINTS = [
  'intent-written',
  'signed',
  'attempt-written',
  'submitted',
  'accepted-recorded',
  'reserved',
  'goods-recorded',
  'record-linked:2',
  // Of the embedded service, which dies with the buyer.
  'claim-written',
  'broadcast',
  'settlement-committing',
  'supplier-answered',
  'delivery-committing',
] as const;

/** DUPLICATE_PURCHASE: the same goods within ten minutes. */
const REPEATED_EXIT = 7;

/** An order that nobody said may be made twice. */
function orderOnce(productId: string): string[] {
  return orderOf(productId).filter((word) => word !== '--allow-duplicate');
}

const base = makeHome();
const payer = await fundedWallet(base);
const { fixed } = amazonProducts();
/** With money, and nothing bought. */
function fundedHome() {
  const home = makeHome();
  cpSync(base.dir, home.dir, { recursive: true });
  return home;
}

describe('killed at any point, then run again', () => {
  it.each(KILL_POINTS)('pays once when killed at %s', async (point) => {
    const home = fundedHome();
    const words = orderOnce(fixed.product_id);

    const killed = await home.run(words, { env: { SCRIP_TEST: '1', SCRIP_FAIL_POINT: point } });
    expect(killed.signal).toBe('SIGKILL');

    const again = await home.run([...words, '--json']);
    // All was over, and nobody had read it: that run is refused as a repetition.
    expect(again.status, again.stderr).toBe(point === 'goods-recorded' ? REPEATED_EXIT : 0);
    const [order, ...others] = await home.json<OrderDocument[]>(['orders']);
    expect(others).toEqual([]);
    expect(order?.status).toBe('completed');
    await judge(home, async (ledger) => {
      expect(await ledger.payments(payer)).toEqual([order?.transaction]);
    });
  });

  it('with the goods on record, a second run says what was bought and how to see it', async () => {
    const home = fundedHome();
    const words = orderOnce(fixed.product_id);
    const env = { SCRIP_TEST: '1', SCRIP_FAIL_POINT: 'goods-recorded' };
    expect((await home.run([...words, '--idempotency-key', 'once'], { env })).stdout).toBe('');

    const refused = await home.run(words);
    expect(refused.stderr).toMatch(
      /Amazon\.com .* for friend@example\.com was already ordered at .*/,
    );
    expect(refused.stderr).toContain('nothing was sent');
    expect(refused.stderr).toContain(
      'To see it: scrip orders. To buy it again, add --allow-duplicate',
    );
    // By its key it is the same purchase, and by its id the code is there.
    const same = await buy(home, fixed.product_id, ['--idempotency-key', 'once', '--reveal']);
    expect(same.deliveries[0]?.voucher_code).toMatch(/^TEST-/);
    const shown = await home.json<OrderDocument>(['orders', 'reveal', same.order_id]);
    expect(shown.deliveries[0]?.voucher_code).toBe(same.deliveries[0]?.voucher_code);
    await judge(home, async (ledger) => {
      expect(await ledger.payments(payer)).toEqual([same.transaction]);
    });
  });
});
