/** Refunds of the sandbox: what it owes on either surface comes back on its chain. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { WirePartnerOrder } from '../../src/contract/partner-orders.ts';
import { type CheckoutBuyer, checkoutBuyer } from '../support/checkout-buyer.ts';
import {
  BUYER_WALLET,
  type PartnerSandbox,
  partnerSandbox,
  via,
} from '../support/partner-sandbox.ts';

const REFUSED = 'friend+failing@example.com';
const TO_BUYER = { refund_wallet_address: BUYER_WALLET.address };
const USDC = 1_000_000n;

let shop: PartnerSandbox;
let buyer: CheckoutBuyer;
beforeEach(async () => {
  shop = await partnerSandbox();
  buyer = checkoutBuyer(shop);
});
afterEach(() => shop.close());

async function settle(passes = 12): Promise<void> {
  for (let step = 0; step < passes; step += 1) await shop.pass(3_000);
}

const balance = async (): Promise<bigint> =>
  (await shop.rail.balances(BUYER_WALLET.address)).usdcAtomic ?? 0n;

const paymentsOf = (orderId: string) => shop.current().store.tables.payouts.ofOrder(orderId);

async function expiredOrder(more: Record<string, unknown> = TO_BUYER): Promise<WirePartnerOrder> {
  const order = await shop.create(more);
  await shop.pass(16 * 60_000);
  await shop.pass(60_000);
  return order;
}

it('a line of the checkout host that failed is refunded to the wallet that paid', async () => {
  const before = await balance();
  const orderId = await buyer.buy('friend@example.com', REFUSED);
  await settle();
  expect(await paymentsOf(orderId)).toMatchObject([{ state: 'sent', attempts: 1 }]);
  const { orders, sessions } = shop.current().store.tables;
  const session = await sessions.byId((await orders.byId(orderId))?.sessionId ?? '');
  expect(2n * (before - (await balance()))).toBe(BigInt(session?.amountAtomic ?? 0));
});

it('what came late goes back, and the order is Refunded when it is final', async () => {
  const { order_id: orderId, wallet_address: address } = await expiredOrder();
  const before = await balance();
  await shop.transfer(address ?? '', 5n * USDC);
  await shop.pass(60_000);
  await shop.pass(2_000);
  expect(await shop.read(orderId)).toMatchObject({ order_state: 'Expired' });
  await settle();
  expect(await shop.read(orderId)).toMatchObject({
    order_state: 'Refunded',
    payment_state: 'ExpiredAfterPaymentDetection',
    received_amount: '5',
  });
  expect(await balance()).toBe(before);
  await shop.transfer(address ?? '', 2n * USDC);
  await shop.pass(60_000);
  await settle();
  expect(await shop.read(orderId)).toMatchObject({ received_amount: '7' });
  expect(await balance()).toBe(before);
  const payments = await paymentsOf(orderId);
  expect(payments.map(({ state }) => state)).toEqual(['sent', 'sent']);
  const page = await (await shop.get(await shop.pagePath(orderId))).text();
  for (const { transaction } of payments) expect(page).toContain(`title="${transaction}"`);
});

it('what was paid too much goes back, and the order stays Done', async () => {
  const order = await shop.create(TO_BUYER);
  const before = await balance();
  await shop.transfer(order.wallet_address ?? '', 90n * USDC);
  await settle(16);
  expect(await shop.read(order.order_id)).toMatchObject({ order_state: 'Done' });
  const price = BigInt(Math.round(Number(order.coin_amount) * 1_000_000));
  expect(before - (await balance())).toBe(price);
});

it('a refund of another coin stays with the operator', async () => {
  const order = await shop.create({ payment: via('BTC', 'Mainnet') });
  await shop.post(`/sandbox/orders/${order.order_id}/pay`, { amount: '0.0001' });
  await shop.pass(2_000);
  await shop.pass(16 * 60_000);
  await shop.pass(60_000);
  await settle(2);
  expect(await paymentsOf(order.order_id)).toMatchObject([{ waitsFor: 'operator' }]);
  const refunded = await shop.post(`/sandbox/orders/${order.order_id}/refund`, {});
  expect(await refunded.json()).toMatchObject({ order_state: 'Refunded' });
});
