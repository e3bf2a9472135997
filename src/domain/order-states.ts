/** How an order of the partner API moves: what an event makes of both its states, and where it ends. */
import { type OrderState, PAYMENT_STATES, type PaymentState } from '../contract/codes.ts';
import {
  ORDER_EVENTS,
  ORDER_TRANSITIONS,
  type OrderEvent,
  PAYMENT_TRANSITIONS,
} from './order-transitions.ts';

/** Both states of an order; only the pairs of `reachableStates` are ever served. */
export interface OrderStates {
  readonly orderState: OrderState;
  readonly paymentState: PaymentState;
}

/** Both states in the words of a merchant, which need not be known here. */
export interface ToldStates {
  readonly orderState: string;
  readonly paymentState: string;
}

/** The moves of order_state that the interface shows; it shows none of payment_state. */
export const INTERFACE_ARROWS: readonly (readonly [from: OrderState, event: OrderEvent])[] = [
  ['WaitingForPayment', 'payment_confirmed'],
  ['WaitingForDelivery', 'delivered'],
];

/** Where an order begins. Ours. */
export const INITIAL_STATES: OrderStates = {
  orderState: 'Created',
  paymentState: 'WalletRequested',
};

const ENDED_WITHOUT_GOODS: readonly string[] = [
  'Expired',
  'Canceled',
  // Ours: the interface calls neither of these terminal, nor Completed, and none can go on.
  'Refunded',
  'PaymentSetupFailed',
];
/** Nothing more is delivered or owed by the buyer; a late payment and its refund may still follow. */
const TERMINAL: readonly string[] = ['Done', 'Completed', ...ENDED_WITHOUT_GOODS];

/** What an event makes of an order; undefined when it is not legal now: both tables must know it. */
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

/** Ended without goods: the same request makes another order. */
export function endedWithoutGoods({ orderState }: Pick<ToldStates, 'orderState'>): boolean {
  return ENDED_WITHOUT_GOODS.includes(orderState);
}

/** Money may be sent for it. */
export function awaitsPayment({ orderState }: Pick<ToldStates, 'orderState'>): boolean {
  return ['Created', 'WaitingForPayment', 'PaymentFailed'].includes(orderState);
}

/** In these nothing was paid yet. */
const UNPAID: readonly string[] = ['WalletRequested', 'WalletCreated', 'PaymentRequested'];
const UNREADY: readonly string[] = [
  'Created',
  'WaitingForNFTCards',
  'NFTCardsSpent',
  'WaitingForCoupon',
];

/** The merchant has yet to say what is to be paid, or where to. */
export function isSettingUp({ orderState, paymentState }: ToldStates): boolean {
  if (orderState === 'WaitingForPayment') return paymentState === 'WalletRequested';
  const isUnpaid = UNPAID.includes(paymentState) || !Object.hasOwn(PAYMENT_STATES, paymentState);
  return isUnpaid && UNREADY.includes(orderState);
}

/** The full amount was confirmed, by money or by what stood for it. */
export function isPaid({ paymentState }: Pick<ToldStates, 'paymentState'>): boolean {
  return paymentState === 'PaymentReceived';
}

/**
 * The interface's completion rule: Done with PaymentReceived, Expired, Canceled, and
 * WaitingForManualAction. Ours: also the ends that it does not name.
 */
export function clientShouldStop(states: ToldStates): boolean {
  // A state of the payment that is not known here takes nothing back of what is fully delivered.
  const isDone = isPaid(states) || !Object.hasOwn(PAYMENT_STATES, states.paymentState);
  if (states.orderState === 'Done') return isDone;
  return states.orderState === 'WaitingForManualAction' || isTerminal(states);
}

let reachable: ReadonlyMap<string, OrderStates> | undefined;

/** Every pair that an order can be in, from creation on. */
export function reachableStates(): readonly OrderStates[] {
  reachable ??= explore();
  return [...reachable.values()];
}

/** Whether an order can be in this pair of states at all. */
export function isReachable(states: OrderStates): boolean {
  reachable ??= explore();
  return reachable.has(keyOf(states));
}

function explore(): ReadonlyMap<string, OrderStates> {
  const found = new Map([[keyOf(INITIAL_STATES), INITIAL_STATES]]);
  // A map goes on to what is added while it is walked, so this ends when nothing new is found.
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
