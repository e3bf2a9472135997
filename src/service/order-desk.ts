/** What an operator does about one order: looks at it, wakes what waits, and decides about one that is held. */

import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { HeldDecision, OrderDesk } from '../domain/operator.ts';
import type { ShopOrderDetails, WokenOrder } from '../domain/operator-records.ts';
import type { OrderEvent } from '../domain/order-transitions.ts';
import type { RefundRecord } from '../domain/refund-record.ts';
import type { Store, Tables } from '../store/store.ts';
import type { DeliveryRow } from '../store/tables/deliveries.ts';
import { closeDecided } from './delivery.ts';
import { type DetailsDeps, isHeldOrder, orderDetails } from './order-details.ts';
import { applyByHand, tryAgain } from './partner/order-admin.ts';
import { unchecked } from './partner/reconcile.ts';
import { atOnce } from './partner/setup.ts';
import { sendAgain } from './webhook-admin.ts';

interface DeskDeps extends DetailsDeps {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
}

export function createOrderDesk(deps: DeskDeps): OrderDesk {
  const { store, clock } = deps;
  return {
    show: (id) => orderDetails(deps, id),
    async retry(id) {
      const details = await orderDetails(deps, id);
      const woken = await store.write((tables) => wake(tables, details, clock.now()));
      return { order_id: details.order_id, woken };
    },
    async release(id, decision) {
      const details = await orderDetails(deps, id);
      if (!(await decide(deps, details, decision))) throw notHeld(details);
      return orderDetails(deps, details.order_id);
    },
  };
}

type Woken = WokenOrder['woken'];

async function wake(tables: Tables, details: ShopOrderDetails, atMs: number): Promise<Woken> {
  const { order_id: orderId, refunds } = details;
  await tables.holds.take(`order ${orderId}`);
  const lines = await tables.deliveries.ofOrder(orderId);
  const pending = lines.filter(({ state }) => state === 'pending');
  for (const { deliveryId } of pending) await tables.deliveries.wake(deliveryId, atMs);
  const isLookedFor = await wakePayment(tables, details, atMs);
  await tables.payouts.wake(orderId, atMs);
  return [
    ...(isLookedFor ? [{ for: 'payment', subject: null } as const] : []),
    ...pending.map(({ deliveryId }) => ({ for: 'supplier', subject: deliveryId }) as const),
    ...refunds
      .filter(goesOnByItself)
      .map(({ refund_id }) => ({ for: 'refund', subject: refund_id }) as const),
    ...(await wakeWebhooks(tables, orderId, atMs)),
  ];
}

/** Has the payment looked for, or settled, at once; false where none is waited for. */
async function wakePayment(
  { settlements, partnerOrders }: Tables,
  { order_id: orderId, surface, waits }: ShopOrderDetails,
  atMs: number,
): Promise<boolean> {
  if (surface === 'checkout') return settlements.wake(orderId, atMs);
  const isWaited = waits.some(({ for: what }) => what === 'payment' || what === 'check');
  if (isWaited) await partnerOrders.wake({ orderId }, atMs);
  return isWaited;
}

/** The others wait for a person. */
function goesOnByItself({ state, waits_for: wait }: RefundRecord): boolean {
  return state === 'waiting' && wait !== 'address' && wait !== 'approval' && wait !== 'operator';
}

/** One that was never tried is about to be sent. */
async function wakeWebhooks(tables: Tables, orderId: string, atMs: number): Promise<Woken> {
  const rows = await tables.outbox.ofOrder(orderId);
  const stopped = rows.filter(
    ({ state, lastError }) => state !== 'delivered' && lastError !== null,
  );
  for (const row of stopped) await sendAgain(tables, row, atMs);
  return stopped.map(({ webhookId }) => ({ for: 'webhook', subject: webhookId }) as const);
}

/** False if the order is not held. */
async function decide(
  { store, clock }: DeskDeps,
  details: ShopOrderDetails,
  decision: HeldDecision,
): Promise<boolean> {
  const { order_id: orderId, surface } = details;
  if (surface === 'checkout') {
    return store.write((tables) => decideLines(tables, { orderId, decision, atMs: clock.now() }));
  }
  const event = eventOf(details, decision);
  const byHand = { store, clock, compliance: unchecked, setup: atOnce };
  return event !== undefined && applyByHand(byHand, orderId, event);
}

interface LineDecision {
  readonly orderId: string;
  readonly decision: HeldDecision;
  readonly atMs: number;
}

/** The checkout host has no state for it: its lines are tried again, or fail and are refunded. */
async function decideLines(
  tables: Tables,
  { orderId, decision, atMs }: LineDecision,
): Promise<boolean> {
  await tables.holds.take(`order ${orderId}`);
  const lines = await tables.deliveries.ofOrder(orderId);
  if (!isHeldOrder(await tables.orders.byId(orderId), lines)) return false;
  if (decision === 'release') {
    await tryAgain(tables, orderId, atMs);
    return true;
  }
  const failureReason = 'It was not delivered.';
  const decided = lines.map(
    (row): DeliveryRow =>
      row.state === 'pending'
        ? { ...row, state: 'failed', attempts: row.attempts + 1, failureReason }
        : row,
  );
  for (const [at, row] of lines.entries()) await tables.deliveries.update(row, decided[at] ?? row);
  return closeDecided(tables, decided, atMs);
}

/** Which event a decision is; the tables of states have the last word. */
function eventOf(
  { state, payment_state: payment, lines }: ShopOrderDetails,
  decision: HeldDecision,
): OrderEvent | undefined {
  if (state !== 'WaitingForManualAction') return undefined;
  const isPaid = payment === 'PaymentReceived';
  if (decision === 'release') return isPaid ? 'manual_resolved' : 'compliance_cleared';
  const isPartial = isPaid && lines.some((line) => line.state === 'completed');
  return isPartial ? 'closed_in_part' : 'refunded';
}

function notHeld({
  order_id: orderId,
  state,
  payment_state: payment,
}: ShopOrderDetails): ScripError {
  return new ScripError(
    'INPUT_INVALID',
    t`Order ${orderId} is not held for a person: it is ${state}${payment === null ? '' : `, ${payment}`}`,
    { hint: t`See what it waits for with serve order.` },
  );
}
