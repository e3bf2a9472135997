/** State tables of a partner API order: the next state by state and event. */

import type { OrderState, PaymentState } from '../../contract/codes.ts';

/** Everything that can happen to an order, with its meaning. */
export const ORDER_EVENTS = {
  wallet_created: 'The destination wallet exists',
  payment_requested: 'Amount and address were given to the buyer; the payment window is open',
  setup_failed: 'Wallet or quote could not be had',
  nft_awaited: 'NFT cards are to pay for a part',
  nft_spent: 'The NFT cards were spent',
  coupon_awaited: 'A coupon that pays for a part is being redeemed',
  coupon_spent: 'The coupon was redeemed, and the rest was asked for',
  covered: 'NFT cards and coupon pay for all of it; nothing is left to pay',
  payment_detected: 'A transaction was seen, not yet confirmed',
  payment_partial: 'What has landed, all transactions together, is less than the amount',
  payment_confirmed: 'What has landed is the full amount, or more',
  payment_failed: 'A transaction failed and nothing has landed; else it is payment_partial',
  payment_unexplained: 'The account holds money that no transaction explains; support takes over',
  compliance_started: 'The transaction is being checked',
  compliance_cleared: 'The check was passed, and the full amount is there',
  compliance_held: 'The check was not passed; support takes over',
  compliance_overdue: 'The check did not end in its time; support takes over',
  window_elapsed: 'The payment window closed; a last look for a payment begins',
  expired: 'The last look ended without the full amount',
  late_payment: 'Money came after the order had ended',
  canceled: 'The buyer canceled, before any payment was seen',
  delivery_queued: 'Delivery may begin',
  delivered: 'Every product was delivered',
  delivery_stuck: 'A delivery cannot go on without support',
  manual_resolved: 'Support removed the obstacle; delivery goes on',
  closed_in_part: 'Support closed the order: some products delivered, the others given back',
  refunded: 'The money was given back',
  resolution_overdue: 'Support did not resolve it in its time; the money is given back',
} as const;
export type OrderEvent = keyof typeof ORDER_EVENTS;

type Arrows<State extends string> = Readonly<
  Record<State, Readonly<Partial<Record<OrderEvent, State>>>>
>;

/**
 * Order states. Every transition is ours except the two that the interface shows; one to the same state means that
 * the event does not change order_state. An order passes through PaymentReceived when the amount is complete
 * before delivery is requested: after a compliance check, or when nothing is left to pay.
 */
export const ORDER_TRANSITIONS: Arrows<OrderState> = {
  Created: {
    wallet_created: 'Created',
    payment_requested: 'WaitingForPayment',
    setup_failed: 'PaymentSetupFailed',
    nft_awaited: 'WaitingForNFTCards',
    coupon_awaited: 'WaitingForCoupon',
    covered: 'PaymentReceived',
    window_elapsed: 'Created',
    expired: 'Expired',
    canceled: 'Canceled',
  },
  WaitingForNFTCards: {
    nft_spent: 'NFTCardsSpent',
    window_elapsed: 'WaitingForNFTCards',
    expired: 'Expired',
    canceled: 'Canceled',
  },
  NFTCardsSpent: {
    payment_requested: 'WaitingForPayment',
    coupon_awaited: 'WaitingForCoupon',
    covered: 'PaymentReceived',
    window_elapsed: 'NFTCardsSpent',
    expired: 'Expired',
    canceled: 'Canceled',
  },
  WaitingForCoupon: {
    coupon_spent: 'WaitingForPayment',
    covered: 'PaymentReceived',
    window_elapsed: 'WaitingForCoupon',
    expired: 'Expired',
    canceled: 'Canceled',
  },
  WaitingForPayment: {
    payment_detected: 'PaymentStarted',
    // After a partial payment, the order waits for the rest.
    payment_partial: 'WaitingForPayment',
    // The interface shows this transition.
    payment_confirmed: 'WaitingForDelivery',
    compliance_started: 'PaymentStarted',
    window_elapsed: 'WaitingForPayment',
    expired: 'Expired',
    canceled: 'Canceled',
  },
  PaymentStarted: {
    payment_detected: 'PaymentStarted',
    payment_partial: 'WaitingForPayment',
    payment_confirmed: 'WaitingForDelivery',
    payment_failed: 'PaymentFailed',
    payment_unexplained: 'WaitingForManualAction',
    compliance_started: 'PaymentStarted',
    compliance_cleared: 'PaymentReceived',
    compliance_held: 'WaitingForManualAction',
    compliance_overdue: 'WaitingForManualAction',
    window_elapsed: 'PaymentStarted',
    expired: 'Expired',
  },
  // The window is still open, so the buyer may try again.
  PaymentFailed: {
    payment_detected: 'PaymentStarted',
    payment_partial: 'WaitingForPayment',
    payment_confirmed: 'WaitingForDelivery',
    window_elapsed: 'PaymentFailed',
    expired: 'Expired',
    canceled: 'Canceled',
  },
  PaymentReceived: {
    delivery_queued: 'WaitingForDelivery',
    delivery_stuck: 'WaitingForManualAction',
  },
  WaitingForDelivery: {
    // The interface shows this transition.
    delivered: 'Done',
    delivery_stuck: 'WaitingForManualAction',
  },
  WaitingForManualAction: {
    compliance_cleared: 'PaymentReceived',
    delivered: 'Done',
    manual_resolved: 'WaitingForDelivery',
    closed_in_part: 'Completed',
    refunded: 'Refunded',
    resolution_overdue: 'Refunded',
  },
  // Terminal states. A late payment changes nothing here until it is refunded.
  Expired: { late_payment: 'Expired', refunded: 'Refunded' },
  Canceled: { late_payment: 'Canceled', refunded: 'Refunded' },
  PaymentSetupFailed: {},
  Done: {},
  Completed: {},
  Refunded: { late_payment: 'Refunded' },
};

/**
 * Payment states. Every transition is ours: the interface names only the final state PaymentReceived. NFT
 * cards and coupons of an ended order are given back without a state for it.
 */
export const PAYMENT_TRANSITIONS: Arrows<PaymentState> = {
  WalletRequested: {
    wallet_created: 'WalletCreated',
    setup_failed: 'Failed',
    covered: 'PaymentReceived',
    window_elapsed: 'WaitingForExpiry',
    canceled: 'PaymentCanceled',
  },
  WalletCreated: {
    payment_requested: 'PaymentRequested',
    setup_failed: 'Failed',
    nft_awaited: 'WalletCreated',
    nft_spent: 'WalletCreated',
    coupon_awaited: 'WalletCreated',
    coupon_spent: 'PaymentRequested',
    covered: 'PaymentReceived',
    window_elapsed: 'WaitingForExpiry',
    canceled: 'PaymentCanceled',
  },
  PaymentRequested: {
    payment_detected: 'PaymentStarted',
    payment_partial: 'PartialPaymentStarted',
    payment_confirmed: 'PaymentReceived',
    compliance_started: 'WaitingForComplianceReport',
    window_elapsed: 'WaitingForExpiry',
    canceled: 'PaymentCanceled',
  },
  PaymentStarted: {
    payment_detected: 'PaymentStarted',
    payment_partial: 'PartialPaymentStarted',
    payment_confirmed: 'PaymentReceived',
    payment_failed: 'Failed',
    payment_unexplained: 'PaymentQuarantined',
    compliance_started: 'WaitingForComplianceReport',
    window_elapsed: 'WaitingForExpiryAfterPaymentDetection',
  },
  PartialPaymentStarted: {
    payment_detected: 'PaymentStarted',
    payment_partial: 'PartialPaymentStarted',
    payment_confirmed: 'PaymentReceived',
    compliance_started: 'WaitingForComplianceReport',
    window_elapsed: 'WaitingForExpiryAfterPaymentDetection',
  },
  Failed: {
    payment_detected: 'PaymentStarted',
    payment_partial: 'PartialPaymentStarted',
    payment_confirmed: 'PaymentReceived',
    window_elapsed: 'WaitingForExpiry',
    canceled: 'PaymentCanceled',
  },
  WaitingForComplianceReport: {
    payment_partial: 'PartialPaymentStarted',
    compliance_cleared: 'PaymentReceived',
    compliance_held: 'PaymentQuarantined',
    compliance_overdue: 'PaymentQuarantined',
  },
  PaymentQuarantined: {
    compliance_cleared: 'PaymentReceived',
    refunded: 'PaymentQuarantined',
    resolution_overdue: 'PaymentQuarantined',
  },
  WaitingForExpiry: {
    payment_detected: 'WaitingForExpiryAfterPaymentDetection',
    payment_partial: 'WaitingForExpiryAfterPaymentDetection',
    payment_confirmed: 'PaymentReceived',
    expired: 'Expired',
    canceled: 'PaymentCanceled',
  },
  WaitingForExpiryAfterPaymentDetection: {
    payment_detected: 'WaitingForExpiryAfterPaymentDetection',
    payment_partial: 'WaitingForExpiryAfterPaymentDetection',
    payment_confirmed: 'PaymentReceived',
    payment_failed: 'WaitingForExpiry',
    payment_unexplained: 'PaymentQuarantined',
    compliance_started: 'WaitingForComplianceReport',
    expired: 'ExpiredAfterPaymentDetection',
  },
  PaymentReceived: {
    delivery_queued: 'PaymentReceived',
    delivered: 'PaymentReceived',
    delivery_stuck: 'PaymentReceived',
    manual_resolved: 'PaymentReceived',
    closed_in_part: 'PaymentReceived',
    refunded: 'PaymentReceived',
    resolution_overdue: 'PaymentReceived',
  },
  Expired: { late_payment: 'ExpiredAfterPaymentDetection' },
  PaymentCanceled: { late_payment: 'ExpiredAfterPaymentDetection' },
  ExpiredAfterPaymentDetection: {
    late_payment: 'ExpiredAfterPaymentDetection',
    refunded: 'ExpiredAfterPaymentDetection',
  },
};
