import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/domain/journal/journal.ts';
import {
  type CartLineInput,
  capsWithin,
  heldOrders,
  itemsOf,
  shareOut,
  splitItems,
} from '../../src/domain/product/cart-items.ts';
import { anAttempt } from '../support/journal-records.ts';

const line = fc.record<CartLineInput>({
  productId: fc.constantFrom('p1', 'p2'),
  value: fc.constantFrom(undefined, '5', '10'),
  to: fc.constantFrom('a@example.com', 'b@example.com'),
  note: fc.constantFrom(undefined, 'May'),
  quantity: fc.integer({ min: 1, max: 4 }),
});
const lines = fc.array(line, { maxLength: 30 });
const identities = (list: readonly CartLineInput[]) => itemsOf(list).flat();

describe('items of a cart', () => {
  it('are all told apart, one for each of the quantity', () => {
    fc.assert(
      fc.property(lines, (list) => {
        const ids = identities(list);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toHaveLength(list.reduce((sum, { quantity }) => sum + quantity, 0));
      }),
    );
  });

  it('are the same whatever the order of the lines, and lines joined or split', () => {
    fc.assert(
      fc.property(lines, (list) => {
        const split = list
          .toReversed()
          .flatMap((one) => Array.from({ length: one.quantity }, () => ({ ...one, quantity: 1 })));
        expect(identities(split).toSorted()).toEqual(identities(list).toSorted());
      }),
    );
  });

  it('of an edited line are new, and the others stay', () => {
    const one = { productId: 'p1', value: '5', to: 'a@example.com', note: undefined, quantity: 1 };
    const other = { ...one, to: 'b@example.com' };
    for (const edit of [
      { value: '6' },
      { to: 'c@example.com' },
      { note: 'May' },
      { productId: 'p2' },
    ]) {
      const [first, second] = identities([one, other]);
      const [edited, kept] = identities([{ ...one, ...edit }, other]);
      expect(edited).not.toBe(first);
      expect(kept).toBe(second);
    }
  });
});

describe('orders of a cart', () => {
  it('hold at most ten of one kind, every item once and in order', () => {
    const kinds = fc.array(fc.constantFrom('us', 'de', 'br'), { maxLength: 120 });
    fc.assert(
      fc.property(kinds, (list) => {
        const items = list.map((kind, at) => ({ kind, at }));
        const groups = splitItems(items, { size: 10, kindOf: ({ kind }) => kind });
        expect(groups.flat().toSorted((one, other) => one.at - other.at)).toEqual(items);
        for (const group of groups) {
          expect(group.length).toBeLessThanOrEqual(10);
          expect(new Set(group.map(({ kind }) => kind)).size).toBe(1);
          expect(group).toEqual(group.toSorted((one, other) => one.at - other.at));
        }
      }),
    );
  });

  it('cost together no more than the budget, and each no less than its quote', () => {
    const quotes = fc.array(fc.bigInt({ min: 1n, max: 10n ** 9n }), {
      minLength: 1,
      maxLength: 50,
    });
    fc.assert(
      fc.property(quotes, fc.bigInt({ min: 0n, max: 10n ** 9n }), (list, spare) => {
        const total = list.reduce((sum, quote) => sum + quote, 0n);
        const usual = list.map((quote) => (quote * 10_050n) / 10_000n);
        const caps = capsWithin(list, usual, total + spare);
        expect(caps.reduce((sum, cap) => sum + cap, 0n) <= total + spare).toBe(true);
        expect(caps.every((cap, at) => cap >= (list[at] ?? 0n))).toBe(true);
      }),
    );
  });

  it('share what was paid without a rest', () => {
    const prices = fc.array(fc.bigInt({ min: 0n, max: 10n ** 9n }), {
      minLength: 1,
      maxLength: 10,
    });
    fc.assert(
      fc.property(prices, fc.bigInt({ min: 0n, max: 10n ** 10n }), (list, paid) => {
        expect(shareOut(paid, list).reduce((sum, share) => sum + share, 0n)).toBe(paid);
      }),
    );
  });
});

describe('an order of an earlier run', () => {
  const place = { scope: 'May', host: 'embedded:sandbox' };
  const entry = (
    more: Partial<Pick<Entry, 'attempts' | 'facts'>>,
    at: typeof place = place,
  ): Entry => ({
    intent: {
      ...{ version: 1, intentId: 'i', key: 'k', network: 'n', payer: 'p', body: '{}' },
      ...{ capAtomic: '1', quotedAtomic: '1', createdAtMs: 0, host: at.host },
      summary: {
        ...{ productId: '', productName: '', brandName: '', countryCode: '' },
        ...{ faceValue: '', currency: '', beneficiary: '' },
      },
      cart: { scope: at.scope, items: ['x'], pricesAtomic: ['1'] },
    },
    attempts: [],
    facts: [],
    ...more,
  });
  const attempt = anAttempt();
  const signed = { attempts: [attempt] };

  it.each<[string, Entry, number]>([
    ['never signed holds nothing', entry({}), 0],
    ['signed holds its items', entry(signed), 1],
    [
      'proven dead holds nothing',
      entry({ ...signed, facts: [{ fact: 'dead', attempt: 1, proof: '' }] }),
      0,
    ],
    [
      'delivered holds them',
      entry({ facts: [{ fact: 'goods', attempt: 1, status: 'completed', sealed: '' }] }),
      1,
    ],
    ['of another name holds nothing here', entry(signed, { ...place, scope: '' }), 0],
    ['at another host holds nothing here', entry(signed, { ...place, host: 'https://x' }), 0],
  ])('%s', (_what, known, count) => {
    expect(heldOrders([known], place)).toHaveLength(count);
  });
});
