/** The loop around one purchase: what it settles first, when it signs again, waits, counts and gives up. */
import { expect, it } from 'vitest';
import {
  type LivePayment,
  type PaymentSide,
  payOnce,
  type Step,
} from '../../../src/api/payment/pay-loop.ts';
import type { Clock } from '../../../src/domain/clock.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import { anAttempt, anIntent } from '../../support/journal-records.ts';
import { START_MS, skippingClock } from '../../support/manual-clock.ts';

type End = { readonly end: string };
type Known = { readonly live: boolean; readonly settled: number };
type OneStep = Step<Known, End>;
type Settled = Awaited<ReturnType<PaymentSide<Known, End>['settle']>>;

const START: Known = { live: false, settled: 0 };
const LIVE: Known = { live: true, settled: 0 };
const PAYMENT: LivePayment = {
  entry: { intent: anIntent(), attempts: [anAttempt()], facts: [] },
  attempt: anAttempt(),
};
const ended: Settled = { kind: 'end', end: { end: 'done' } };
const learned = (isDead?: boolean): Settled => ({
  ...{ kind: 'learned', known: { live: false, settled: 1 } },
  ...(isDead === undefined ? {} : { isDead }),
});
const waiting = { kind: 'wait', reason: 'busy', paceMs: 3, budgetMs: 7 } as const;
const wait: OneStep = { ...waiting, otherwise: { end: 'late' } };
const sign = (isOurs = true): OneStep => ({
  kind: 'sign',
  signNext: async () => ({ kind: 'signed', isOurs }),
  giveUp: async () => ({ end: 'gave up' }),
});

/** Runs the loop over what the side says at each turn: steps without a live payment, ends of one with it. */
async function run(
  start: Known,
  decided: readonly OneStep[],
  settled: readonly Settled[],
  clock: Clock = skippingClock(),
) {
  const did: string[] = [];
  const [steps, ends] = [[...decided], [...settled]];
  const progress = { step: (text: unknown) => void did.push(`step ${text}`) };
  const take = <One>(list: One[]): One => {
    const one = list.shift();
    if (one === undefined) throw new RangeError('it goes on');
    return one;
  };
  // A payment is live after each signature, until it is settled.
  let isLive = start.live;
  const side: PaymentSide<Known, End> = {
    read: async (known) => ({ ...known, live: isLive }),
    liveOf: ({ live }) => (live ? PAYMENT : undefined),
    settle: async (_live, _known, isFresh) => {
      did.push(`settle ${isFresh ? 'fresh' : 'old'} at ${clock.now() - START_MS}`);
      isLive = false;
      return take(ends);
    },
    decide: async ({ settled }) => {
      const step = take(steps);
      did.push(`${step.kind} at ${clock.now() - START_MS}${settled > 0 ? ', settled' : ''}`);
      isLive = step.kind === 'sign';
      return step;
    },
    stopped: async () => ({ hint: t`Run: scrip orders resume`, details: { intent_id: 'i' } }),
  };
  const { end, signatures } = await payOnce({ clock, progress }, start, side);
  return { end, signatures, did };
}

it('settles what may still land before it decides anything, and knows its own fresh payment', async () => {
  const known = await run(LIVE, [sign()], [learned(), ended]);
  expect(known).toEqual({
    ...{ end: 'done', signatures: 1 },
    did: ['settle old at 0', 'sign at 0, settled', 'settle fresh at 0'],
  });
  // An earlier run signed it: its death takes nothing from the count of this one.
  expect(await run(LIVE, [ended], [learned(true)])).toMatchObject({ end: 'done', signatures: 0 });
});

it.each([
  ['ours, which may land', [sign()], [ended], 1],
  ['of another process', [sign(false)], [ended], 0],
  ['ours, proven dead', [sign()], [learned(true)], 0],
  ['ours, settled and not dead', [sign()], [learned(false)], 1],
  ['ours, of which nothing is said', [sign()], [learned()], 1],
  [
    'of another process, proven dead, after ours',
    [sign(), sign(false)],
    [learned(), learned(true)],
    1,
  ],
  ['ours twice, the first proven dead', [sign(), sign()], [learned(true), ended], 1],
  ['ours, told dead twice', [sign(), learned(true)], [learned(true)], 0],
  [
    'ours twice, of which the second is told dead twice',
    [sign(), sign(), learned(true)],
    [learned(), learned(true)],
    1,
  ],
] as const)(
  'counts the payments that may have moved money: %s',
  async (_what, steps, settled, count) => {
    const { end, signatures } = await run(START, [...steps, ended], settled);
    expect([end, signatures]).toEqual(['done', count]);
  },
);

it('signs three times at most, also when other processes signed', async () => {
  const four = [sign(), sign(false), sign(), sign()];
  const dead = [learned(true), learned(true), learned(true)];
  expect(await run(START, four, dead)).toMatchObject({ end: 'gave up', signatures: 0 });
});

it('waits at the pace that it is told, says why, and ends when the time is up', async () => {
  expect(await run(START, [wait, wait, wait, wait], [])).toEqual({
    ...{ end: 'late', signatures: 0 },
    did: [
      'wait at 0',
      'step busy',
      'wait at 3',
      'step busy',
      'wait at 6',
      'step busy',
      'wait at 7',
    ],
  });
  const signing: OneStep = {
    kind: 'sign',
    signNext: async () => ({ ...waiting, otherwise: { end: 'late' } }),
    giveUp: async () => ({ end: '' }),
  };
  expect(await run(START, [signing], [ended])).toEqual({
    ...{ end: 'done', signatures: 0 },
    did: ['sign at 0', 'step busy', 'settle old at 3'],
  });
});

it('counts its waits where the wall clock stands still', async () => {
  const still = { ...skippingClock(), now: () => START_MS };
  const { end, did } = await run(START, [wait, wait, wait, wait], [], still);
  expect([end, did.filter((one) => one === 'step busy').length]).toEqual(['late', 3]);
});

it('an interruption says what is at risk; other errors pass', async () => {
  const failing = (error: unknown) => {
    const side = {
      read: async () => LIVE,
      liveOf: () => PAYMENT,
      settle: () => Promise.reject(error),
      decide: async () => ended,
      stopped: async () => ({ hint: t`Run: scrip orders resume`, details: { intent_id: 'i' } }),
    };
    return payOnce<Known, End>({ clock: skippingClock() }, LIVE, side);
  };
  const stop = new ScripError('INTERRUPTED', t`Stopped`);
  await expect(failing(stop)).rejects.toMatchObject({
    ...{ code: 'INTERRUPTED', message: 'Stopped after the payment was signed', cause: stop },
    ...{ fundsAtRisk: 'possible', details: { intent_id: 'i' } },
  });
  for (const error of [
    Object.assign(new Error('no'), { code: 'INTERRUPTED' }),
    new ScripError('CHAIN_UNREACHABLE', t`Gone`),
    new RangeError('no'),
  ]) {
    await expect(failing(error)).rejects.toBe(error);
  }
});
