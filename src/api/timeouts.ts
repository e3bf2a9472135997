/** Time limits of a purchase. */

import { SETTLE_MS } from './payment/pay-loop.ts';

/**
 * Ours: how long a run waits for an unanswered payment before it ends and leaves the payment to `scrip orders
 * resume`. A merchant settles within half a minute (x402: confirmation within 30 s).
 */
const UNANSWERED_MS = 35_000;
const LEAST_UNANSWERED_MS = 10_000;
const DELIVERY_MS = 10 * 60_000;

export interface Timeouts {
  /** Limit for delivery, once the order is accepted; 0 returns at once. */
  readonly waitMs: number;
  /** Limit for finding out whether payments were made; undefined: until that is proven. */
  readonly settleMs: number | undefined;
  /** The same where the merchant has refused the payment, if longer: its end can be proven soon. */
  readonly refusedMs?: number | undefined;
}

/** @param givenMs the user's setting, if any */
export function timeoutsOf(givenMs: number | undefined, isWaiting: boolean): Timeouts {
  return {
    waitMs: isWaiting ? (givenMs ?? DELIVERY_MS) : 0,
    settleMs: givenMs ?? UNANSWERED_MS,
    refusedMs: givenMs === undefined ? SETTLE_MS : undefined,
  };
}

/** Deducts the time that a slow price request took. */
export function timeoutsAfter(timeouts: Timeouts, tookMs: number): Timeouts {
  const { settleMs } = timeouts;
  if (settleMs === undefined || settleMs > UNANSWERED_MS) return timeouts;
  const leastMs = Math.min(settleMs, LEAST_UNANSWERED_MS);
  return { ...timeouts, settleMs: Math.max(leastMs, settleMs - Math.max(0, tookMs)) };
}
