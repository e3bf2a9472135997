import { describe, expect, it } from 'vitest';
import {
  acceptedOrder,
  currentAttempt,
  type Entry,
  eventOf,
  fruitlessEnd,
  isDead,
  isFinal,
  isFinished,
  type JournalEvent,
  lastAttempt,
  nextNumber,
  nextStep,
  orderIdOf,
  orderNames,
  sealingWallet,
} from '../../src/domain/journal/journal.ts';
import { anAttempt, anIntent, PAYER } from '../support/journal-records.ts';

const entry = (attempts: number, ...facts: readonly JournalEvent[]): Entry => ({
  intent: anIntent(),
  attempts: Array.from({ length: attempts }, (_, index) => anAttempt(index + 1)),
  facts,
});

const accepted = (attempt: number): JournalEvent => ({
  fact: 'accepted',
  attempt,
  orderId: `cr_${attempt}`,
});
const dead = (attempt: number): JournalEvent => ({ fact: 'dead', attempt, proof: 'expired' });
const landed = (attempt: number): JournalEvent => ({
  fact: 'landed',
  attempt,
  transaction: 'tx',
  slot: 1,
});
const goods = (attempt: number): JournalEvent => ({
  fact: 'goods',
  attempt,
  status: 'completed',
  sealed: '',
});
const closed: JournalEvent = { fact: 'closed', reason: 'declined' };
const attention: JournalEvent = { fact: 'attention', reason: 'paid, no order' };

describe('what happens next', () => {
  it.each<[string, Entry, string]>([
    ['nothing was signed', entry(0), 'challenge'],
    ['nothing was signed and it was given up', entry(0, closed), 'finished'],
    ['a payment may be under way', entry(1), 'settle'],
    ['a payment landed without an order', entry(1, landed(1)), 'settle'],
    ['an order is known', entry(1, accepted(1)), 'follow'],
    ['an order is known and paid', entry(1, accepted(1), landed(1)), 'follow'],
    ['the payment is dead', entry(1, dead(1)), 'challenge'],
    ['an accepted payment is dead', entry(1, accepted(1), dead(1)), 'challenge'],
    ['dead and given up', entry(1, dead(1), closed), 'finished'],
    ['given up first, paid after all', entry(1, closed), 'settle'],
    ['the second payment is under way', entry(2, accepted(1), dead(1)), 'settle'],
    ['the second is accepted', entry(2, dead(1), accepted(2)), 'follow'],
    ['the goods are here', entry(1, goods(1)), 'finished'],
    ['the goods are here, whatever else was found', entry(1, dead(1), goods(1)), 'finished'],
    ['paid and refused', entry(1, landed(1), attention), 'attention'],
  ])('%s', (_name, before, step) => {
    expect(nextStep(before)).toBe(step);
    expect(isFinished(before)).toBe(step === 'finished');
  });
});

describe('an order of the partner API', () => {
  const PARTNER = { coin: 'USDC', network: 'Solana', decimals: 6, refundAddress: null } as const;
  const created: JournalEvent = { fact: 'created', orderId: 'p_1', order: '{}' };
  const refunded: JournalEvent = { fact: 'refunded' };
  const ended = (reason: string): JournalEvent => ({ fact: 'closed', reason });
  const of = (before: Entry, topUpOf?: string): Entry => {
    const partner = topUpOf === undefined ? PARTNER : { ...PARTNER, topUpOf };
    return { ...before, intent: { ...before.intent, partner } };
  };

  it.each<[string, Entry, string, boolean]>([
    ['paid, and open', of(entry(1, created, landed(1))), 'settle', false],
    ['delivered', of(entry(1, created, landed(1), goods(1))), 'finished', true],
    ['ended before its payment landed', of(entry(1, created, ended('Expired'))), 'settle', false],
    ['ended and paid', of(entry(1, created, ended('Expired'), landed(1))), 'finished', true],
    [
      'ended and paid by an earlier attempt that is dead',
      of(entry(2, created, ended('Expired'), dead(1), landed(1))),
      'settle',
      false,
    ],
    ['refunded and paid', of(entry(1, created, landed(1), refunded)), 'finished', true],
    ['ended with goods to come', of(entry(1, created, landed(1), ended('Done'))), 'settle', false],
    ['refused at its creation', of(entry(1, landed(1), ended('Expired'))), 'settle', false],
    ['ended, and nothing signed', of(entry(0, created, ended('Canceled'))), 'finished', false],
    ['a further payment that landed', of(entry(1, landed(1)), 'p_0'), 'finished', false],
    ['a further payment under way', of(entry(1), 'p_0'), 'settle', false],
    ['paid in one payment, which landed', of(entry(1, landed(1))), 'settle', false],
  ])('%s', (_name, before, step, isLast) => {
    expect([nextStep(before), isFinal(before)]).toEqual([step, isLast]);
  });

  it.each([
    ['Canceled', 'canceled'],
    ['Expired', 'expired'],
    ['Refunded', 'refunded'],
    ['PaymentSetupFailed', 'failed'],
    ['Done', undefined],
  ])('that ended as %s is %s', (reason, end) => {
    expect(fruitlessEnd(entry(0, created, ended(reason)))).toBe(end);
    expect(fruitlessEnd(entry(0, created, ended(reason), refunded))).toBe('refunded');
    expect(fruitlessEnd(entry(0, ended(reason), refunded))).toBeUndefined();
    expect(fruitlessEnd(entry(0, created))).toBeUndefined();
  });

  it('is known by the id of its creation, until it is accepted under another', () => {
    expect(orderIdOf(entry(0, created))).toBe('p_1');
    expect(orderIdOf(entry(1, created, accepted(1)))).toBe('cr_1');
    expect(orderIdOf(entry(1))).toBeUndefined();
  });
});

describe('the id of an order', () => {
  const { intentId } = anIntent();
  it.each([
    ['cr_1', 'cr_1', null],
    ['a'.repeat(128), 'a'.repeat(128), null],
    ['a'.repeat(129), intentId, 'a'.repeat(129)],
    ['--yes', intentId, '--yes'],
    ['a b', intentId, 'a b'],
    ['', null, null],
    [null, null, null],
    [undefined, null, null],
  ])('%s is shown as %s', (id, orderId, merchantId) => {
    expect(orderNames(anIntent(), id)).toEqual({ orderId, merchantOrderId: merchantId });
  });
});

describe('codes', () => {
  it.each([
    ['by the wallet of the entry', goods(1), PAYER],
    ['by the wallet that sealed them', { ...goods(1), wallet: 'other' } as JournalEvent, 'other'],
    ['by the wallet of the entry, before there are any', accepted(1), PAYER],
  ])('are opened %s', (_what, event, wallet) => {
    expect(sealingWallet(entry(1, accepted(1), event))).toBe(wallet);
  });
});

describe('attempts', () => {
  it('the last one counts until it is dead', () => {
    expect(currentAttempt(entry(2, dead(1)))?.number).toBe(2);
    expect(currentAttempt(entry(2, dead(1), dead(2)))).toBeUndefined();
    expect(isDead(entry(2, dead(1)), anAttempt(1))).toBe(true);
    expect(isDead(entry(2, dead(1)), anAttempt(2))).toBe(false);
  });

  it('the last one is the one with the highest number, in whatever order they were read', () => {
    const attempts = [2, 3, 1].map((number) => anAttempt(number));
    const read: Entry = { ...entry(0), attempts };
    expect([lastAttempt(read)?.number, nextNumber(read)]).toEqual([3, 4]);
    expect([lastAttempt(entry(0)), nextNumber(entry(0))]).toEqual([undefined, 1]);
  });

  it('an order of a dead attempt is not the order', () => {
    expect(acceptedOrder(entry(2, accepted(1), dead(1)))).toBeUndefined();
    expect(acceptedOrder(entry(2, accepted(1), dead(1), accepted(2)))?.orderId).toBe('cr_2');
  });

  it('facts are found by kind and attempt', () => {
    const both = entry(2, accepted(1), dead(1), accepted(2));
    expect(eventOf(both, 'accepted', 2)?.orderId).toBe('cr_2');
    expect(eventOf(both, 'landed')).toBeUndefined();
  });
});
