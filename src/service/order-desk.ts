/** What an operator does about one order: looks at it, wakes what waits, and decides about one that is held. */

import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { HeldDecision, OrderDesk } from '../domain/operator.ts';
import type { ShopOrderDetails, WokenOrder } from '../domain/operator-records.ts';
import type { OrderEvent } from '../domain/order-transitions.ts';
import type { RefundRecord } from '../domain/refund-record.ts';
import type { Store, Tables } from '../storage/store.ts';
import { type DetailsDeps, orderDetails } from './order-details.ts';
import { applyByHand } from './partner/order-admin.ts';
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
      const event = eventOf(details, decision);
      const byHand = { store, clock, compliance: unchecked, setup: atOnce };
      if (event === undefined || !(await applyByHand(byHand, details.order_id, event))) {
        throw notHeld(details);
      }
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
