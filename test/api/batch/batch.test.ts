/** The orders of a cart, by a merchant of the test: waits, ends, and what befalls the next one too. */
import { describe, expect, it } from 'vitest';
import { type BatchOrder, placeOrders } from '../../../src/api/batch/batch.ts';
import type { Bought, Quote } from '../../../src/api/merchant.ts';
import { itemResults } from '../../../src/cli/batch/results.ts';
import type { Entry } from '../../../src/domain/journal/journal.ts';
import { type Code, ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import type { PurchaseStatus } from '../../../src/domain/order/order-states.ts';

type End = ScripError | Bought;

function bought(status: PurchaseStatus, code?: Code): Bought {
  const error = code && new ScripError(code, t`so it went`);
  const payment = { amountAtomic: atomic(10n), transaction: 'tx' };
  const receipt = { status, orderId: 'cr_1', payment, deliveries: [] };
  return { document: { form: 'receipt', receipt }, error, isBoughtBefore: false } as never;
}

const PRICE = { text: '10', atomic: atomic(10n), capAtomic: atomic(11n), decimals: 6 };
const OFFER = { body: { items: [] }, price: PRICE } as unknown as Quote;

/** @param script the ends of each order, in turn */
async function buy(script: readonly (readonly End[])[], { concurrency = 1 } = {}) {
  const waits: number[] = [];
  const done: number[] = [];
  const tries = new Map<string, number>();
  const orders: BatchOrder<object>[] = script.map((_, at) => ({
    offer: OFFER,
    terms: {
      ...{ key: `order-${at}`, allowsDuplicate: true, opensAccount: false, isWaiting: true },
      timeouts: { waitMs: 0, settleMs: undefined },
    },
  }));
  const results = await placeOrders(
    {
      place: async (_, { key = '' }) => ({ entry: { intent: { key } } as unknown as Entry }),
      pay: async ({ entry }) => {
        const { key } = entry.intent;
        const tried = tries.get(key) ?? 0;
        tries.set(key, tried + 1);
        const end = script[Number(key.split('-')[1])]?.[tried];
        if (end === undefined || end instanceof ScripError) throw end;
        return end;
      },
    },
    orders,
    {
      concurrency,
      clock: { now: () => 0, sleep: async (ms) => void waits.push(ms) },
      stop: new AbortController().signal,
      onResult: (index) => done.push(index),
    },
  );
  return { results, waits, done };
}

const busy = (ms: number) =>
  new ScripError('RATE_LIMITED', t`slower`, { details: { retry_after_ms: ms } });

describe('the orders of a cart', () => {
  it('are waited for as long as the merchant asks, and bought then', async () => {
    const { results, waits } = await buy([[busy(700), busy(900), bought('completed')]]);
    expect(results).toMatchObject([{ kind: 'bought' }]);
    expect(waits).toEqual([700, 900]);
  });

  it('are placed and paid on, though one of them fails', async () => {
    const { results, done } = await buy([
      [bought('failed', 'ORDER_FAILED')],
      [new ScripError('PAYMENT_REFUSED', t`no`)],
      [bought('completed')],
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(['bought', 'error', 'bought']);
    expect(done).toEqual([0, 1, 2]);
  });

  it.each([
    ['thrown', new ScripError('FUNDS_TOO_LOW', t`nothing left`), 'FUNDS_TOO_LOW'],
    ['of a payment whose fate is unknown', bought('unknown', 'OUTCOME_UNKNOWN'), 'OUTCOME_UNKNOWN'],
    ['of goods that do not come', bought('attention', 'ATTENTION_NEEDED'), 'ATTENTION_NEEDED'],
  ])('are left, after an end %s', async (_, end, code) => {
    const { results } = await buy([[end], [bought('completed')]]);
    expect(results[1]).toMatchObject({ kind: 'left', cause: { code } });
  });

  it.each([
    ['attention', 'ATTENTION_NEEDED', 10n],
    ['unknown', 'OUTCOME_UNKNOWN', 10n],
    ['unpaid', 'PAYMENT_REFUSED', null],
  ] as const)('are told with order, payment and error: %s', async (status, code, amountAtomic) => {
    const {
      results: [result],
    } = await buy([[bought(status, code)]]);
    const items = itemResults(
      {
        items: ['a'],
        pricesAtomic: [atomic(10n)],
        isHeld: false,
        offer: { ...OFFER, body: { items: [{ beneficiary_account: 'a@example.com' }] } },
      } as never,
      result ?? { kind: 'left', cause: undefined },
    );
    expect(items.get('a')).toMatchObject({
      ...{ status, amountAtomic, orderId: 'cr_1', transaction: 'tx' },
      error: { code },
    });
  });
});
