/** Shows until when an unpaid order can be paid, in local time. */

import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import { t } from '../../domain/message.ts';
import { PAYMENT_WINDOW_MS } from '../../domain/order-states.ts';
import type { With } from '../context.ts';
import { clockTime } from '../output/instant.ts';
import type { Line } from '../output/view.ts';

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
