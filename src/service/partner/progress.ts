/** Decides an order's next event from the state of its payment and deliveries. Pure. */
import type { OrderState, PaymentState } from '../../contract/codes.ts';
import type { OrderStates } from '../../domain/order-states.ts';
import type { OrderEvent } from '../../domain/order-transitions.ts';
import type { DeliveryRow } from '../../store/tables/deliveries.ts';

/** Result of the merchant's compliance check; `none` if no check is made. */
export type ComplianceReport = 'none' | 'pending' | 'cleared' | 'held';

export interface Progress extends OrderStates {
  /** In the coin's smallest unit: amount to pay, confirmed amount, and amount seen including unconfirmed. */
  readonly priceAtomic: bigint;
  readonly receivedAtomic: bigint;
  readonly seenAtomic: bigint;
  /** Final money that no transaction explains. */
  readonly unexplainedAtomic: bigint;
  /** Whether these amounts differ from the stored ones. */
  readonly isReceivedNew: boolean;
  readonly isSeenNew: boolean;
  readonly compliance: ComplianceReport;
  /** The due setup event of an order whose payment is not requested yet. */
  readonly setup?: OrderEvent | undefined;
  readonly deliveries: readonly Pick<DeliveryRow, 'state' | 'attempts'>[];
  readonly nowMs: number;
  readonly windowEndsAtMs: number;
  /** When the order entered its current state. */
  readonly changedAtMs: number;
}

/** Ours: how long a payment in progress is still awaited after the window. */
export const LAST_LOOK_MS = 60_000;
/** Ours: how long a node may lag behind with the transactions that make a balance. */
export const UNEXPLAINED_MS = 120_000;
/** Ours, from the interface's figure for identity checks: up to 48 hours. */
export const COMPLIANCE_MS = 48 * 3_600_000;
/** Ours: what support has not resolved by then is refunded. */
export const RESOLUTION_MS = 14 * 24 * 3_600_000;
/** After so many attempts without an outcome, the supplier needs a person's attention. */
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
  Refunded: awaitMoreLateMoney,
};

/** Returns the due event, or undefined if there is nothing to do now. */
export function nextEvent(progress: Progress): OrderEvent | undefined {
  return STEPS[progress.orderState]?.(progress);
}

function awaitSetup(progress: Progress): OrderEvent | undefined {
  const isClosing = CLOSING.includes(progress.paymentState);
  return (isClosing ? undefined : progress.setup) ?? windowEvent(progress);
}

function awaitPayment(progress: Progress): OrderEvent | undefined {
  if (progress.paymentState === 'WaitingForComplianceReport') return awaitReport(progress);
  return paymentEvent(progress) ?? unexplainedEvent(progress) ?? windowEvent(progress);
}

/** The money is there and the node does not show its transactions: a person has to look. */
function unexplainedEvent(progress: Progress): OrderEvent | undefined {
  const { orderState, unexplainedAtomic, changedAtMs, nowMs } = progress;
  const isDue = orderState === 'PaymentStarted' && nowMs >= changedAtMs + UNEXPLAINED_MS;
  return isDue && unexplainedAtomic > 0n ? 'payment_unexplained' : undefined;
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

/** Payment states in which the payment must be recorded as seen before a check begins. */
const BEFORE_CHECK: readonly PaymentState[] = ['WaitingForExpiry', 'Failed'];

function fullPayment({ compliance, paymentState }: Progress): OrderEvent {
  if (compliance === 'none') return 'payment_confirmed';
  return BEFORE_CHECK.includes(paymentState) ? 'payment_detected' : 'compliance_started';
}

const CLOSING: readonly PaymentState[] = [
  'WaitingForExpiry',
  'WaitingForExpiryAfterPaymentDetection',
];

/** A payment that was seen but not confirmed gets a second term; after that it can no longer land. */
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

/** The order waits while any line is still progressing; then support handles the rest. */
function awaitDelivery({ deliveries }: Progress): OrderEvent | undefined {
  if (deliveries.every(({ state }) => state === 'completed')) return 'delivered';
  return goesOn(deliveries) ? undefined : 'delivery_stuck';
}

/** Whether any line may still be decided without a person. */
export function goesOn(deliveries: readonly Pick<DeliveryRow, 'state' | 'attempts'>[]): boolean {
  return deliveries.some(
    ({ state, attempts }) =>
      state === 'waiting' || (state === 'pending' && attempts < STUCK_ATTEMPTS),
  );
}

function awaitSupport(progress: Progress): OrderEvent | undefined {
  const { paymentState, deliveries, nowMs, changedAtMs } = progress;
  const isPaid = paymentState === 'PaymentReceived';
  if (isPaid && deliveries.every(({ state }) => state === 'completed')) return 'delivered';
  return nowMs >= changedAtMs + RESOLUTION_MS ? 'resolution_overdue' : undefined;
}

/** Only what came late was refunded then: the buyer never paid in full. */
function awaitMoreLateMoney(progress: Progress): OrderEvent | undefined {
  const isLate = progress.paymentState === 'ExpiredAfterPaymentDetection';
  return isLate ? awaitLateMoney(progress) : undefined;
}

function awaitLateMoney({ isReceivedNew }: Progress): OrderEvent | undefined {
  return isReceivedNew ? 'late_payment' : undefined;
}
