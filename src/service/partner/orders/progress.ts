/** Decides an order's next event from the state of its payment and deliveries. Pure. */

import type { OrderState, PaymentState } from '../../../contract/codes.ts';
import { advance, INITIAL_STATES, type OrderStates } from '../../../domain/order/order-states.ts';
import type { OrderEvent } from '../../../domain/order/order-transitions.ts';
import type { DeliveryRow } from '../../../store/tables/deliveries.ts';
import type { PartnerOrderRow } from '../../../store/tables/partner-orders.ts';

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

// How often an order is checked, depending on what it waits for.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Buyers usually pay at once, or forget it: the older an order, the more seldom it is checked. */
const YOUNG_MS = 5 * MINUTE_MS;
const AGED_MS = 30 * MINUTE_MS;
/** Money that comes late mostly comes soon after the end. */
const JUST_ENDED_MS = 60 * MINUTE_MS;
/** How long an address is watched after its order ended without the full amount. */
const LATE_WATCH_MS = 24 * 60 * MINUTE_MS;

type Wait = (order: PartnerOrderRow, nowMs: number) => number | null;
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
  { orderState, paymentState, windowEndsAtMs, closedAtMs }: PartnerOrderRow,
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
export function nextLookAtMs(order: PartnerOrderRow, nowMs: number): number | null {
  const waitMs = WAITS[order.orderState]?.(order, nowMs) ?? null;
  return waitMs === null ? null : nowMs + waitMs;
}

// Steps of an order before its payment is requested: wallet, NFT cards, coupon. Pure.

export interface SetupStep {
  readonly event: OrderEvent;
  /** Time since the last change. */
  readonly afterMs: number;
}

/** An order whose payment is not requested yet. */
type SetupOrder = OrderStates & Pick<PartnerOrderRow, 'email' | 'couponCode' | 'coinAmountAtomic'>;

/** Returns the next step; undefined if its time is unknown. */
export type PaymentSetup = (order: SetupOrder) => SetupStep | undefined;

/** The default: wallet and amount are ready when the order is created. */
export const atOnce: PaymentSetup = ({ paymentState }) => ({
  event: paymentState === 'WalletRequested' ? 'wallet_created' : 'payment_requested',
  afterMs: 0,
});

const SETUP_STATES: readonly OrderState[] = [
  'Created',
  'WaitingForNFTCards',
  'NFTCardsSpent',
  'WaitingForCoupon',
];

/** Events that request money; they become `covered` if nothing is left to pay. */
const ASKING: readonly OrderEvent[] = ['payment_requested', 'coupon_spent'];

/** Whether the buyer has received the address and the amount to pay. */
export function isAskedFor({ orderState }: Pick<OrderStates, 'orderState'>): boolean {
  return !SETUP_STATES.includes(orderState) && orderState !== 'PaymentSetupFailed';
}

/** Returns the event that is due after this waiting time. */
export function setupEvent(
  setup: PaymentSetup,
  order: SetupOrder,
  waitedMs: number,
): OrderEvent | undefined {
  if (!SETUP_STATES.includes(order.orderState)) return undefined;
  const step = setup(order);
  if (step === undefined || waitedMs < step.afterMs) return undefined;
  return order.coinAmountAtomic === '0' && ASKING.includes(step.event) ? 'covered' : step.event;
}

/** Returns the states of a new order, after all events that are due at once. */
export function firstStates(
  setup: PaymentSetup,
  order: Omit<SetupOrder, keyof OrderStates>,
): OrderStates {
  let states = INITIAL_STATES;
  for (;;) {
    const event = setupEvent(setup, { ...order, ...states }, 0);
    const next = event && advance(states, event);
    if (next === undefined) return advance(states, 'delivery_queued') ?? states;
    states = next;
  }
}
