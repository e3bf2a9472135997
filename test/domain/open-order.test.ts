import { describe, expect, it } from 'vitest';
import type { Entry, Intent, JournalEvent } from '../../src/domain/journal/journal.ts';
import { openOrders } from '../../src/domain/order/open-order.ts';
import { anAttempt, anIntent } from '../support/journal-records.ts';

const PARTNER = { coin: 'USDC', network: 'Solana', decimals: 6, refundAddress: null } as const;

const entry = (
  attempts: number,
  facts: readonly JournalEvent[],
  intent: Partial<Intent> = {},
): Entry => ({
  intent: { ...anIntent(), ...intent },
  attempts: Array.from({ length: attempts }, (_, index) => anAttempt(index + 1)),
  facts,
});
const accepted: JournalEvent = { fact: 'accepted', attempt: 1, orderId: 'cr_1' };
const created: JournalEvent = { fact: 'created', orderId: 'p_1', order: '{}' };
const landed: JournalEvent = { fact: 'landed', attempt: 1, transaction: 'tx', slot: 1 };
const goods: JournalEvent = { fact: 'goods', attempt: 1, status: 'completed', sealed: '' };
const partner = { partner: PARTNER };

describe('open is', () => {
  it.each<[string, Entry, readonly string[], number]>([
    ['an order that was accepted', entry(1, [accepted]), ['cr_1'], 0],
    ['an order that was made and not paid', entry(0, [created], partner), ['p_1'], 0],
    ['an order that was made and paid', entry(1, [created, landed], partner), ['p_1'], 0],
    ['no purchase that nothing was signed for', entry(0, []), [], 0],
    ['no order that is delivered', entry(1, [accepted, goods]), [], 0],
    [
      'no order that ended',
      entry(0, [created, { fact: 'closed', reason: 'Expired' }], partner),
      [],
      0,
    ],
    [
      'no order that was given up to support',
      entry(1, [accepted, { fact: 'attention', reason: 'late' }]),
      [],
      0,
    ],
    ['no payment without an order, which is counted', entry(1, []), [], 1],
    [
      'no further payment of an order',
      entry(1, [], { partner: { ...PARTNER, topUpOf: 'p_1' } }),
      [],
      0,
    ],
  ])('%s', (_name, one, ids, withoutOrder) => {
    const open = openOrders([one]);
    expect(open.orders.map(({ orderId }) => orderId)).toEqual(ids);
    expect(open.withoutOrder).toBe(withoutOrder);
  });

  it('each order once, in the order of the journal', () => {
    const other: JournalEvent = { fact: 'accepted', attempt: 1, orderId: 'cr_0' };
    const { orders } = openOrders([entry(1, [accepted]), entry(1, [other]), entry(1, [accepted])]);
    expect(orders.map(({ orderId }) => orderId)).toEqual(['cr_1', 'cr_0']);
  });
});
