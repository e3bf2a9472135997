import { describe, expect, it } from 'vitest';
import { SOLANA_MAINNET as NETWORK } from '../../src/contract/usdc.ts';
import type { Entry, JournalEvent } from '../../src/domain/journal/journal.ts';
import { atomic } from '../../src/domain/money/money.ts';
import {
  expectedTransactions,
  historyOf,
  knownTransactions,
  type Outflow,
  type Reservation,
} from '../../src/domain/policy/spend-log.ts';
import { anAttempt, anIntent } from '../support/journal-records.ts';

const NOW = 1_800_000_000_000;
const AMOUNT = 25_250_000n;
const entry = (facts: readonly JournalEvent[], attempts = 1, over = {}): Entry => ({
  intent: anIntent(over),
  attempts: Array.from({ length: attempts }, (_, index) => anAttempt(index + 1)),
  facts,
});
const held = (over: Partial<Reservation> = {}): Reservation => ({
  number: 1,
  intentId: 'intent-1',
  attempt: 1,
  merchant: 'https://checkout.example',
  amountAtomic: '7000000',
  atMs: NOW,
  owner: { pid: 1, started: '', space: '' },
  ...over,
});
const LANDED: JournalEvent = { fact: 'landed', attempt: 1, transaction: 't', slot: 1 };
const DEAD: JournalEvent = { fact: 'dead', attempt: 1, proof: 'expired' };
const ATTENTION: JournalEvent = { fact: 'attention', reason: 'paid, no order' };
const GOODS: JournalEvent = { fact: 'goods', attempt: 1, status: 'completed', sealed: '' };

describe('what a node has to list', () => {
  const DAY = 24 * 60 * 60 * 1_000;
  const { createdAtMs } = anAttempt(1);
  it.each<[string, readonly JournalEvent[], number, boolean]>([
    ['a payment that has landed today', [LANDED], createdAtMs + DAY / 2, true],
    ['one that has not been seen to land', [GOODS], createdAtMs + DAY / 2, false],
    ['one of the day before', [LANDED], createdAtMs + 2 * DAY, false],
    ['one that a wrong clock dated years ahead', [LANDED], createdAtMs - 365 * DAY, false],
    ['one of eleven minutes after the day began', [LANDED], createdAtMs + DAY - 11 * 60_000, true],
    ['one of ten minutes after the day began', [LANDED], createdAtMs + DAY - 10 * 60_000, false],
    ['one that is dated ten minutes ahead', [LANDED], createdAtMs - 10 * 60_000, true],
    ['one that is dated further ahead', [LANDED], createdAtMs - 10 * 60_000 - 1, false],
  ])('%s', (_what, facts, nowMs, isExpected) => {
    const expected = expectedTransactions([entry(facts)], NETWORK, { sinceMs: nowMs - DAY, nowMs });
    expect([...expected]).toEqual(isExpected ? ['t'] : []);
  });
});

it('a node has to list nothing that was paid on another network', () => {
  const { intent, ...rest } = entry([LANDED]);
  const elsewhere = { ...rest, intent: { ...intent, network: 'eip155:8453' } };
  const span = { sinceMs: undefined, nowMs: NOW };
  expect([...expectedTransactions([elsewhere], NETWORK, span)]).toEqual([]);
  expect([...expectedTransactions([elsewhere], 'eip155:8453', span)]).toEqual(['t']);
});

it('a node has to list all that ever landed, where no time is named', () => {
  for (const nowMs of [0, NOW]) {
    const expected = expectedTransactions([entry([LANDED])], NETWORK, {
      sinceMs: undefined,
      nowMs,
    });
    expect([...expected]).toEqual(['t']);
  }
});

describe('what counts against the limits', () => {
  const sum = (
    entries: readonly Entry[],
    reserved: readonly Reservation[],
    own?: { intentId: string; attempt: number },
  ) => {
    const { spent, openIntents } = historyOf({ entries, held: reserved, nowMs: NOW, own });
    return [spent.reduce((all, one) => all + one.amountAtomic, 0n), openIntents];
  };

  it.each<[string, readonly Entry[], readonly Reservation[], bigint, number]>([
    ['nothing', [], [], 0n, 0],
    ['an intent alone', [entry([], 0)], [], 0n, 0],
    ['a payment under way', [entry([])], [], AMOUNT, 1],
    ['one that landed', [entry([LANDED])], [], AMOUNT, 0],
    ['one that brought the goods', [entry([GOODS])], [], AMOUNT, 0],
    ['one that is dead', [entry([DEAD])], [], 0n, 0],
    ['the one after it', [entry([DEAD], 2)], [], AMOUNT, 1],
    ['a reservation', [], [held()], 7_000_000n, 1],
    ['a reservation and its payment, once', [entry([])], [held()], AMOUNT, 1],
    ['a reservation whose payment is dead', [entry([DEAD])], [held()], 0n, 0],
    [
      'two of one payment: the larger',
      [],
      [held(), held({ number: 2, amountAtomic: '9' })],
      7_000_000n,
      1,
    ],
    ['a reservation of a day ago: nothing', [], [held({ atMs: NOW - 86_400_000 })], 0n, 0],
    ['a reservation of a cart, which its orders reserve', [], [held({ attempt: 0 })], 0n, 0],
    [
      'two of one payment that are alike',
      [],
      [held(), held({ number: 2, merchant: 'other' })],
      7_000_000n,
      1,
    ],
    [
      'two of one payment, in the order of their amounts',
      [],
      [held({ amountAtomic: '9' }), held({ number: 2 })],
      7_000_000n,
      1,
    ],
    ['one that only a person can settle', [entry([ATTENTION])], [], AMOUNT, 0],
    [
      'an order of the partner API in USDC',
      [
        entry([], 1, {
          partner: { coin: 'USDC', network: 'Solana', decimals: 6, refundAddress: null },
        }),
      ],
      [],
      AMOUNT,
      1,
    ],
    ['two payments', [], [held(), held({ number: 2, attempt: 2 })], 14_000_000n, 2],
    [
      'another coin: not at all',
      [
        entry([LANDED], 1, {
          partner: { coin: 'SOL', network: 'Solana', decimals: 9, refundAddress: null },
        }),
      ],
      [],
      0n,
      0,
    ],
  ])('%s', (_what, entries, reserved, spent, open) => {
    expect(sum(entries, reserved)).toEqual([spent, open]);
  });

  it('the payment that is decided on does not stand in its own way', () => {
    const own = { intentId: 'intent-1', attempt: 1 };
    expect(sum([entry([])], [held()], own)).toEqual([0n, 0]);
    expect(sum([entry([])], [held({ intentId: 'other' })], own)).toEqual([7_000_000n, 1]);
    // Another payment of the same purchase does.
    expect(sum([], [held({ attempt: 2 })], own)).toEqual([7_000_000n, 1]);
  });

  it('what is under way may still be taken from the wallet, until the chain has it', () => {
    const pending = (entries: readonly Entry[], more: object = {}) =>
      historyOf({ entries, held: [held({ intentId: 'other' })], nowMs: NOW, ...more })
        .pendingAtomic;
    const { signature } = anAttempt(1);
    const outflow = (...signatures: readonly string[]) => ({
      ...{ transactionId: 'x', signatures, amountAtomic: undefined, atMs: NOW },
    });
    const others = [outflow('a', 'b'), outflow('c')];
    expect(pending([entry([])])).toBe(AMOUNT + 7_000_000n);
    expect(pending([entry([])], { settled: others })).toBe(AMOUNT + 7_000_000n);
    expect(pending([entry([])], { settled: [...others, outflow('d', signature)] })).toBe(
      7_000_000n,
    );
    expect(pending([entry([LANDED])])).toBe(7_000_000n);
  });
});

describe('what the chain has beside the journal', () => {
  const SIGNATURE = anAttempt(1).signature;
  const outflow = (over: Partial<Outflow> = {}): Outflow => ({
    transactionId: 'fee payer',
    signatures: ['fee payer', 'somebody'],
    amountAtomic: atomic(3_000_000n),
    atMs: NOW - 1_000,
    ...over,
  });
  const spentBy = (
    entries: readonly Entry[],
    outflows: readonly Outflow[],
    own?: { intentId: string; attempt: number },
  ) => historyOf({ entries, held: [], outflows, nowMs: NOW, own }).spent;
  const ours = outflow({ signatures: ['fee payer', SIGNATURE], amountAtomic: atomic(AMOUNT) });

  it.each<[string, readonly Entry[], readonly Outflow[], readonly bigint[]]>([
    ['a transfer that nothing here explains', [], [outflow()], [3_000_000n]],
    ['one that a payment of the journal is, once', [entry([])], [ours], [AMOUNT]],
    ['the same when it is known to have landed', [entry([LANDED])], [ours], [AMOUNT]],
    [
      'one of which the journal knows the amount, once',
      [entry([LANDED])],
      [outflow({ transactionId: 't', signatures: [], amountAtomic: undefined })],
      [AMOUNT],
    ],
    ['one that the journal holds for dead', [entry([DEAD])], [ours], [AMOUNT]],
    ['both, where they differ', [entry([])], [outflow(), ours], [AMOUNT, 3_000_000n]],
  ])('%s', (_what, entries, outflows, amounts) => {
    expect(spentBy(entries, outflows).map(({ amountAtomic }) => amountAtomic)).toEqual(amounts);
  });

  it('dates a payment by the later of both', () => {
    const late = anAttempt(1).createdAtMs + 60_000;
    expect(spentBy([entry([])], [{ ...ours, atMs: late }])[0]?.atMs).toBe(late);
    const landed = outflow({ transactionId: 't', amountAtomic: undefined, atMs: late });
    expect(spentBy([entry([LANDED])], [outflow(), landed])[0]?.atMs).toBe(late);
    expect(spentBy([entry([])], [{ ...ours, atMs: 1 }])[0]?.atMs).toBe(anAttempt(1).createdAtMs);
  });

  it('does not hold the payment that is decided on for a stranger’s', () => {
    expect(spentBy([entry([])], [ours], { intentId: 'intent-1', attempt: 1 })).toEqual([]);
  });

  it('is not read where a payment is known to have landed', () => {
    expect([...knownTransactions([entry([LANDED]), entry([DEAD])])]).toEqual(['t']);
  });
});
