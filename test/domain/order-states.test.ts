/** The tables of order and payment states: the pairs they lead to, and what holds of all of them. */
import { describe, expect, it } from 'vitest';
import { ORDER_STATES, PAYMENT_STATES } from '../../src/contract/codes.ts';
import {
  advance,
  clientShouldStop,
  INITIAL_STATES,
  isPaid,
  isTerminal,
  type OrderStates,
  reachableStates,
} from '../../src/domain/order/order-states.ts';
import {
  ORDER_EVENTS,
  ORDER_TRANSITIONS,
  type OrderEvent,
  PAYMENT_TRANSITIONS,
} from '../../src/domain/order/order-transitions.ts';

const EVENTS = Object.keys(ORDER_EVENTS) as OrderEvent[];

/** Events raised by the clock alone; together they bring every order to an end. */
const TIME_EVENTS: readonly OrderEvent[] = [
  'window_elapsed',
  'expired',
  'compliance_overdue',
  'delivery_stuck',
  'delivery_queued',
  'resolution_overdue',
];

/** Longest way to an end by the clock alone; a longer one would be a loop. */
const DRAIN_STEPS = 10;

const pair = (
  orderState: OrderStates['orderState'],
  paymentState: OrderStates['paymentState'],
) => ({
  orderState,
  paymentState,
});

function walk(events: readonly OrderEvent[], from: OrderStates = INITIAL_STATES): OrderStates[] {
  const seen = [from];
  for (const event of events) {
    const next = advance(seen.at(-1) ?? from, event);
    if (next) seen.push(next);
  }
  return seen;
}

function drain(from: OrderStates): OrderStates[] {
  return walk(
    Array.from({ length: DRAIN_STEPS }).flatMap(() => TIME_EVENTS),
    from,
  );
}

describe('the tables', () => {
  it('allow the pairs that were reviewed', () => {
    const pairs = reachableStates().map(
      ({ orderState, paymentState }) => `${orderState} / ${paymentState}`,
    );
    expect(pairs.toSorted().join('\n')).toMatchSnapshot();
  });

  it('know every state of the interface', () => {
    expect(Object.keys(ORDER_TRANSITIONS).toSorted()).toEqual(Object.keys(ORDER_STATES).toSorted());
    expect(Object.keys(PAYMENT_TRANSITIONS).toSorted()).toEqual(
      Object.keys(PAYMENT_STATES).toSorted(),
    );
  });

  it('use every arrow and every event', () => {
    const pairs = reachableStates();
    const unused = EVENTS.filter((event) => !pairs.some((states) => advance(states, event)));
    expect(unused).toEqual([]);
    for (const [kind, table] of [
      ['orderState', ORDER_TRANSITIONS],
      ['paymentState', PAYMENT_TRANSITIONS],
    ] as const) {
      const unusedArrows = Object.entries(table).flatMap(([state, arrows]) =>
        (Object.keys(arrows) as OrderEvent[]).filter(
          (event) => !pairs.some((states) => states[kind] === state && advance(states, event)),
        ),
      );
      expect(unusedArrows).toEqual([]);
    }
  });
});

describe('an order', () => {
  it('reaches an end by the clock alone from every pair of states', () => {
    const stuck = reachableStates().filter((states) => !isTerminal(drain(states).at(-1) ?? states));
    expect(stuck).toEqual([]);
  });

  it('never comes back from an end', () => {
    for (const states of reachableStates().filter(isTerminal)) {
      for (const event of EVENTS) {
        const next = advance(states, event);
        if (next) expect(isTerminal(next), `${states.orderState} ${event}`).toBe(true);
      }
    }
  });

  it('is delivered only when it was paid', () => {
    const delivering = reachableStates().filter(({ orderState }) =>
      ['PaymentReceived', 'WaitingForDelivery', 'Done', 'Completed'].includes(orderState),
    );
    expect(delivering.every(isPaid)).toBe(true);
  });

  it('is canceled only before any payment was seen', () => {
    for (const states of reachableStates()) {
      const isSeen = /Started|Detection|Received|Compliance|Quarantined/.test(states.paymentState);
      if (isSeen) expect(advance(states, 'canceled')).toBeUndefined();
    }
  });

  it('expires as a refund case exactly when a payment was seen', () => {
    for (const states of reachableStates()) {
      const next = advance(states, 'expired');
      const isSeen = states.paymentState === 'WaitingForExpiryAfterPaymentDetection';
      if (next) {
        expect(next).toEqual(pair('Expired', isSeen ? 'ExpiredAfterPaymentDetection' : 'Expired'));
      }
    }
  });

  it('keeps a payment that the last look found', () => {
    const closing = walk(['wallet_created', 'payment_requested', 'window_elapsed']).at(-1);
    expect(advance(closing ?? INITIAL_STATES, 'payment_confirmed')).toEqual(
      pair('WaitingForDelivery', 'PaymentReceived'),
    );
  });
});

describe('a client', () => {
  it.each([
    [pair('Done', 'PaymentReceived'), true],
    [pair('Done', 'PaymentStarted'), false],
    [pair('Expired', 'Expired'), true],
    [pair('Canceled', 'PaymentCanceled'), true],
    [pair('WaitingForManualAction', 'PaymentReceived'), true],
    [pair('Refunded', 'PaymentReceived'), true],
    [pair('WaitingForPayment', 'PartialPaymentStarted'), false],
    [pair('WaitingForDelivery', 'PaymentReceived'), false],
  ] as const)('at %o stops: %s', (states, isOver) => {
    expect(clientShouldStop(states)).toBe(isOver);
  });

  it('that keeps to the interface alone stops at every end but a failed setup', () => {
    const isStopByInterface = ({ orderState, paymentState }: OrderStates) =>
      (orderState === 'Done' && paymentState === 'PaymentReceived') ||
      ['Expired', 'Canceled', 'WaitingForManualAction'].includes(orderState);
    const ends = reachableStates().filter((states) => isTerminal(states));
    for (const end of ends.filter(({ orderState }) => orderState !== 'PaymentSetupFailed')) {
      // Every way there leads through a pair at which such a client has stopped.
      const isEnd = (states: OrderStates | undefined) =>
        states?.orderState === end.orderState && states.paymentState === end.paymentState;
      const before = reachableStates().filter(
        (states) => !isEnd(states) && EVENTS.some((event) => isEnd(advance(states, event))),
      );
      const isSeen = isStopByInterface(end) || before.every(isStopByInterface);
      expect(isSeen, `${end.orderState} ${end.paymentState}`).toBe(true);
    }
  });
});
