/** What happens to an order next, from what is known of its payment and its deliveries. Pure. */
import type { OrderState, PaymentState } from '../../contract/codes.ts';
import type { OrderStates } from '../../domain/order-states.ts';
import type { OrderEvent } from '../../domain/order-transitions.ts';
import type { DeliveryRow } from '../../storage/checkout-orders.ts';

/** What the merchant's check of a payment has come to; `none` where none is made. */
export type ComplianceReport = 'none' | 'pending' | 'cleared' | 'held';

export interface Progress extends OrderStates {
  /** Units of the coin's precision: what is asked for, what is confirmed, what was seen at all. */
  readonly priceAtomic: bigint;
  readonly receivedAtomic: bigint;
  readonly seenAtomic: bigint;
  /** Whether these amounts are more or less than what is on record. */
  readonly isReceivedNew: boolean;
  readonly isSeenNew: boolean;
  readonly compliance: ComplianceReport;
  /** What is due of an order whose payment is not asked for yet. */
  readonly setup?: OrderEvent | undefined;
  readonly deliveries: readonly Pick<DeliveryRow, 'state' | 'attempts'>[];
  readonly nowMs: number;
  readonly windowEndsAtMs: number;
  /** When the order came into its present state. */
  readonly changedAtMs: number;
}

/** Ours: how long after the window a payment that is under way is still waited for. */
export const LAST_LOOK_MS = 60_000;
/** Ours, after what the interface says of identity checks: up to 48 hours. */
export const COMPLIANCE_MS = 48 * 3_600_000;
/** Ours: what support has not resolved by then is given back. */
export const RESOLUTION_MS = 14 * 24 * 3_600_000;
/** A supplier that has not answered so often needs a person. */
export const STUCK_ATTEMPTS = 10;

type Step = (progress: Progress) => OrderEvent | undefined;

const STEPS: Partial<Record<OrderState, Step>> = {
  Created: awaitSetup,
  WaitingForNFTCards: awaitSetup,
  NFTCardsSpent: awaitSetup,
  WaitingForCoupon: awaitSetup,
  WaitingForPayment: awaitPayment,
  PaymentStarted: awaitPayment,
  PaymentFailed: awaitPayment,
  PaymentReceived: () => 'delivery_queued',
  WaitingForDelivery: awaitDelivery,
  WaitingForManualAction: awaitSupport,
  Expired: awaitLateMoney,
  Canceled: awaitLateMoney,
};

/** The event that is due, or undefined when there is nothing to do for now. */
export function nextEvent(progress: Progress): OrderEvent | undefined {
  return STEPS[progress.orderState]?.(progress);
}

function awaitSetup(progress: Progress): OrderEvent | undefined {
  const isClosing = CLOSING.includes(progress.paymentState);
  return (isClosing ? undefined : progress.setup) ?? windowEvent(progress);
}

function awaitPayment(progress: Progress): OrderEvent | undefined {
  if (progress.paymentState === 'WaitingForComplianceReport') return awaitReport(progress);
  return paymentEvent(progress) ?? windowEvent(progress);
}

function paymentEvent(progress: Progress): OrderEvent | undefined {
  const { priceAtomic, receivedAtomic, seenAtomic, orderState } = progress;
  if (receivedAtomic >= priceAtomic) return fullPayment(progress);
  const isNew = progress.isReceivedNew || progress.isSeenNew;
  if (seenAtomic > receivedAtomic) {
    return orderState === 'PaymentStarted' && !isNew ? undefined : 'payment_detected';
  }
  if (receivedAtomic === 0n) return orderState === 'PaymentStarted' ? 'payment_failed' : undefined;
  const isKnown = orderState === 'WaitingForPayment' && !isNew;
  return isKnown ? undefined : 'payment_partial';
}

/** States from which a check begins only once the payment was seen. */
const BEFORE_CHECK: readonly PaymentState[] = ['WaitingForExpiry', 'Failed'];

function fullPayment({ compliance, paymentState }: Progress): OrderEvent {
  if (compliance === 'none') return 'payment_confirmed';
  return BEFORE_CHECK.includes(paymentState) ? 'payment_detected' : 'compliance_started';
}

const CLOSING: readonly PaymentState[] = [
  'WaitingForExpiry',
  'WaitingForExpiryAfterPaymentDetection',
];

/** What was seen and is not confirmed gets a second term; after that it will not land any more. */
function windowEvent(progress: Progress): OrderEvent | undefined {
  const { nowMs, windowEndsAtMs, paymentState, seenAtomic, receivedAtomic } = progress;
  if (nowMs < windowEndsAtMs) return undefined;
  if (!CLOSING.includes(paymentState)) return 'window_elapsed';
  const terms = seenAtomic > receivedAtomic ? 2 : 1;
  return nowMs >= windowEndsAtMs + terms * LAST_LOOK_MS ? 'expired' : undefined;
}

function awaitReport(progress: Progress): OrderEvent | undefined {
  const { compliance, receivedAtomic, priceAtomic, nowMs, changedAtMs } = progress;
  if (compliance === 'held') return 'compliance_held';
  if (compliance === 'pending') {
    return nowMs >= changedAtMs + COMPLIANCE_MS ? 'compliance_overdue' : undefined;
  }
  return receivedAtomic >= priceAtomic ? 'compliance_cleared' : 'payment_partial';
}

/** One line that goes on keeps the order going; what is left then is for support. */
function awaitDelivery({ deliveries }: Progress): OrderEvent | undefined {
  if (deliveries.every(({ state }) => state === 'completed')) return 'delivered';
  const goesOn = deliveries.some(
    ({ state, attempts }) =>
      state === 'waiting' || (state === 'pending' && attempts < STUCK_ATTEMPTS),
  );
  return goesOn ? undefined : 'delivery_stuck';
}

function awaitSupport(progress: Progress): OrderEvent | undefined {
  const { paymentState, deliveries, nowMs, changedAtMs } = progress;
  const isPaid = paymentState === 'PaymentReceived';
  if (isPaid && deliveries.every(({ state }) => state === 'completed')) return 'delivered';
  return nowMs >= changedAtMs + RESOLUTION_MS ? 'resolution_overdue' : undefined;
}

function awaitLateMoney({ isReceivedNew }: Progress): OrderEvent | undefined {
  return isReceivedNew ? 'late_payment' : undefined;
}
