/** What happens to an order before its payment is asked for: wallet, NFT cards, coupon. Pure. */
import type { OrderState } from '../../contract/codes.ts';
import { advance, INITIAL_STATES, type OrderStates } from '../../domain/order-states.ts';
import type { OrderEvent } from '../../domain/order-transitions.ts';

export interface SetupStep {
  readonly event: OrderEvent;
  /** How long after the last change. */
  readonly afterMs: number;
}

/** An order whose payment is not asked for yet. */
export interface SetupOrder extends OrderStates {
  /** Lowercase. */
  readonly email: string;
  readonly hasCoupon: boolean;
}

/** The step that comes next; undefined when it is not known when. */
export type PaymentSetup = (order: SetupOrder) => SetupStep | undefined;

/** Wallet and amount are there when the order is. */
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

/** Events that ask for money, of which nothing is left where all of it is covered. */
const ASKING: readonly OrderEvent[] = ['payment_requested', 'coupon_spent'];

/** Whether the buyer was told where and how much to pay. */
export function isAskedFor({ orderState }: Pick<OrderStates, 'orderState'>): boolean {
  return !SETUP_STATES.includes(orderState) && orderState !== 'PaymentSetupFailed';
}

/** The event that is due, when the last change was so long ago. */
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

/** The states of an order that is being made: all that is due at once has happened. */
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
