/** The loop that finds a payment's outcome: when it asks, reads the chain and gives up. */
import { expect, test } from 'vitest';
import { type AttemptState, settle } from '../../../src/api/payment/settle.ts';
import { anAttempt, anIntent } from '../../support/journal-records.ts';
import { type ManualClock, START_MS, skippingClock } from '../../support/manual-clock.ts';

const START: AttemptState = {
  entry: { intent: anIntent(), attempts: [anAttempt()], facts: [] },
  attempt: anAttempt(),
  isRecorded: true,
};
const MOST_ROUNDS = 20;

interface Script {
  readonly firstScanMs?: number;
  readonly budgetMs: number;
  readonly paceMs?: number;
  /** How long the merchant takes. */
  readonly askMs?: number;
  /** From when on a scan shows that the payment landed. */
  readonly landsAtMs?: number;
  /** From when on a landed payment is an end. */
  readonly endsAtMs?: number;
}

/** Runs the loop; returns its end and what it did, each with its time. */
async function run(script: Script, clock: ManualClock = skippingClock()): Promise<string[]> {
  const { firstScanMs = 0, paceMs = 1_000, askMs = 0, landsAtMs = Infinity } = script;
  const at = () => clock.now() - START_MS;
  const did: string[] = [];
  const end = await settle({ clock }, START, {
    firstScanMs,
    paceMs: () => paceMs,
    budgetMs: () => script.budgetMs,
    scan: async (state) => {
      did.push(`scan at ${at()}`);
      if (at() < landsAtMs) return state;
      const landed = { fact: 'landed', attempt: 1, transaction: 'tx', slot: 1 } as const;
      return { ...state, entry: { ...state.entry, facts: [landed] } };
    },
    ask: async (state, { number, leftMs }) => {
      if (number > MOST_ROUNDS) throw new RangeError('it goes on');
      did.push(`ask ${number} at ${at()} with ${leftMs} left`);
      clock.advance(askMs);
      return state;
    },
    decide: async ({ entry }, elapsedMs) =>
      entry.facts.length > 0 && elapsedMs >= (script.endsAtMs ?? Infinity)
        ? `end at ${elapsedMs}`
        : undefined,
    giveUp: async (_state, provenForMs) => `give up, proven for ${provenForMs}`,
  });
  return [...did, end];
}

test('the chain is read every two seconds, and no round begins after the time is up', async () => {
  expect(await run({ budgetMs: 5_000 })).toEqual([
    'scan at 0',
    'ask 1 at 0 with 5000 left',
    'ask 2 at 1000 with 4000 left',
    'scan at 2000',
    'ask 3 at 2000 with 3000 left',
    'ask 4 at 3000 with 2000 left',
    'scan at 4000',
    'ask 5 at 4000 with 1000 left',
    'ask 6 at 5000 with 0 left',
    'give up, proven for 0',
  ]);
});

test('a payment that is proven and not answered is given up with the time since its first proof', async () => {
  expect((await run({ budgetMs: 5_000, landsAtMs: 1_500 })).at(-1)).toBe(
    'give up, proven for 4000',
  );
});

test('a merchant that answers late does not delay the chain by more than its answer', async () => {
  expect(await run({ budgetMs: 8_000, askMs: 2_500 })).toEqual([
    'scan at 0',
    'ask 1 at 0 with 8000 left',
    'scan at 3500',
    'ask 2 at 3500 with 4500 left',
    'scan at 7000',
    'ask 3 at 7000 with 1000 left',
    'scan at 9500',
    'give up, proven for 0',
  ]);
});

test.each([
  [2_000, ['scan at 2000', 'end at 2000']],
  [1_999, ['give up, proven for 0']],
])(
  'before it gives up, the chain is read once more after an answer of %s ms',
  async (askMs, last) => {
    const script = { budgetMs: 2_500, askMs, landsAtMs: 2_000, endsAtMs: 2_000 };
    expect(await run(script)).toEqual(['scan at 0', 'ask 1 at 0 with 2500 left', ...last]);
  },
);

test('an outcome that the chain shows ends it', async () => {
  const script = { budgetMs: 5_000, landsAtMs: 2_000, endsAtMs: 3_000 };
  expect((await run(script)).slice(-2)).toEqual(['ask 4 at 3000 with 2000 left', 'end at 3000']);
});

test('a wait counts with its length, also on a clock that stands still', async () => {
  const clock: ManualClock = { ...skippingClock(), sleep: async () => undefined };
  expect(await run({ budgetMs: 2_000, firstScanMs: Infinity }, clock)).toEqual([
    'ask 1 at 0 with 2000 left',
    'ask 2 at 0 with 1000 left',
    'ask 3 at 0 with 0 left',
    'give up, proven for 0',
  ]);
});
