/** What the payment page says about an order, derived from its two states. */
import type { OrderState, PaymentState } from '../../contract/codes.ts';
import type { OrderStates } from '../../domain/order-states.ts';

export const SITUATIONS = [
  'preparing',
  'due',
  'retry',
  'partial',
  'seen',
  'checking',
  'held',
  'closing',
  'paid',
  'manual',
  'delivered',
  'closed',
  'expired',
  'late',
  'canceled',
  'refunded',
  'failed',
] as const;
export type Situation = (typeof SITUATIONS)[number];

/** Situations in which the page shows an address and an amount to pay. */
const PAYABLE: readonly Situation[] = ['due', 'retry', 'partial'];
/** Situations that only a late payment or a refund can change. */
const OVER: readonly Situation[] = [
  'delivered',
  'closed',
  'expired',
  'late',
  'canceled',
  'refunded',
  'failed',
];

export const isPayable = (situation: Situation): boolean => PAYABLE.includes(situation);
export const isOver = (situation: Situation): boolean => OVER.includes(situation);

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
