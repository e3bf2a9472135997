/** The states of a partner API order: what an event does to both of them, and which are final. */

import {
  ORDER_STATES,
  type OrderState,
  PAYMENT_STATES,
  type PaymentState,
} from '../../contract/codes.ts';
import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import { type Message, sentence } from '../message/message.ts';
import { isOwnNetwork } from '../payment/payment-means.ts';
import {
  ORDER_EVENTS,
  ORDER_TRANSITIONS,
  type OrderEvent,
  PAYMENT_TRANSITIONS,
} from './order-transitions.ts';

/** Payment window of the built-in service. Ours: the interface does not say. */
export const PAYMENT_WINDOW_MS = 15 * 60_000;

/** Both states of an order. Only the pairs of `reachableStates` are ever sent to a client. */
export interface OrderStates {
  readonly orderState: OrderState;
  readonly paymentState: PaymentState;
}

/** Both states as a merchant reports them; they may be unknown to this program. */
export interface ToldStates {
  readonly orderState: string;
  readonly paymentState: string;
}

/** The states of a new order. Ours. */
export const INITIAL_STATES: OrderStates = {
  orderState: 'Created',
  paymentState: 'WalletRequested',
};

const ENDED_WITHOUT_GOODS: readonly string[] = [
  'Expired',
  'Canceled',
  // Ours: the interface does not call these two terminal, nor Completed, but no event leads out of them.
  'Refunded',
  'PaymentSetupFailed',
];
/** Order states with nothing left to deliver or to pay; a late payment and its refund may still follow. */
const TERMINAL: readonly string[] = ['Done', 'Completed', ...ENDED_WITHOUT_GOODS];

/** Returns the states after an event; undefined if the event is not legal in either table. */
export function advance(
  { orderState, paymentState }: OrderStates,
  event: OrderEvent,
): OrderStates | undefined {
  const nextOrder = ORDER_TRANSITIONS[orderState][event];
  const nextPayment = PAYMENT_TRANSITIONS[paymentState][event];
  if (nextOrder === undefined || nextPayment === undefined) return undefined;
  return { orderState: nextOrder, paymentState: nextPayment };
}

export function isTerminal({ orderState }: Pick<ToldStates, 'orderState'>): boolean {
  return TERMINAL.includes(orderState);
}

/** Whether the order ended without goods, so that the same request may create another order. */
export function endedWithoutGoods({ orderState }: Pick<ToldStates, 'orderState'>): boolean {
  return ENDED_WITHOUT_GOODS.includes(orderState);
}

/** Whether the buyer may still pay the order. */
export function awaitsPayment({ orderState }: Pick<ToldStates, 'orderState'>): boolean {
  return ['Created', 'WaitingForPayment', 'PaymentFailed'].includes(orderState);
}

/** An order of a sandbox in a coin without a chain there: no wallet can pay it, its payment is simulated. */
export function isSimulated({
  sandbox_mode,
  network,
}: Pick<WirePartnerOrder, 'sandbox_mode' | 'network'>): boolean {
  return sandbox_mode === true && !isOwnNetwork(network);
}

/** Payment states in which nothing was paid yet. */
const UNPAID: readonly string[] = ['WalletRequested', 'WalletCreated', 'PaymentRequested'];
const UNREADY: readonly string[] = [
  'Created',
  'WaitingForNFTCards',
  'NFTCardsSpent',
  'WaitingForCoupon',
];

/** Whether the merchant has yet to name the amount or the address. */
export function isSettingUp({ orderState, paymentState }: ToldStates): boolean {
  if (orderState === 'WaitingForPayment') return paymentState === 'WalletRequested';
  const isUnpaid = UNPAID.includes(paymentState) || !Object.hasOwn(PAYMENT_STATES, paymentState);
  return isUnpaid && UNREADY.includes(orderState);
}

/** Whether the full amount is confirmed, paid in money or by coupon or NFT cards. */
export function isPaid({ paymentState }: Pick<ToldStates, 'paymentState'>): boolean {
  return paymentState === 'PaymentReceived';
}

/** Whether the full amount was sent, even if it is not confirmed yet. */
export function isPaymentSeen({ orderState, paymentState }: ToldStates): boolean {
  return isPaid({ paymentState }) || orderState === 'PaymentStarted';
}

/**
 * Whether a client should stop tracking. Interface: Done with PaymentReceived, Expired, Canceled, and
 * WaitingForManualAction. Ours: also the terminal states that the interface does not name.
 */
export function clientShouldStop(states: ToldStates): boolean {
  // The goods are delivered in full, so an unknown payment state does not matter.
  const isDone = isPaid(states) || !Object.hasOwn(PAYMENT_STATES, states.paymentState);
  if (states.orderState === 'Done') return isDone;
  return states.orderState === 'WaitingForManualAction' || isTerminal(states);
}

const ENDS: Readonly<Partial<Record<string, PurchaseStatus>>> = {
  Done: 'completed',
  Completed: 'completed',
  Expired: 'expired',
  Canceled: 'canceled',
  Refunded: 'refunded',
  PaymentSetupFailed: 'failed',
  WaitingForManualAction: 'attention',
};

/** The word by which lists name what the merchant says of an order. */
export function purchaseStatus({ orderState, paymentState }: ToldStates): PurchaseStatus {
  const end = Object.hasOwn(ENDS, orderState) ? ENDS[orderState] : undefined;
  if (end !== undefined) return end;
  const isUnpaid = awaitsPayment({ orderState }) || isSettingUp({ orderState, paymentState });
  return isUnpaid && !isPaid({ paymentState }) ? 'unpaid' : 'processing';
}

/** Whether the payment's state says more than that the order waits for its payment. */
export function hasPaymentNews({
  orderState,
  paymentState,
}: Pick<ToldStates, 'orderState'> & { readonly paymentState: string | null }): boolean {
  return (
    orderState === 'WaitingForPayment' && paymentState !== null && !UNPAID.includes(paymentState)
  );
}

/** What a state of either kind means, in a sentence; undefined for a state of the merchant's own. */
export function stateMeaning(kind: 'order' | 'payment', state: string): Message | undefined {
  const meanings: Readonly<Record<string, string>> =
    kind === 'order' ? ORDER_STATES : PAYMENT_STATES;
  const meaning = Object.hasOwn(meanings, state) ? meanings[state] : undefined;
  return meaning === undefined ? undefined : sentence(meaning);
}

let reachable: ReadonlyMap<string, OrderStates> | undefined;

/** Returns every pair of states that an order can reach after its creation. */
export function reachableStates(): readonly OrderStates[] {
  reachable ??= explore();
  return [...reachable.values()];
}

/** Whether an order can ever have this pair of states. */
export function isReachable(states: OrderStates): boolean {
  reachable ??= explore();
  return reachable.has(keyOf(states));
}

function explore(): ReadonlyMap<string, OrderStates> {
  const found = new Map([[keyOf(INITIAL_STATES), INITIAL_STATES]]);
  // Iterating a map also visits entries added meanwhile, so the loop ends when no new pair is found.
  for (const states of found.values()) {
    for (const event of Object.keys(ORDER_EVENTS) as OrderEvent[]) {
      const next = advance(states, event);
      if (next && !found.has(keyOf(next))) found.set(keyOf(next), next);
    }
  }
  return found;
}

function keyOf({ orderState, paymentState }: OrderStates): string {
  return `${orderState} ${paymentState}`;
}

export const PURCHASE_STATUSES = [
  'completed',
  'processing',
  'failed',
  'unknown',
  'attention',
  'unpaid',
  'canceled',
  'expired',
  'refunded',
] as const;

export type PurchaseStatus = (typeof PURCHASE_STATUSES)[number];

/** Status of a cart line. The worst comes first: a line has the worst status of its items. */
export const LINE_STATUSES = [
  'unknown',
  'attention',
  'failed',
  'unpaid',
  'invalid',
  'open',
  'processing',
  'priced',
  'completed',
] as const;

export type LineStatus = (typeof LINE_STATUSES)[number];
