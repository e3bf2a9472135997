/** What is owed back after each event of an order, and what an order was paid. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OrderEvent } from '../../src/domain/order/order-transitions.ts';
import { closeRefunded } from '../../src/service/refunds/refund-payments.ts';
import {
  bookLoss,
  receivedFor,
  refundAfter,
  refundFailedLines,
} from '../../src/service/refunds/refunds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import type { DeliveryRow } from '../../src/store/tables/deliveries.ts';
import type { PartnerOrderRow } from '../../src/store/tables/partner-orders.ts';
import type { RefundRow } from '../../src/store/tables/refunds.ts';
import type { SettlementRow } from '../../src/store/tables/settlements.ts';
import { GOODS } from '../support/sold-line.ts';
import {
  deliveryRow,
  orderRow,
  partnerOrderRow,
  refundRow,
  sessionRow,
  settlementRow,
} from '../support/store-suite.ts';

const { orderId: ORDER } = partnerOrderRow();
const LINES = JSON.stringify([{ coinAmount: '1' }, { coinAmount: '2.5' }, { coinAmount: '4' }]);

let store: Store;
beforeEach(async () => {
  store = await openSqliteStore(':memory:');
});
afterEach(() => store.close());

const owed = async (orderId = ORDER) =>
  (await store.tables.refunds.ofOrder(orderId)).map(({ refundId, amountAtomic, reason }) =>
    [refundId.replace(`${orderId} `, ''), amountAtomic, reason].join(': '),
  );
const known = (refundId: string, amount: number, kind: RefundRow['kind'] = 'refund') =>
  store.tables.refunds.record(
    refundRow({ refundId, orderId: ORDER, kind, amountAtomic: `${amount}` }),
  );

describe('after an event of a partner order', () => {
  const following = async (
    event: OrderEvent,
    more: Partial<PartnerOrderRow> = {},
    lines: readonly Partial<DeliveryRow>[] = [],
  ) => {
    const row = partnerOrderRow({ coinAmountAtomic: '100', lines: LINES, ...more });
    const deliveries = lines.map((one, line) =>
      deliveryRow({ orderId: ORDER, deliveryId: `delivery ${line}`, line, ...one }),
    );
    await store.tables.partnerOrders.insert(row, deliveries);
    await refundAfter(store.tables, row, event, 7);
    return owed();
  };

  it.each<[OrderEvent, string, readonly string[]]>([
    ['payment_confirmed', '130', ['excess: 30: More was paid than requested.']],
    ['payment_confirmed', '101', ['excess: 1: More was paid than requested.']],
    ['payment_confirmed', '100', []],
    ['payment_confirmed', '99', []],
    ['compliance_cleared', '130', ['excess: 30: More was paid than requested.']],
    ['expired', '60', ['late 60: 60: The payment was late or incomplete.']],
    ['expired', '0', []],
    ['late_payment', '60', ['late 60: 60: The payment was late or incomplete.']],
    ['refunded', '60', ['rest: 60: The order was refunded.']],
    ['resolution_overdue', '60', ['rest: 60: The order was refunded.']],
    ['closed_in_part', '100', []],
  ])('%s of one that received %s', async (event, receivedAtomic, refunds) => {
    expect(await following(event, { receivedAtomic })).toEqual(refunds);
  });

  it.each([
    ['60', ['late 60: 25: The payment was late or incomplete.']],
    ['36', ['late 36: 1: The payment was late or incomplete.']],
    ['35', []],
    ['34', []],
  ])(
    'of %s received all but what it has refunds for is owed, and losses are none',
    async (receivedAtomic, refunds) => {
      await known('one', 20);
      await known('two', 15);
      await known('loss', 40, 'loss');
      const all = await following('expired', { receivedAtomic });
      expect(all.filter((one) => one.startsWith('late'))).toEqual(refunds);
    },
  );

  it('each line that was not delivered is owed at its price', async () => {
    const lines = [
      { state: 'completed' as const },
      { state: 'failed' as const, failureReason: 'out of stock' },
      { state: 'pending' as const },
      { state: 'failed' as const },
    ];
    expect(await following('closed_in_part', { refundAddress: 'buyer' }, lines)).toEqual([
      'line 1: 2500000: out of stock',
      'line 2: 4000000: It was not delivered.',
      'line 3: 0: It was not delivered.',
    ]);
    const [refund] = await store.tables.refunds.ofOrder(ORDER);
    expect(refund).toMatchObject({ kind: 'refund', recipient: 'buyer', line: 1, createdAtMs: 7 });
  });
});

describe('an order of the checkout host', () => {
  const make = async (state: SettlementRow['state']): Promise<DeliveryRow> => {
    const row = deliveryRow({ goods: GOODS, state: 'failed', failureReason: 'none left' });
    await store.write(async (tables) => {
      await tables.sessions.insert(sessionRow({ amountAtomic: '777' }));
      await tables.settlements.insert(settlementRow({ state }));
      const delivered = { deliveryId: 'delivered', line: 1, state: 'completed' } as const;
      await tables.orders.insert(orderRow(), [row, deliveryRow({ goods: GOODS, ...delivered })]);
    });
    return row;
  };

  it.each<[SettlementRow['state'], bigint, readonly string[]]>([
    ['settled', 777n, ['line 0: 25250000: none left']],
    ['failed', 0n, []],
    ['submitting', 0n, []],
  ])('whose payment is %s was paid %s', async (state, received, refunds) => {
    await make(state);
    expect(await receivedFor(store.tables, 'order-1')).toBe(received);
    await refundFailedLines(store.tables, 'order-1', 7);
    expect(await owed('order-1')).toEqual(refunds);
  });

  it('has its losses in USDC, each once', async () => {
    const row = await make('settled');
    expect(await bookLoss(store.tables, row, 7)).toBe(true);
    expect(await bookLoss(store.tables, row, 8)).toBe(false);
    expect(await owed('order-1')).toEqual(['loss 0: 25250000: Delivered after its refund.']);
  });
});

it('an order that nobody knows was paid nothing, and nothing is owed for it', async () => {
  expect(await receivedFor(store.tables, 'nowhere')).toBe(0n);
  await refundFailedLines(store.tables, 'nowhere', 7);
  expect(await owed('nowhere')).toEqual([]);
});

it('a partner order was paid what was confirmed, and loses the price of a line', async () => {
  const coin = { coin: 'BTC', decimals: 8 };
  const row = partnerOrderRow({ receivedAtomic: '55', seenAtomic: '99', lines: LINES, ...coin });
  await store.tables.partnerOrders.insert(row, []);
  expect(await receivedFor(store.tables, ORDER)).toBe(55n);
  await bookLoss(store.tables, deliveryRow({ orderId: ORDER, line: 1 }), 7);
  expect(await owed()).toEqual(['loss 1: 250000000: Delivered after its refund.']);
  expect(await store.tables.refunds.ofOrder(ORDER)).toMatchObject([coin]);
});

it('the payments of an order are those of its refunds, not of its losses', async () => {
  await known('one', 20);
  await known('loss', 40, 'loss');
  expect(await store.tables.payouts.ofOrder(ORDER)).toMatchObject([
    { refundId: 'one', state: 'open' },
  ]);
});

describe('an order that ended unpaid is Refunded', () => {
  const ended = async (orderState: PartnerOrderRow['orderState'], sent: readonly number[]) => {
    const isDone = orderState === 'Done';
    const paymentState = isDone ? 'PaymentReceived' : 'ExpiredAfterPaymentDetection';
    const row = partnerOrderRow({ orderState, paymentState, receivedAtomic: '50' });
    await store.tables.partnerOrders.insert(row, []);
    for (const amount of sent) {
      await known(`sent ${amount}`, amount);
      const payout = { refundId: `sent ${amount}`, version: 0 };
      await store.tables.payouts.update(payout, { state: 'sent', nextAtMs: null });
    }
    await known('open', 50);
    await store.write((tables) => closeRefunded(tables, ORDER, 7));
    return (await store.tables.partnerOrders.byId(ORDER))?.orderState;
  };

  it.each<[PartnerOrderRow['orderState'], readonly number[], string]>([
    ['Expired', [20, 30], 'Refunded'],
    ['Expired', [20, 29], 'Expired'],
    ['Expired', [], 'Expired'],
    ['Canceled', [51], 'Refunded'],
    ['Done', [20, 30], 'Done'],
  ])('%s, of 50 that it received %j were sent back: %s', async (state, sent, then) => {
    expect(await ended(state, sent)).toBe(then);
  });
});
