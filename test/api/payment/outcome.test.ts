/** What a purchase ends with: the payment's transaction, the evidence, and the merchant's words. */
import { describe, expect, it } from 'vitest';
import {
  bundleOf,
  delivered,
  failed,
  failureReason,
  paidText,
  paymentSummary,
} from '../../../src/api/payment/outcome.ts';
import type { Entry, JournalEvent } from '../../../src/domain/journal/journal.ts';
import { anAttempt, anIntent } from '../../support/journal-records.ts';

function entry(facts: readonly JournalEvent[] = [], intent = anIntent()): Entry {
  return { intent, attempts: [anAttempt()], facts };
}

const LANDED = { fact: 'landed', attempt: 1, transaction: 'tx-landed', slot: 7 } as const;
const ACCEPTED = { fact: 'accepted', attempt: 1, orderId: 'cr_1', transaction: 'tx-told' } as const;
const NAMED = { fact: 'named', attempt: 1, transaction: 'tx-named' } as const;

describe('the transaction of a payment', () => {
  it.each([
    ['on the chain, finally', [NAMED, ACCEPTED, LANDED], 'tx-landed'],
    ['as the merchant reports it', [NAMED, ACCEPTED], 'tx-told'],
    ['as the chain names it', [NAMED], 'tx-named'],
    ['where it was adopted', [], 'tx-adopted'],
  ] as const)('is the one %s', (_what, facts, transaction) => {
    const attempt = anAttempt(1, { foundIn: 'tx-adopted' });
    expect(paymentSummary(entry(facts), attempt)).toMatchObject({
      ...{ transaction, isFinalized: transaction === 'tx-landed' },
    });
  });

  it('is none where nobody knows it', () => {
    expect(paymentSummary(entry(), anAttempt()).transaction).toBeNull();
  });
});

describe('the evidence for a merchant', () => {
  it('has the slot, the order and the digest of its request', async () => {
    const attempt = anAttempt();
    expect(await bundleOf({ entry: entry([ACCEPTED, LANDED]), attempt })).toMatchObject({
      ...{ order_id: 'cr_1', transaction: 'tx-landed', slot: 7 },
      body_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('has neither where both are lost', async () => {
    const lost = entry([], anIntent({ body: '' }));
    expect(await bundleOf({ entry: lost, attempt: anAttempt() })).toMatchObject({
      ...{ order_id: null, slot: null, body_sha256: null },
    });
  });
});

describe('an order', () => {
  const order = { order_id: 'cr_1', status: 'completed' } as const;
  const lines = (...more: object[]) => ({ ...order, deliveries: more }) as never;

  it('that is delivered without a code says so', () => {
    const code = { delivery_state: 'completed', voucher_code: 'A-1' };
    expect(delivered(entry(), lines(code))).toMatchObject({ code: null });
    expect(delivered(entry(), lines({ delivery_state: 'completed' }))).toMatchObject({
      code: 'CODES_MISSING',
    });
  });

  it('that was given up keeps its lines', () => {
    const line = { delivery_state: 'failed', failure_reason: 'out of stock' };
    expect(failed(lines(line))).toMatchObject({ kind: 'failed', deliveries: [line] });
    expect(failed({ ...order, status: 'failed' } as never)).toMatchObject({ deliveries: [] });
  });

  it.each([
    [['out of stock', 'no such account'], 'failed', 'out of stock; no such account'],
    [[], 'expired', 'it expired'],
    [[], 'failed', 'the merchant gives no reason'],
  ])('that was given up for %o, %s, is explained', (reasons, status, words) => {
    const deliveries = reasons.map((failure_reason) => ({ failure_reason }));
    expect(String(failureReason({ ...order, status, deliveries } as never))).toBe(words);
    if (reasons.length === 0) {
      expect(String(failureReason({ ...order, status } as never))).toBe(words);
    }
  });
});

it.each([
  ['abcdefgh', 1_234, 'Paid 25.25 USDC  abcd…  1.2 s'],
  ['abcdefgh', 0, 'Paid 25.25 USDC  abcd…  0.0 s'],
  ['abcdefgh', 119_999, 'Paid 25.25 USDC  abcd…  120.0 s'],
  ['abcdefgh', 120_000, 'Paid 25.25 USDC  abcd…'],
  ['abcdefgh', -1, 'Paid 25.25 USDC  abcd…'],
  [undefined, 5_000, 'Paid 25.25 USDC  5.0 s'],
] as const)('a payment %s that took %d ms reads "%s"', (transaction, tookMs, text) => {
  expect(paidText({ amount: '25.25 USDC', transaction }, tookMs)).toEqual(text);
});
