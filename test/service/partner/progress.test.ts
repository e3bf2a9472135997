/** Orders under any course of payments, checks, deliveries and time. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  advance,
  isReachable,
  isTerminal,
  type OrderStates,
} from '../../../src/domain/order/order-states.ts';
import {
  COMPLIANCE_MS,
  type ComplianceReport,
  LAST_LOOK_MS,
  nextEvent,
  type Progress,
  RESOLUTION_MS,
  UNEXPLAINED_MS,
} from '../../../src/service/partner/orders/progress.ts';
import { fuzzRuns } from '../../support/fuzz.ts';

const PRICE = 100n;
const START: OrderStates = { orderState: 'WaitingForPayment', paymentState: 'PaymentRequested' };

interface Order extends OrderStates {
  readonly received: bigint;
  readonly seen: bigint;
  readonly changedAtMs: number;
}

interface Sight {
  readonly received: bigint;
  readonly seen: bigint;
  readonly unexplained?: bigint;
  readonly compliance: ComplianceReport;
  readonly delivery: 'waiting' | 'pending' | 'completed' | 'failed';
  readonly attempts: number;
  readonly nowMs: number;
}

const WINDOW_MS = 900_000;

function progressOf(order: Order, sight: Sight): Progress {
  return {
    orderState: order.orderState,
    paymentState: order.paymentState,
    priceAtomic: PRICE,
    receivedAtomic: sight.received,
    seenAtomic: sight.seen,
    unexplainedAtomic: sight.unexplained ?? 0n,
    isReceivedNew: sight.received !== order.received,
    isSeenNew: sight.seen !== order.seen,
    compliance: sight.compliance,
    deliveries: [{ state: sight.delivery, attempts: sight.attempts }],
    nowMs: sight.nowMs,
    windowEndsAtMs: WINDOW_MS,
    changedAtMs: order.changedAtMs,
  };
}

/** Applies what is due at one sight; fails when that does not end. */
function follow(start: Order, sight: Sight): Order {
  let order = start;
  for (let step = 0; step < 8; step += 1) {
    const event = nextEvent(progressOf(order, sight));
    if (event === undefined) return order;
    const next = advance(order, event);
    expect(next, `${event} in ${order.orderState} / ${order.paymentState}`).toBeDefined();
    if (!next) return order;
    expect(isReachable(next)).toBe(true);
    const { received, seen, nowMs: changedAtMs } = sight;
    order = { ...next, received, seen, changedAtMs };
  }
  throw new Error(`no rest in ${order.orderState} / ${order.paymentState}`);
}

const begin: Order = { ...START, received: 0n, seen: 0n, changedAtMs: 0 };

const sights = fc.array(
  fc.record({
    more: fc.integer({ min: 0, max: 120 }),
    unconfirmed: fc.integer({ min: 0, max: 60 }),
    unexplained: fc.constantFrom(0n, 5n),
    compliance: fc.constantFrom<ComplianceReport>('none', 'pending', 'cleared', 'held'),
    delivery: fc.constantFrom('waiting', 'pending', 'completed', 'failed'),
    attempts: fc.integer({ min: 0, max: 12 }),
    passMs: fc.constantFrom(0, 1_000, LAST_LOOK_MS, WINDOW_MS, COMPLIANCE_MS, RESOLUTION_MS),
  }),
  { maxLength: 12 },
);

describe('an order', () => {
  it('is only ever moved by legal events, and comes to an end by time alone', () => {
    fc.assert(
      fc.property(sights, (course) => {
        let order = begin;
        let [received, nowMs] = [0n, 0];
        for (const { more, unconfirmed, passMs, ...rest } of course) {
          // Small payments mostly, so that parts are seen as often as wholes.
          received += BigInt(more < 60 ? 0 : more - 59);
          nowMs += passMs;
          order = follow(order, { ...rest, received, seen: received + BigInt(unconfirmed), nowMs });
        }
        const last = { compliance: 'pending', delivery: 'failed', attempts: 12 } as const;
        for (let look = 0; look < 6; look += 1) {
          nowMs += RESOLUTION_MS;
          order = follow(order, { ...last, received, seen: received, nowMs });
        }
        expect(isTerminal(order)).toBe(true);
      }),
      { numRuns: fuzzRuns(500) },
    );
  });

  it('is held for a person when its account holds more than the transactions explain', () => {
    const sight = { compliance: 'none', delivery: 'waiting', attempts: 0, received: 0n } as const;
    const unexplained = { ...sight, seen: PRICE, unexplained: PRICE };
    const started = follow(begin, { ...unexplained, nowMs: 1_000 });
    expect(started.orderState).toBe('PaymentStarted');
    const waiting = follow(started, { ...unexplained, nowMs: 1_000 + UNEXPLAINED_MS - 1 });
    expect(waiting.orderState).toBe('PaymentStarted');
    const held = follow(started, { ...unexplained, nowMs: WINDOW_MS + UNEXPLAINED_MS });
    expect(held).toMatchObject({
      orderState: 'WaitingForManualAction',
      paymentState: 'PaymentQuarantined',
    });
    // Shown after all: it goes on by itself.
    const shown = { ...sight, received: PRICE, seen: PRICE, nowMs: WINDOW_MS };
    expect(follow(started, shown).paymentState).toBe('PaymentReceived');
  });

  it('never delivers for less than the price', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: PRICE - 1n }), (received) => {
        const sight = { compliance: 'none', delivery: 'waiting', attempts: 0, nowMs: 1 } as const;
        const order = follow(begin, { ...sight, received, seen: PRICE });
        expect(order.paymentState).not.toBe('PaymentReceived');
      }),
    );
  });
});
