/** What monitors are told of a shop: its orders, supplier, wallets and nodes. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SOLANA_MAINNET } from '../../src/contract/x402.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { CATALOG_SEED, createGeneratedCatalog } from '../../src/sandbox/catalog/generated.ts';
import type { SupplyOutcome } from '../../src/service/delivery/supplier.ts';
import { createShopMetrics, type ShopMetricsOptions } from '../../src/shop/metrics.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { manualClock } from '../support/manual-clock.ts';
import { FEE_PAYER, STRANGER } from '../support/solana-payment.ts';
import { deliveryRow, orderRow, partnerOrderRow, webhookRow } from '../support/store-suite.ts';

const clock = manualClock();
let store: Store;
let isAway: boolean;
beforeEach(async () => {
  store = await openSqliteStore(':memory:');
  isAway = false;
});
afterEach(() => store.close());

const place = (network = SOLANA_MAINNET, coin = 'SOL') => ({
  rail: {
    network,
    heads: async () => (isAway ? [undefined, undefined] : [100, 130]),
    feeAccount: async () => ({
      ...{ address: FEE_PAYER.address, coin, decimals: 9, balance: 1_500_000_000n },
    }),
    usdcOf: async () => [12_340_000n],
  },
  refundWallet: STRANGER.address,
});
const metricsOf = (more: Partial<ShopMetricsOptions> = {}) =>
  createShopMetrics({
    ...{ store, clock, places: [place()] },
    ...more,
  });

it('counts orders by state, and how long the oldest waits for what', async () => {
  const nowMs = clock.now();
  await store.write(async ({ orders, partnerOrders, outbox }) => {
    const states = ['WaitingForPayment', 'WaitingForManualAction', 'Done'] as const;
    for (const [index, orderState] of states.entries()) {
      const own = { orderId: `order-${index}`, walletAddress: `owner-${index}` };
      const row = { ...own, orderState, updatedAtMs: nowMs - (index + 1) * 60_000 };
      await partnerOrders.insert(partnerOrderRow(row), []);
    }
    const faulty = { orderId: 'order-0', state: 'pending', fault: 'used_code' } as const;
    await orders.insert(orderRow(), [
      deliveryRow(faulty),
      deliveryRow({ ...faulty, deliveryId: 'delivery-2', line: 1, state: 'failed' }),
    ]);
    await outbox.insert(webhookRow({ createdAtMs: nowMs - 30_000 }));
  });
  const lines = await metricsOf().lines();
  expect(lines).toContain('scrip_orders{surface="partner",state="WaitingForManualAction"} 1');
  expect(lines).toContain('scrip_orders{surface="partner",state="WaitingForDelivery"} 0');
  expect(lines.join()).not.toContain('Done');
  expect(lines).toContain('scrip_oldest_waiting_seconds{for="payment"} 60');
  expect(lines).toContain('scrip_oldest_waiting_seconds{for="operator"} 120');
  expect(lines).toContain('scrip_oldest_waiting_seconds{for="refund"} 0');
  expect(lines).toContain('scrip_oldest_waiting_seconds{for="webhook"} 30');
  expect(lines).toContain('scrip_lines_without_goods{fault="used_code"} 1');
  expect(lines).toContain('scrip_lines_without_goods{fault="no_goods"} 0');
  expect(lines).toContain('scrip_webhooks_waiting{state="pending"} 1');
  expect(lines).toContain('scrip_webhooks_waiting{state="dead"} 0');
  expect(lines).toContain('scrip_webhooks_failing 0');
});

it('counts webhooks that failed for hours, and those given up in the last day', async () => {
  const nowMs = clock.now();
  const rows = [
    { attempts: 5 },
    { attempts: 4 },
    { attempts: 10, state: 'dead', nextAttemptAtMs: nowMs - 3_600_000 },
    { attempts: 10, state: 'dead', nextAttemptAtMs: nowMs - 90_000_000 },
    { attempts: 9, state: 'delivered' },
  ] as const;
  await store.write(async ({ outbox }) => {
    const made = rows.map((row, at) => webhookRow({ ...row, webhookId: `hook-${at}`, seq: at }));
    await outbox.insert(...made);
  });
  expect(await metricsOf().lines()).toContain('scrip_webhooks_failing 2');
});

it('looks each hour how long the certificate lasts', async () => {
  let endsAtMs: number | undefined = clock.now() + 20 * 86_400_000;
  const metrics = metricsOf({ certificateEndsAtMs: async () => endsAtMs });
  await metrics.sample();
  expect(await metrics.lines()).toContain('scrip_certificate_days 20');
  clock.advance(1_000);
  endsAtMs = undefined;
  await metrics.sample();
  expect(await metrics.lines()).toContain('scrip_certificate_days 19');
  clock.advance(3_600_000);
  await metrics.sample();
  expect((await metrics.lines()).join()).not.toContain('certificate');
});

it('counts what the supplier answers, and its errors', async () => {
  const [product] = createGeneratedCatalog({ seed: CATALOG_SEED }).products('us');
  if (product === undefined) throw new Error('the catalog should have a product');
  const request = { product, faceValue: atomic(1n), beneficiary: '' };
  const pending: SupplyOutcome = { outcome: 'pending', retryAfterMs: 1 };
  const metrics = metricsOf();
  const supplier = metrics.around({
    check: async () => 'out_of_stock',
    fulfil: async (reference) => {
      if (reference === 'broken') throw new ScripError('MERCHANT_ERROR', t`It is broken`);
      return pending;
    },
  });
  expect(await supplier.check(request)).toBe('out_of_stock');
  expect(await supplier.fulfil('one', request)).toBe(pending);
  await expect(supplier.fulfil('broken', request)).rejects.toThrow('It is broken');
  const lines = await metrics.lines();
  const name = 'scrip_supplier_requests_total';
  expect(lines).toContain(`${name}{call="stock",outcome="out_of_stock"} 1`);
  expect(lines).toContain(`${name}{call="purchase",outcome="pending"} 1`);
  expect(lines).toContain(`${name}{call="purchase",outcome="error"} 1`);
  expect(lines).toContain('scrip_supplier_request_seconds_count{call="purchase"} 2');
  expect(lines).toContain('scrip_supplier_errors_in_a_row 1');
  await supplier.fulfil('two', request);
  expect(await metrics.lines()).toContain('scrip_supplier_errors_in_a_row 0');
});

it('tells balances and how far the node is behind the other, or nothing of what is away', async () => {
  const metrics = metricsOf();
  expect((await metrics.lines()).join()).not.toContain('scrip_fee_payer_sol');
  await metrics.sample();
  const known = await metrics.lines();
  expect(known).toContain('scrip_fee_payer_sol 1.5');
  expect(known).toContain('scrip_refund_wallet_usdc 12.34');
  expect(known).toContain('scrip_chain_lag_slots 30');
  isAway = true;
  expect(await metrics.lines()).toContain('scrip_chain_lag_slots 30');
  await metrics.sample();
  const away = (await metrics.lines()).join();
  expect(away).not.toContain('scrip_chain_lag_slots');
  expect(away).toContain('scrip_fee_payer_sol');
});

it('names the network of further rails, and each metric once', async () => {
  const metrics = metricsOf({ places: [place(), place('eip155:8453', 'ETH')] });
  await metrics.sample();
  const lines = await metrics.lines();
  expect(lines).toContain('scrip_fee_payer_sol 1.5');
  expect(lines).toContain('scrip_fee_payer_eth{network="eip155:8453"} 1.5');
  expect(lines).toContain('scrip_refund_wallet_usdc{network="eip155:8453"} 12.34');
  expect(lines.filter((line) => line === '# TYPE scrip_refund_wallet_usdc gauge')).toHaveLength(1);
});
