/** Routes of the checkout host's orders: creation in two phases, and status. */
import type { Hono } from 'hono';
import {
  getOrder,
  orderReceipt,
  postOrder,
  type WireOrderRequest,
} from '../../contract/checkout.ts';
import { getCheckoutRefunds } from '../../contract/order-refunds.ts';
import { PAYMENT_SIGNATURE_HEADER, SESSION_HEADER } from '../../contract/x402.ts';
import type { VoucherVault } from '../delivery/vouchers.ts';
import { isRefusal, refuse } from '../http/replies.ts';
import { type Answer, serve } from '../http/route.ts';
import { refundsReply } from '../refunds/refunds.ts';
import { WEBHOOK_SECRET_HEADER } from '../webhooks/webhook-signature.ts';
import { type Checkout, challenge } from './challenge.ts';
import { pay, statusReply } from './payment.ts';

/** Of x402 version 1, whose payments have another form. */
const OLD_PAYMENT_HEADER = 'X-PAYMENT';
const OLD_CLIENT = `${OLD_PAYMENT_HEADER} is not read: this host takes x402 version 2, in the header ${PAYMENT_SIGNATURE_HEADER}.`;

export function checkoutRoutes(app: Hono, checkout: Checkout & { vault: VoucherVault }): void {
  const routing = { ...checkout.limits, report: checkout.report };
  serve(app, postOrder, routing, (order, { headers }, { address }) => {
    const signature = headers.get(PAYMENT_SIGNATURE_HEADER);
    if (signature === null) {
      if (headers.has(OLD_PAYMENT_HEADER)) return refuse('payment_malformed', OLD_CLIENT);
      return challenge(checkout, order);
    }
    const paid = { signature, sessionId: headers.get(SESSION_HEADER), address };
    return tellSecret(checkout, order, pay(checkout, order, paid));
  });
  serve(app, getOrder, checkout.limits, async ({ order_id }) => {
    const order = await checkout.store.tables.orders.byId(order_id);
    // The same answer for every unknown id: knowing an order's id is the permission to read it.
    if (!order) return refuse('order_not_found', 'No order has this id.');
    return statusReply(checkout, order);
  });
  serve(app, getCheckoutRefunds, checkout.limits, async ({ order_id }) => {
    const order = await checkout.store.tables.orders.byId(order_id);
    if (!order) return refuse('order_not_found', 'No order has this id.');
    return refundsReply(checkout.store.tables, order_id);
  });
}

/** Adds the secret that signs the order's webhooks to the receipt, if the order has a callback. */
async function tellSecret(
  { webhookKeys }: Checkout,
  { callback_url }: WireOrderRequest,
  paying: Promise<Answer>,
): Promise<Answer> {
  const reply = await paying;
  if (isRefusal(reply) || reply.status !== 200 || !webhookKeys) return reply;
  if (callback_url === undefined) return reply;
  const receipt = orderReceipt().safeParse(await reply.clone().json());
  if (receipt.success) {
    reply.headers.set(WEBHOOK_SECRET_HEADER, await webhookKeys.ofOrder(receipt.data.order_id));
  }
  return reply;
}
