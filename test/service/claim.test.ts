/** Which settlement a payment finds, what it writes, and what it locks before it reads. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import type { Checkout } from '../../src/service/checkout/challenge.ts';
import { claim, findAgain, findNamed } from '../../src/service/checkout/claim.ts';
import type { Payment } from '../../src/service/checkout/payment-header.ts';
import { isRefusal, type Refusal } from '../../src/service/http/replies.ts';
import type { Store } from '../../src/store/store.ts';
import type { SettlementRow } from '../../src/store/tables/settlements.ts';
import { type EmptyStore, emptyStore } from '../support/engines.ts';
import { manualClock } from '../support/manual-clock.ts';
import { random } from '../support/random.ts';
import { GOODS } from '../support/sold-line.ts';
import { sessionRow, settlementRow } from '../support/store-suite.ts';

const ORDER = { email: 'ann@example.com', items: [] };
const LOOKED_FOR = sessionRow({ sessionId: 'one', lines: JSON.stringify([GOODS]) });
const REQUIREMENT = {
  ...{ scheme: 'exact' as const, network: SOLANA_MAINNET, amount: '1' },
  ...{ asset: USDC_MINT, payTo: LOOKED_FOR.payTo },
} as const;
const OTHER = sessionRow({ sessionId: 'two', destination: 'account-2' });

let opened: EmptyStore;
beforeEach(async () => {
  opened = await emptyStore('SQLite');
  await opened.store.write(async ({ sessions }) => {
    for (const session of [LOOKED_FOR, OTHER]) await sessions.insert(session);
  });
});
afterEach(() => opened.remove());

function payment(over: Partial<Payment> = {}): Payment {
  return {
    payload: { x402Version: 2, payload: { transaction: 'AQ==' } },
    facts: { messageHash: 'message-1', payer: 'payer-1', source: 'source-1', payload: {} },
    sessionIds: ['one'],
    paymentId: 'name-1',
    ...over,
  } as Payment;
}

function settled(over: Partial<SettlementRow> = {}): Promise<SettlementRow> {
  const row = settlementRow({ sessionId: 'one', ...over });
  return opened.store.write(async ({ settlements }) => {
    await settlements.insert(row);
    return row;
  });
}

function checkout(store: Store = opened.store): Checkout {
  return { store, clock: manualClock(), random } as unknown as Checkout;
}

const outcome = (found: SettlementRow | Refusal | undefined) =>
  found !== undefined && isRefusal(found) ? found.refusal : found;

describe('the settlement of a name', () => {
  const named = async (of: Payment) =>
    outcome(await findNamed(opened.store.tables, of, LOOKED_FOR.bodyHash));
  const unseen = { ...payment().facts, messageHash: 'message-3' };

  it('is found for a payment without a session that nothing else was paid with', async () => {
    const row = await settled({ paymentId: 'name-1' });
    expect(await named(payment({ facts: unseen, sessionIds: [] }))).toEqual(row);
  });

  it('is none of a payment whose session has another settlement', async () => {
    await settled({
      sessionId: 'two',
      orderId: 'order-2',
      messageHash: 'message-2',
      paymentId: 'name-1',
    });
    await settled();
    expect(await named(payment({ facts: unseen }))).toBe('payment_identifier_mismatch');
  });
});

describe('a payment that is shown again', () => {
  /** Its store takes no writes. */
  const unwritten = (read: SettlementRow | undefined, over: Partial<Payment>) => {
    const store: Store = { ...opened.store, write: () => Promise.reject(new Error('a write')) };
    return findAgain(checkout(store), LOOKED_FOR, payment(over), read);
  };

  it('writes nothing where there is nothing to name', async () => {
    const row = await settled({ paymentId: 'name-1' });
    const foreign = { ...row, sessionId: 'two' };
    expect(await unwritten(undefined, {})).toBeUndefined();
    expect(await unwritten(row, {})).toEqual(row);
    expect(await unwritten(row, { paymentId: null })).toEqual(row);
    expect(outcome(await unwritten(foreign, { paymentId: 'name-2' }))).toBe('duplicate_settlement');
  });

  it('gets its name once, and not one that another payment has', async () => {
    const row = await settled();
    await settled({
      ...{ sessionId: 'two', orderId: 'order-2', messageHash: 'message-2', paymentId: 'name-2' },
    });
    const again = (paymentId: string) =>
      findAgain(checkout(), LOOKED_FOR, payment({ paymentId }), row);
    expect(outcome(await again('name-2'))).toBe('payment_identifier_mismatch');
    expect(await again('name-1')).toEqual({ ...row, paymentId: 'name-1' });
  });
});

describe('a claim', () => {
  it('makes the order, its lines and its first event', async () => {
    const claimed = await claim(checkout(), ORDER, {
      session: LOOKED_FOR,
      payment: payment(),
      requirement: REQUIREMENT,
    });
    if (isRefusal(claimed)) throw new Error('it should be taken');
    const { orderId } = claimed.settlement;
    const { orders, deliveries, orderEvents } = opened.store.tables;
    expect(await orders.byId(orderId)).toMatchObject({ status: 'processing', sessionId: 'one' });
    expect(await deliveries.ofOrder(orderId)).toMatchObject([{ state: 'waiting', goods: GOODS }]);
    expect(await orderEvents.since(orderId, 0)).toMatchObject([
      { body: '{"status":"processing"}' },
    ]);
  });
});

describe('before it reads', () => {
  /** Names that are taken and reads of settlements, in order. */
  function watched(): { readonly did: string[]; readonly store: Store } {
    const did: string[] = [];
    const write: Store['write'] = (work, options) =>
      opened.store.write((tables) => {
        const settlements = new Proxy(tables.settlements, {
          get: (target, name) => {
            did.push('read');
            return Reflect.get(target, name);
          },
        });
        const take: typeof tables.holds.take = async (...names) => {
          did.push(...names);
          return tables.holds.take(...names);
        };
        return work({ ...tables, settlements, holds: { ...tables.holds, take } });
      }, options);
    return { did, store: { ...opened.store, write } };
  }

  it.each([
    ['name-1', ['payment name-1', 'session one', 'message message-1', 'read']],
    [null, ['session one', 'message message-1', 'read']],
  ])('a claim under the name %s takes what has one settlement', async (paymentId, first) => {
    const { did, store } = watched();
    await claim(checkout(store), ORDER, {
      session: LOOKED_FOR,
      payment: payment({ paymentId }),
      requirement: REQUIREMENT,
    });
    expect(did.slice(0, first.length)).toEqual(first);
  });

  it('the naming of a payment takes its name and its session', async () => {
    const row = await settled();
    const { did, store } = watched();
    await findAgain(checkout(store), LOOKED_FOR, payment(), row);
    expect(did.slice(0, 3)).toEqual(['payment name-1', 'session one', 'read']);
  });
});
