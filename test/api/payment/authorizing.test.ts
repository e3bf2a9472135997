/** The one place that signs, on its own: what it reserves, signs and gives back. */
import { beforeEach, expect, it } from 'vitest';
import {
  authorizePayment,
  type Payment,
  type SigningDeps,
} from '../../../src/api/payment/authorize.ts';
import type { Attempt, SignedPayment } from '../../../src/domain/journal/journal.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import type { SpendLog } from '../../../src/domain/policy/spend-log.ts';
import { anAttempt, anIntent } from '../../support/journal-records.ts';
import { makeWorld, PRICE, type World } from '../../support/purchase-world.ts';

let world: World;
let signatures: number;
beforeEach(async () => {
  world = await makeWorld();
  signatures = 0;
});

const SIGNED = anAttempt(1);
const INTENT = anIntent();

function deps(log: Partial<SpendLog> = {}, standing: Attempt = SIGNED): SigningDeps {
  const made = world.deps();
  const sign = async (): Promise<SignedPayment> => {
    signatures += 1;
    return SIGNED;
  };
  return {
    ...made,
    spending: { ...made.spending, log: { ...made.spending.log, ...log } },
    rail: { ...made.rail, sign },
    journal: {
      ...made.journal,
      addAttempt: async (_intent, attempt) => (standing === SIGNED ? attempt : standing),
    },
  };
}

const payment = (over: Partial<Payment> = {}): Payment => ({
  intent: { ...INTENT, host: 'https://checkout.example' },
  number: 1,
  order: { way: 'x402' } as Payment['order'],
  terms: { network: INTENT.network, asset: SIGNED.asset, payTo: 'merchant' },
  usdcAtomic: atomic(PRICE),
  toAttempt: ({ messageHash }) => ({ ...anAttempt(1), messageHash }),
  ...over,
});
const reserved = () => world.deps().spending.log.read();
const amounts = async () => (await reserved()).held.map(({ amountAtomic }) => amountAtomic);

it('a payment is reserved, signed and dated by the reservation', async () => {
  const { attempt, origin } = await authorizePayment(deps(), payment());
  expect([origin, signatures, await amounts()]).toEqual(['ours', 1, [PRICE.toString()]]);
  const [held] = (await reserved()).held;
  expect(attempt.createdAtMs).toBe(held?.atMs);
});

it('of two processes the second gets the attempt of the first', async () => {
  const theirs: Attempt = { ...SIGNED, messageHash: 'another' };
  const { attempt, origin } = await authorizePayment(deps({}, theirs), payment());
  expect([attempt, origin]).toEqual([theirs, 'theirs']);
});

it('what was paid elsewhere is not signed, and its reservation is free again', async () => {
  const elsewhere = anAttempt(9);
  const found = { lastLook: async () => elsewhere };
  expect(await authorizePayment(deps(), payment(found))).toEqual({
    ...{ attempt: elsewhere, origin: 'elsewhere' },
  });
  expect([signatures, await reserved()]).toEqual([0, { last: 1, held: [] }]);
});

it('what was not paid elsewhere is signed after the look', async () => {
  let looks = 0;
  const lastLook = async () => {
    looks += 1;
    expect(signatures).toBe(0);
    return undefined;
  };
  expect((await authorizePayment(deps(), payment({ lastLook }))).origin).toBe('ours');
  expect([looks, signatures]).toEqual([1, 1]);
});

it('a number that another process took is not used, and all is measured again', async () => {
  const { log } = world.deps().spending;
  const numbers: number[] = [];
  let reads = 0;
  const raced: Partial<SpendLog> = {
    read: () => {
      reads += 1;
      return log.read();
    },
    reserve: async (reservation) => {
      numbers.push(reservation.number);
      if (numbers.length > 1) return log.reserve(reservation);
      await log.reserve({ ...reservation, intentId: 'another', amountAtomic: '1' });
      return false;
    },
  };
  await authorizePayment(deps(raced), payment());
  expect([numbers, signatures]).toEqual([[1, 2], 1]);
  expect(reads).toBeGreaterThan(1);
  expect((await amounts()).toSorted()).toEqual(['1', PRICE.toString()]);
});

it('a coin that is not USDC reserves nothing of the limits', async () => {
  await authorizePayment(deps(), payment({ usdcAtomic: undefined }));
  expect(await amounts()).toEqual(['0']);
});

it.each([
  ['a disk that fails', new ScripError('JOURNAL_UNUSABLE', t`full`), 'no signature'],
  ['a fault of ours', new RangeError('ours'), 'ours'],
])('giving a reservation back meets %s', async (_what, fault, words) => {
  const failing = deps({ release: () => Promise.reject(fault) });
  const toAttempt = () => {
    throw new Error('no signature');
  };
  await expect(authorizePayment(failing, payment({ toAttempt }))).rejects.toThrow(words);
});
