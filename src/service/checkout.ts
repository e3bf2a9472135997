/** Orders: paid for in two phases, then read. */
import type { Hono } from 'hono';
import { getOrder, postOrder } from '../contract/checkout.ts';
import { PAYMENT_SIGNATURE_HEADER, SESSION_HEADER } from '../contract/x402.ts';
import { type Checkout, challenge } from './challenge.ts';
import { refuse } from './errors.ts';
import { pay } from './payment.ts';
import { statusReply } from './receipt.ts';
import { serve } from './route.ts';
import type { VoucherVault } from './voucher-vault.ts';

export function checkoutRoutes(app: Hono, checkout: Checkout & { vault: VoucherVault }): void {
  serve(app, postOrder, checkout.limits, (order, { headers }) => {
    const signature = headers.get(PAYMENT_SIGNATURE_HEADER);
    if (signature === null) return challenge(checkout, order);
    return pay(checkout, order, { signature, sessionId: headers.get(SESSION_HEADER) });
  });
  serve(app, getOrder, checkout.limits, async ({ order_id }) => {
    const order = await checkout.store.tables.orders.byId(order_id);
    // The same answer for every id that is not ours: an order id is its own credential.
    if (!order) return refuse('order_not_found', 'No order has this id.');
    return statusReply(checkout, order);
  });
}
