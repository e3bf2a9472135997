/** Order events that the sandbox can simulate, and the webhook of each. */

import { type Message, t } from '../message/message.ts';
import type { OrderStates } from './order-states.ts';

/** The order's state in a webhook, in the field names of its API. */
export type EventFacts =
  | { readonly status: 'processing' | 'completed' | 'failed' | 'expired' }
  | {
      readonly order_state: OrderStates['orderState'];
      readonly payment_state: OrderStates['paymentState'];
    };

export interface PlayedEvent {
  readonly event: string;
  readonly surface: 'checkout' | 'partner';
  readonly facts: EventFacts;
  readonly what: Message;
}

/** Type of every webhook. As an event to simulate, it resends the order's latest change. */
export const LATEST_EVENT = 'order.updated';

const checkout = (
  status: Extract<EventFacts, { readonly status: string }>['status'],
  what: Message,
): PlayedEvent => ({ event: `checkout.${status}`, surface: 'checkout', facts: { status }, what });

const partner = (
  name: string,
  order_state: OrderStates['orderState'],
  payment_state: OrderStates['paymentState'],
  what: Message,
): PlayedEvent => ({
  event: `partner.${name}`,
  surface: 'partner',
  facts: { order_state, payment_state },
  what,
});

/** Names are append-only: scripts use them. */
export const PLAYED_EVENTS: readonly PlayedEvent[] = [
  checkout('processing', t`paid, delivery in progress`),
  checkout('completed', t`delivered`),
  checkout('failed', t`paid, not delivered`),
  checkout('expired', t`not paid in time`),
  partner('waiting', 'WaitingForPayment', 'PaymentRequested', t`placed, waiting for payment`),
  partner('payment-seen', 'PaymentStarted', 'PaymentStarted', t`a payment was seen`),
  partner('underpaid', 'WaitingForPayment', 'PartialPaymentStarted', t`not enough was paid`),
  partner('paid', 'WaitingForDelivery', 'PaymentReceived', t`paid, delivery in progress`),
  partner('done', 'Done', 'PaymentReceived', t`delivered`),
  partner('manual-action', 'WaitingForManualAction', 'PaymentReceived', t`support is handling it`),
  partner('refunded', 'Refunded', 'PaymentReceived', t`the money was refunded`),
  partner('expired', 'Expired', 'Expired', t`not paid in time`),
  partner('paid-late', 'Expired', 'ExpiredAfterPaymentDetection', t`paid too late`),
  partner('canceled', 'Canceled', 'PaymentCanceled', t`canceled by the buyer`),
  partner('wallet-requested', 'Created', 'WalletRequested', t`created; it has no wallet yet`),
  partner('wallet-created', 'Created', 'WalletCreated', t`created; its wallet exists`),
  partner('setup-failed', 'PaymentSetupFailed', 'Failed', t`its payment setup failed`),
  partner('nft-awaited', 'WaitingForNFTCards', 'WalletCreated', t`NFT cards are to be spent`),
  partner('nft-spent', 'NFTCardsSpent', 'WalletCreated', t`the NFT cards were spent`),
  partner('coupon-awaited', 'WaitingForCoupon', 'WalletCreated', t`a coupon is being redeemed`),
];

/** Returns the body of a webhook: only the order's state, never goods. */
export function orderUpdatedBody(change: {
  readonly orderId: string;
  readonly atMs: number;
  /** The recorded or simulated state. */
  readonly facts: unknown;
  readonly seq: number;
}): string {
  return JSON.stringify({
    type: LATEST_EVENT,
    timestamp: new Date(change.atMs).toISOString(),
    data: { order_id: change.orderId, ...Object(change.facts), seq: change.seq },
  });
}
