/** Sixteen processes that are given the same order and the same key at the same time. */
import { describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, fundedWallet, orderOf } from '../support/shop.ts';

const PROCESSES = 16;
const home = makeHome();

describe('sixteen processes with one idempotency key', () => {
  it('make one payment and print the same sixteen times, but for who paid', {
    timeout: 180_000,
  }, async () => {
    const sandbox = await serveSandbox(home);
    try {
      const payer = await fundedWallet(home, sandbox.flags);
      const { fixed } = amazonProducts();
      const words = orderOf(fixed.product_id, ['--idempotency-key', 'one', ...sandbox.flags]);
      const results = await Promise.all(
        Array.from({ length: PROCESSES }, () => home.run([...words, '--json'])),
      );
      expect(results.map(({ status }) => status)).toEqual(Array(PROCESSES).fill(0));
      const orders = results.map(({ stdout }) => JSON.parse(stdout));
      expect(new Set(orders.map(({ deliveries }) => JSON.stringify(deliveries))).size).toBe(1);
      const told = orders.map(({ already_bought, ...order }) => JSON.stringify(order));
      expect(new Set(told).size).toBe(1);
      expect(orders.filter(({ already_bought }) => !already_bought)).toHaveLength(1);
      const payments = await ledgerAt(`${sandbox.url}/rpc`).payments(payer);
      expect(payments).toEqual([orders[0]?.transaction]);
    } finally {
      await sandbox.stop();
    }
  });
});
