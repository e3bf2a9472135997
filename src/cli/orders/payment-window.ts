/** How an unpaid order is shown: until when it can be paid, in local time, and that a sandbox simulates its payment. */

import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { isSimulated, PAYMENT_WINDOW_MS, purchaseStatus } from '../../domain/order/order-states.ts';
import type { With } from '../context.ts';
import { clockTime } from '../output/instant.ts';
import type { Line } from '../output/view.ts';
import type { PrintedOrder } from '../schemas/purchase.ts';

/** The current time, and how long orders can be paid. */
export interface PaymentWindow {
  readonly nowMs: number;
  readonly lang: string;
  /** Known only for the embedded sandbox: the interface has no field for it. */
  readonly windowMs: number | undefined;
}

export function paymentWindow({
  settings: { lang, isEmbedded },
  parts: { clock },
}: With<'settings' | 'parts'>): PaymentWindow {
  return { nowMs: clock.now(), lang, windowMs: isEmbedded ? PAYMENT_WINDOW_MS : undefined };
}

type Created = Pick<WirePartnerOrder, 'created_at'>;

/** Whether the window is known to be over, so that money would arrive too late. */
export function isWindowOver(order: Created, window: PaymentWindow | undefined): boolean {
  return window?.windowMs !== undefined && leftMs(order, window.windowMs, window.nowMs) <= 0;
}

export function windowLines(order: Created, window: PaymentWindow | undefined): readonly Line[] {
  if (window === undefined) return [];
  const { nowMs, lang, windowMs } = window;
  const createdMs = order.created_at * 1_000;
  // A merchant may send any number.
  if (Number.isNaN(new Date(createdMs).getTime())) return [];
  if (windowMs === undefined) {
    return [[t`Ordered`, t`${clockTime(createdMs, { nowMs, lang })}; pay soon: orders end`]];
  }
  const until = clockTime(createdMs + windowMs, { nowMs, lang });
  const minutes = Math.ceil(leftMs(order, windowMs, nowMs) / 60_000);
  const left = minutes === 1 ? t`1 minute left` : t`${minutes} minutes left`;
  return [[t`Pay until`, t`${until}, ${left}`]];
}

function leftMs({ created_at }: Created, windowMs: number, nowMs: number): number {
  return created_at * 1_000 + windowMs - nowMs;
}

/**
 * The merchant's document, with the word of `scrip orders` for its state, and marked for scripts, which would
 * otherwise pay to the address in it.
 */
export function orderRecord(order: WirePartnerOrder): PrintedOrder {
  const { order_state: orderState, payment_state: paymentState } = order;
  return {
    ...order,
    status: purchaseStatus({ orderState, paymentState }),
    payment_simulated: isSimulated(order),
  };
}

/** First in a pipe: the order is not to be paid in coins. */
export function simulatedLines(order: WirePartnerOrder): readonly Line[] {
  if (!isSimulated(order)) return [];
  const { order_id: id } = order;
  const how = commandText`Send no real coins to it. To simulate the payment: scrip sandbox pay ${id}`;
  return [[t`Test order`, how]];
}

export function simulatedNote({ order_id }: WirePartnerOrder): Message {
  return commandText`No wallet can pay test money of this coin. To simulate the payment: scrip sandbox pay ${order_id}`;
}
