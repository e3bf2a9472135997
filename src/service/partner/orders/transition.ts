/** The only place that changes the state of an order of the partner API. */

import { ScripError } from '../../../domain/message/errors.ts';
import { verbatim } from '../../../domain/message/message.ts';
import {
  advance,
  isPaid,
  isReachable,
  isTerminal,
  type OrderStates,
} from '../../../domain/order/order-states.ts';
import type { OrderEvent } from '../../../domain/order/order-transitions.ts';
import type { Tables } from '../../../store/store.ts';
import type { DeliveryRow } from '../../../store/tables/deliveries.ts';
import type { NewOrder, PartnerOrderRow } from '../../../store/tables/partner-orders.ts';
import { type EventBody, queueWebhook, recordChange } from '../../checkout/order-events.ts';
import { refundAfter } from '../../refunds/refunds.ts';
import { noteUnpaid } from '../rules/standing.ts';
import { nextLookAtMs } from './progress.ts';

/** Other fields that an event changes. */
type Amounts = Partial<PartnerOrderRow>;

/**
 * Applies an event to an order read in this write, with all its effects: row, event, webhook,
 * deliveries. Undefined if the event is not allowed now.
 */
export async function transitionOrder(
  tables: Tables,
  row: PartnerOrderRow,
  event: OrderEvent,
  { atMs, ...amounts }: Amounts & { readonly atMs: number },
): Promise<PartnerOrderRow | undefined> {
  const states = advance(row, event);
  if (states === undefined) return undefined;
  assertReachable(states);
  const isClosed = isPaid(states) || isTerminal(states);
  const moved = { ...row, ...amounts, ...states, updatedAtMs: atMs, version: row.version + 1 };
  const after = { ...moved, closedAtMs: row.closedAtMs ?? (isClosed ? atMs : null) };
  const next = { ...after, nextLookAtMs: nextLookAfter(row, nextLookAtMs(after, atMs), atMs) };
  if (!(await tables.partnerOrders.update(row, next))) {
    throw new ScripError('INTERNAL', verbatim('an order changed inside the write that read it'));
  }
  if (isClosed && row.closedAtMs === null && !isPaid(states)) await noteUnpaid(tables, next, atMs);
  const { orderId, notificationUrl } = next;
  await recordChange(tables, { orderId, atMs, body: statesOf(next), notificationUrl });
  if (states.orderState !== row.orderState) await followUp(tables, next, atMs);
  await refundAfter(tables, next, event, atMs);
  return next;
}

/** An order woken by a payment report meanwhile stays due. */
function nextLookAfter(
  { nextLookAtMs: before }: PartnerOrderRow,
  next: number | null,
  atMs: number,
): number | null {
  return next !== null && before !== null && before <= atMs ? before : next;
}

/** Stores a new order with its deliveries, its first event and its webhook. */
export async function storeOrder(tables: Tables, { row, deliveries }: NewOrder): Promise<void> {
  const { orderId, notificationUrl, createdAtMs: atMs } = row;
  const body = JSON.stringify(statesOf(row));
  await tables.partnerOrders.insert(row, deliveries, { atMs, body });
  await queueWebhook(tables.outbox, { orderId, atMs, notificationUrl }, 1);
}

/** The content of an event. */
function statesOf({ orderState, paymentState }: OrderStates): EventBody {
  return { order_state: orderState, payment_state: paymentState };
}

/** Throws for a forbidden pair of states, which is a bug; it is never stored. */
export function assertReachable(states: OrderStates): void {
  if (isReachable(states)) return;
  const { orderState, paymentState } = states;
  throw new ScripError(
    'INTERNAL',
    verbatim(`no order is ${orderState} and ${paymentState} at once`),
  );
}

/** Applies a new order state to the deliveries. */
async function followUp(
  { deliveries }: Tables,
  order: PartnerOrderRow,
  atMs: number,
): Promise<void> {
  const { state, failureReason } = undelivered(order);
  if (state === 'pending') await deliveries.release(order.orderId, atMs);
  if (state !== 'failed') return;
  for (const row of await deliveries.ofOrder(order.orderId)) {
    if (row.state === 'completed' || row.state === 'failed') continue;
    await deliveries.update(row, { ...row, state, attempts: row.attempts + 1, failureReason });
  }
}

/** The state of what an order has not delivered. */
export function undelivered({
  orderState,
}: PartnerOrderRow): Pick<DeliveryRow, 'state' | 'failureReason'> {
  if (isTerminal({ orderState }))
    return { state: 'failed', failureReason: `The order is ${orderState}.` };
  const state = orderState === 'WaitingForDelivery' ? 'pending' : 'waiting';
  return { state, failureReason: null };
}
