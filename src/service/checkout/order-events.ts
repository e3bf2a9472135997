/** Records changes of orders on both surfaces, for streams and for the order's webhook. */
import type { OrderStates } from '../../domain/order/order-states.ts';
import type { Tables } from '../../store/store.ts';
import type { OrderRow } from '../../store/tables/orders.ts';

/** An event's content; it never contains vouchers, which are read from the order. */
export type EventBody =
  | { readonly status: OrderRow['status'] }
  | {
      readonly order_state: OrderStates['orderState'];
      readonly payment_state: OrderStates['paymentState'];
    };

export interface OrderChange {
  readonly orderId: string;
  readonly atMs: number;
  readonly body: EventBody;
  /** Webhook address; null if the order has none. */
  readonly notificationUrl: string | null;
}

/** Records a change and its webhook; call it in the write that makes the change. */
export async function recordChange(
  { orderEvents, outbox }: Tables,
  { body, ...change }: OrderChange,
): Promise<void> {
  const { orderId, atMs } = change;
  const { seq } = await orderEvents.append({ orderId, atMs, body: JSON.stringify(body) });
  await queueWebhook(outbox, change, seq);
}

/** Queues the webhook that reports an event, if the order has an address for it. */
export async function queueWebhook(
  outbox: Tables['outbox'],
  { orderId, atMs, notificationUrl }: Omit<OrderChange, 'body'>,
  seq: number,
): Promise<void> {
  if (notificationUrl === null) return;
  await outbox.insert({
    webhookId: `msg_${orderId}_${seq}`,
    orderId,
    seq,
    url: notificationUrl,
    attempts: 0,
    nextAttemptAtMs: atMs,
    state: 'pending',
    lastError: null,
    createdAtMs: atMs,
  });
}

/** Sets the status of an order of the checkout host, and records the change; false if nothing changed. */
export async function setOrderStatus(
  tables: Tables,
  orderId: string,
  status: OrderRow['status'],
  atMs: number,
): Promise<boolean> {
  const order = await tables.orders.setStatus(orderId, status, atMs);
  if (order === undefined) return false;
  await recordCheckoutStatus(tables, order, atMs);
  return true;
}

/** Records the status of an order of the checkout host. */
export async function recordCheckoutStatus(
  tables: Tables,
  { orderId, status, callbackUrl }: Pick<OrderRow, 'orderId' | 'status' | 'callbackUrl'>,
  atMs: number,
): Promise<void> {
  await recordChange(tables, { orderId, atMs, body: { status }, notificationUrl: callbackUrl });
}
