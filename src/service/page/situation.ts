/** What the payment page says about an order, derived from its two states. */
import type { OrderState, PaymentState } from '../../contract/codes.ts';
import type { OrderStates } from '../../domain/order/order-states.ts';

/**
 * What the page is for in each situation: `pay` shows an amount and an address; `over` can be changed only by
 * a late payment or a refund.
 */
const PHASES = {
  preparing: 'wait',
  due: 'pay',
  retry: 'pay',
  partial: 'pay',
  seen: 'wait',
  checking: 'wait',
  held: 'wait',
  closing: 'wait',
  paid: 'wait',
  manual: 'wait',
  delivered: 'over',
  closed: 'over',
  expired: 'over',
  late: 'over',
  canceled: 'over',
  refunded: 'over',
  failed: 'over',
} as const;

export type Situation = keyof typeof PHASES;
export const SITUATIONS = Object.keys(PHASES);

export const isPayable = (situation: Situation): boolean => PHASES[situation] === 'pay';
export const isOver = (situation: Situation): boolean => PHASES[situation] === 'over';

/** Order states that decide when the payment state does not. */
const BY_ORDER: Readonly<Partial<Record<OrderState, Situation>>> = {
  Created: 'preparing',
  WaitingForNFTCards: 'preparing',
  NFTCardsSpent: 'preparing',
  WaitingForCoupon: 'preparing',
  PaymentFailed: 'retry',
  PaymentReceived: 'paid',
  WaitingForDelivery: 'paid',
  Done: 'delivered',
  Completed: 'closed',
  Refunded: 'refunded',
  PaymentSetupFailed: 'failed',
};

/** Payment states that decide before the order's state: money that needs attention comes first. */
const BY_PAYMENT: Readonly<Partial<Record<PaymentState, Situation>>> = {
  PaymentQuarantined: 'held',
  ExpiredAfterPaymentDetection: 'late',
  WaitingForComplianceReport: 'checking',
  WaitingForExpiry: 'closing',
  WaitingForExpiryAfterPaymentDetection: 'closing',
};

/** Payment states of an order that waits for its payment. */
const WAITING: Readonly<Partial<Record<PaymentState, Situation>>> = {
  PaymentStarted: 'seen',
  PartialPaymentStarted: 'partial',
};

export function situationOf({ orderState, paymentState }: OrderStates): Situation {
  if (orderState === 'Refunded') return 'refunded';
  const held = BY_PAYMENT[paymentState];
  if (held !== undefined) return held;
  const known = BY_ORDER[orderState];
  if (known !== undefined) return known;
  if (orderState === 'WaitingForManualAction') return 'manual';
  if (orderState === 'Expired') return 'expired';
  if (orderState === 'Canceled') return 'canceled';
  return WAITING[paymentState] ?? 'due';
}
