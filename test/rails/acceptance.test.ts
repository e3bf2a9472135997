import { describe, expect, test } from 'vitest';
import {
  createRecentChecks,
  type RecentChecks,
  refuseByChain,
} from '../../src/rails/solana/acceptance.ts';
import { decodeTransaction } from '../../src/rails/solana/message.ts';
import type { SolanaRpc } from '../../src/rails/solana/rpc.ts';
import { BLOCKHASH, GOOD, payerSigned } from '../support/solana-payment.ts';

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

  function others(count: number): { messageHash: string; source: string }[] {
    return Array.from({ length: count }, (_, number) => ({
      messageHash: `${number}`,
      source: `account ${number}`,
    }));
  }

  test.each([
    [1_000, true],
    [1_001, false],
  ])('is known after %s others were signed: %s', (count, isKnown) => {
    const { recent } = opened();
    recent.start(ONE)();
    for (const other of others(count)) recent.take(other);
    expect(recent.take(ONE)).toBe(isKnown);
  });

  test.each([
    [999, true],
    [1_000, false],
  ])('is known after %s others were accepted: %s', (count, isKnown) => {
    const { recent } = opened();
    recent.start(ONE)();
    for (const other of others(count)) recent.start(other)();
    expect(recent.take(ONE)).toBe(isKnown);
  });

  test('is asked about again if its check began before very many were signed', () => {
    const { recent } = opened();
    const accepted = recent.start(ONE);
    for (const other of others(1_001)) recent.take(other);
    accepted();
    expect(recent.take(ONE)).toBe(false);
  });

  const MANY: [string, (recent: RecentChecks) => void][] = [
    ['signed', (recent) => others(1_001).map((other) => recent.take(other))],
    ['accepted', (recent) => others(1_001).map((other) => recent.start(other)())],
  ];

  test.each(MANY)('is remembered as before once very many %s are forgotten', (_name, fill) => {
    const { recent } = opened();
    fill(recent);
    for (const payment of [ONE, OTHER_ACCOUNT]) recent.start(payment)();
    expect(recent.take(ONE)).toBe(true);
    expect(recent.take(OTHER_ACCOUNT)).toBe(true);
  });
});

describe('a payment that the chain is asked about', () => {
  const TOO_OLD = 'invalid_exact_svm_payload_blockhash_too_old';
  const EXPIRED = 'invalid_exact_svm_payload_blockhash_expired';
  const REFUSED = 'invalid_exact_svm_transaction_simulation_failed';

  test.each<[blocksLeft: number | undefined, isValid: boolean, error: unknown, refusal?: string]>([
    // The list has it for long enough: whether it is valid is not asked.
    [60, false, null],
    [60, false, 'AccountNotFound', REFUSED],
    [59, true, null, TOO_OLD],
    [59, false, null, EXPIRED],
    [undefined, true, null],
    [undefined, true, 'AccountNotFound', REFUSED],
    [undefined, false, null, EXPIRED],
  ])(
    'with %s blocks left, valid %s and the error %s gets %s',
    async (left, isValid, error, why) => {
      const transaction = decodeTransaction(await payerSigned(GOOD));
      const rpc: Pick<SolanaRpc, 'isBlockhashValid' | 'simulate'> = {
        isBlockhashValid: async (blockhash, commitment) =>
          isValid && blockhash === BLOCKHASH && commitment === 'processed',
        simulate: async (wire) => ({
          logs: [],
          error: wire === transaction.wire ? error : 'other',
        }),
      };
      const blocksLeft = async (blockhash: string) => (blockhash === BLOCKHASH ? left : 0);
      expect(await refuseByChain({ rpc: rpc as SolanaRpc, blocksLeft }, transaction)).toBe(why);
    },
  );
});
