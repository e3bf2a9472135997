/** The books of a shop where a stranger landed several of its payments in one transaction. */
import { expect, it } from 'vitest';
import type { ShopRail } from '../../src/rails/merchant-rail.ts';
import { auditShop } from '../../src/shop/books.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { EVM_MERCHANT, NETWORK } from '../support/evm-payment.ts';
import { orderRow, sessionRow, settlementRow } from '../support/store-suite.ts';

const PRICES = [25_250_000n, 10_000_000n, 7n];
const TOTAL = PRICES.reduce((sum, price) => sum + price, 0n);
const BATCH = `0x${'ba'.repeat(32)}`;
const AT_MS = 1_767_225_600_000;
const DAY_MS = 86_400_000;

async function mismatches(change: bigint) {
  const store = await openSqliteStore(':memory:');
  const { network } = NETWORK;
  for (const [index, price] of PRICES.entries()) {
    const sessionId = `session-${index}`;
    const names = { sessionId, orderId: `order-${index}` };
    const requirement = { scheme: 'exact', network, payTo: EVM_MERCHANT };
    const settled = { state: 'settled', transaction: BATCH, settledAtMs: AT_MS } as const;
    await store.write(async ({ sessions, settlements, orders }) => {
      await sessions.insert(
        sessionRow({
          ...{ sessionId, amountAtomic: `${price}`, destination: `shared ${index}` },
          otherRequirements: JSON.stringify([requirement]),
        }),
      );
      await settlements.insert(
        settlementRow({ ...names, ...settled, network, messageHash: `message-${index}` }),
      );
      await orders.insert(orderRow({ ...names, status: 'completed' }), []);
    });
  }
  const rail = {
    network,
    usdcOf: async (owners) => owners.map(() => 0n),
    feeAccount: async () => ({ address: 'our own', coin: 'ETH', decimals: 18, balance: 0n }),
    histories: async () => [[{ transaction: BATCH, change, atMs: AT_MS, feePayer: 'a stranger' }]],
  } as Partial<ShopRail> as ShopRail;
  const place = { rail, refundWallet: undefined, treasury: EVM_MERCHANT, feePayer: 'our own' };
  const report = await auditShop({
    ...{ store, places: [place], nowMs: AT_MS + DAY_MS },
    supplierLedger: () => ({ sold: async () => undefined, async *sales() {} }),
  });
  await store.close();
  return report.mismatches.map(({ kind, found }) => [kind, found]);
}

it('count what it brought for each of them by its price', async () => {
  expect(await mismatches(TOTAL)).toEqual([]);
});

it('find what is missing, and what is too much', async () => {
  expect(await mismatches(TOTAL + 1n)).toEqual([['amount_differs', '25.250001 USDC']]);
  expect(await mismatches(TOTAL - 1n)).toEqual([['amount_differs', '25.249999 USDC']]);
});
