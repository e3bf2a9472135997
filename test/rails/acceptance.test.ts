import { describe, expect, test } from 'vitest';
import { createRecentChecks } from '../../src/rails/solana/acceptance.ts';

const ONE = { messageHash: 'one', source: 'account' };
const SAME_ACCOUNT = { messageHash: 'two', source: 'account' };
const OTHER_ACCOUNT = { messageHash: 'three', source: 'other account' };

describe('a payment that the chain accepted', () => {
  function opened() {
    const clock = { atMs: 0, now: () => clock.atMs };
    return { clock, recent: createRecentChecks(clock) };
  }

  test('is not asked about again within a block', () => {
    const { clock, recent } = opened();
    recent.start(ONE)();
    clock.atMs = 399;
    expect(recent.take(ONE)).toBe(true);
  });

  test.each([400, -1])('is asked about again %s ms later', (laterMs) => {
    const { clock, recent } = opened();
    recent.start(ONE)();
    clock.atMs = laterMs;
    expect(recent.take(ONE)).toBe(false);
  });

  test('is asked about if the chain had not answered', () => {
    const { recent } = opened();
    recent.start(ONE);
    expect(recent.take(ONE)).toBe(false);
  });

  test('is asked about again once another payment of its account was taken', () => {
    const { recent } = opened();
    for (const payment of [ONE, SAME_ACCOUNT, OTHER_ACCOUNT]) recent.start(payment)();
    expect(recent.take(ONE)).toBe(true);
    expect(recent.take(SAME_ACCOUNT)).toBe(false);
    expect(recent.take(OTHER_ACCOUNT)).toBe(true);
  });

  test('is asked about again if another of its account was taken while the chain was asked', () => {
    const { recent } = opened();
    const accepted = recent.start(ONE);
    recent.take(SAME_ACCOUNT);
    accepted();
    expect(recent.take(ONE)).toBe(false);
  });

  test('is asked about again after very many others', () => {
    const { recent } = opened();
    recent.start(ONE)();
    const accepted = recent.start(SAME_ACCOUNT);
    for (let other = 0; other <= 1_000; other += 1) {
      recent.take({ messageHash: `${other}`, source: `${other}` });
    }
    accepted();
    expect(recent.take(ONE)).toBe(false);
    expect(recent.take(SAME_ACCOUNT)).toBe(false);
  });
});
