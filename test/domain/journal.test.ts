import { describe, expect, it } from 'vitest';
import {
  acceptedOrder,
  currentAttempt,
  type Entry,
  eventOf,
  isDead,
  isFinished,
  type JournalEvent,
  lastAttempt,
  nextNumber,
  nextStep,
} from '../../src/domain/journal.ts';
import { anAttempt, anIntent } from '../support/journal-records.ts';

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
