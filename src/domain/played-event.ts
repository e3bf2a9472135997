/** Changes of orders that the sandbox can tell an endpoint of, and what a webhook of each says. */
import type { OrderStates } from './order-states.ts';

/** The states of a webhook, as its side of the merchant names them. */
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
  readonly what: string;
}

/** The type of every webhook; as an event to be played, an order's own last change, told again. */
export const LATEST_EVENT = 'order.updated';

const checkout = (
  status: Extract<EventFacts, { readonly status: string }>['status'],
  what: string,
): PlayedEvent => ({ event: `checkout.${status}`, surface: 'checkout', facts: { status }, what });

const partner = (
  name: string,
  order_state: OrderStates['orderState'],
  payment_state: OrderStates['paymentState'],
  what: string,
): PlayedEvent => ({
  event: `partner.${name}`,
  surface: 'partner',
  facts: { order_state, payment_state },
  what,
});

/** Names are append-only: scripts say them. */
export const PLAYED_EVENTS: readonly PlayedEvent[] = [
  checkout('processing', 'paid, and being delivered'),
  checkout('completed', 'delivered'),
  checkout('failed', 'paid, and not delivered'),
  checkout('expired', 'not paid in time'),
  partner('waiting', 'WaitingForPayment', 'PaymentRequested', 'made, and to be paid'),
  partner('payment-seen', 'PaymentStarted', 'PaymentStarted', 'a payment was seen'),
  partner('underpaid', 'WaitingForPayment', 'PartialPaymentStarted', 'too little was paid'),
  partner('paid', 'WaitingForDelivery', 'PaymentReceived', 'paid, and being delivered'),
  partner('done', 'Done', 'PaymentReceived', 'delivered'),
  partner('manual-action', 'WaitingForManualAction', 'PaymentReceived', 'support is handling it'),
  partner('refunded', 'Refunded', 'PaymentReceived', 'the money was given back'),
  partner('expired', 'Expired', 'Expired', 'not paid in time'),
  partner('paid-late', 'Expired', 'ExpiredAfterPaymentDetection', 'paid, but not in time'),
  partner('canceled', 'Canceled', 'PaymentCanceled', 'canceled by the buyer'),
  partner('wallet-requested', 'Created', 'WalletRequested', 'made, and without a wallet yet'),
  partner('wallet-created', 'Created', 'WalletCreated', 'made, and its wallet is there'),
  partner('setup-failed', 'PaymentSetupFailed', 'Failed', 'its payment could not be set up'),
  partner('nft-awaited', 'WaitingForNFTCards', 'WalletCreated', 'NFT cards are to be spent'),
  partner('nft-spent', 'NFTCardsSpent', 'WalletCreated', 'the NFT cards were spent'),
  partner('coupon-awaited', 'WaitingForCoupon', 'WalletCreated', 'a coupon is being redeemed'),
];

/** The body of a webhook: thin facts, never goods. */
export function orderUpdatedBody(change: {
  readonly orderId: string;
  readonly atMs: number;
  /** As they were recorded, or are played. */
  readonly facts: unknown;
  readonly seq: number;
}): string {
  return JSON.stringify({
    type: LATEST_EVENT,
    timestamp: new Date(change.atMs).toISOString(),
    data: { order_id: change.orderId, ...Object(change.facts), seq: change.seq },
  });
}
