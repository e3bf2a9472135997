/** Steps of an order before its payment is requested: wallet, NFT cards, coupon. Pure. */
import type { OrderState } from '../../contract/codes.ts';
import { advance, INITIAL_STATES, type OrderStates } from '../../domain/order-states.ts';
import type { OrderEvent } from '../../domain/order-transitions.ts';

export interface SetupStep {
  readonly event: OrderEvent;
  /** Time since the last change. */
  readonly afterMs: number;
}

/** An order whose payment is not requested yet. */
export interface SetupOrder extends OrderStates {
  /** Lowercase. */
  readonly email: string;
  readonly hasCoupon: boolean;
}

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
  order: SetupOrder & { readonly isCovered: boolean },
  waitedMs: number,
): OrderEvent | undefined {
  if (!SETUP_STATES.includes(order.orderState)) return undefined;
  const step = setup(order);
  if (step === undefined || waitedMs < step.afterMs) return undefined;
  return order.isCovered && ASKING.includes(step.event) ? 'covered' : step.event;
}

/** Returns the states of a new order, after all events that are due at once. */
export function firstStates(
  setup: PaymentSetup,
  order: Omit<SetupOrder, keyof OrderStates> & { readonly isCovered: boolean },
): OrderStates {
  let states = INITIAL_STATES;
  for (;;) {
    const event = setupEvent(setup, { ...order, ...states }, 0);
    const next = event && advance(states, event);
    if (next === undefined) return advance(states, 'delivery_queued') ?? states;
    states = next;
  }
}
