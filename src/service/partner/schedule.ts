/** How often an order is checked, depending on what it waits for. */
import type { OrderState } from '../../contract/codes.ts';
import type { PartnerOrderRow } from '../../store/tables/partner-orders.ts';
import { LAST_LOOK_MS } from './progress.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Buyers usually pay at once, or forget it: the older an order, the more seldom it is checked. */
const YOUNG_MS = 5 * MINUTE_MS;
const AGED_MS = 30 * MINUTE_MS;
/** Money that comes late mostly comes soon after the end. */
const JUST_ENDED_MS = 60 * MINUTE_MS;
/** How long an address is watched after its order ended without the full amount. */
export const LATE_WATCH_MS = 24 * 60 * MINUTE_MS;

type Wait = (order: Waiting, nowMs: number) => number | null;
type Waiting = Pick<PartnerOrderRow, 'orderState' | 'paymentState' | 'createdAtMs' | 'closedAtMs'>;

const forPayment: Wait = ({ createdAtMs }, nowMs) => {
  const ageMs = nowMs - createdAtMs;
  if (ageMs < YOUNG_MS) return SECOND_MS;
  return (ageMs < AGED_MS ? 3 : 10) * SECOND_MS;
};
const forLateMoney: Wait = ({ closedAtMs }, nowMs) => {
  const sinceMs = nowMs - (closedAtMs ?? nowMs);
  if (sinceMs >= LATE_WATCH_MS) return null;
  return (sinceMs < JUST_ENDED_MS ? 1 : 10) * MINUTE_MS;
};

/** Orders in other states need no checks. */
const WAITS: Partial<Record<OrderState, Wait>> = {
  Created: () => SECOND_MS,
  WaitingForNFTCards: () => SECOND_MS,
  NFTCardsSpent: () => SECOND_MS,
  WaitingForCoupon: () => SECOND_MS,
  WaitingForPayment: forPayment,
  PaymentStarted: () => SECOND_MS,
  PaymentFailed: forPayment,
  PaymentReceived: () => 0,
  // Deliveries change the order themselves; this finds those that could not.
  WaitingForDelivery: () => 5 * SECOND_MS,
  WaitingForManualAction: () => MINUTE_MS,
  Expired: forLateMoney,
  Canceled: forLateMoney,
  Refunded: (order, nowMs) => (isLate(order) ? forLateMoney(order, nowMs) : null),
};

/** Whether the order was never paid in full: more money may follow what was refunded. */
function isLate({ paymentState }: Pick<PartnerOrderRow, 'paymentState'>): boolean {
  return paymentState === 'ExpiredAfterPaymentDetection';
}

/** When to check an unpaid order whose payments are reported; undefined if it is polled anyway. */
export function deadlineMs(
  {
    orderState,
    paymentState,
    windowEndsAtMs,
    closedAtMs,
  }: Pick<PartnerOrderRow, 'orderState' | 'paymentState' | 'windowEndsAtMs' | 'closedAtMs'>,
  nowMs: number,
): number | undefined {
  const isRefunded = orderState === 'Refunded' && isLate({ paymentState });
  if (orderState === 'Expired' || orderState === 'Canceled' || isRefunded) {
    const endMs = (closedAtMs ?? nowMs) + LATE_WATCH_MS;
    return endMs > nowMs ? endMs : undefined;
  }
  const isWaiting = orderState === 'WaitingForPayment' || orderState === 'PaymentFailed';
  if (!isWaiting || paymentState === 'WaitingForComplianceReport') return undefined;
  return [0, 1, 2]
    .map((terms) => windowEndsAtMs + terms * LAST_LOOK_MS)
    .find((endMs) => endMs > nowMs);
}

/** When to check the order next; null for never. */
export function nextLookAtMs(order: Waiting, nowMs: number): number | null {
  const waitMs = WAITS[order.orderState]?.(order, nowMs) ?? null;
  return waitMs === null ? null : nowMs + waitMs;
}
