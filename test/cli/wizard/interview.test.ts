/** The conversation: known answers, wrong ones, back, and what is kept of them at every moment. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer, type Asked, interview } from '../../../src/cli/wizard/interview.ts';
import { draftText, parseDraft } from '../../../src/cli/wizard/known-answers.ts';
import type { WizardCatalog } from '../../../src/cli/wizard/wizard-catalog.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import {
  ANSWER_KEYS,
  type AnswerKey,
  type Answers,
} from '../../../src/domain/wizard/wizard-step.ts';
import { STEPS } from '../../../src/domain/wizard/wizard-steps.ts';
import { wizardHost } from '../../support/wizard-host.ts';

const GIFT = {
  product_type: 'giftcard',
  country: 'US',
  brand: 'Amazon.com',
  amount: '25 USD',
  beneficiary_account: 'friend@example.com',
  coin: 'USDC',
  network: 'Solana',
  user_email: 'buyer@example.com',
} as const;

const wizardCatalog: WizardCatalog = {
  ...wizardHost,
  goods: async () => {
    throw new ScripError('INTERNAL', t`no goods are asked for here`);
  },
  listPrice: async () => undefined,
  indicativePrice: async () => '25.25 USDC',
};

interface Heard {
  readonly asked: Asked[];
  readonly said: string[];
  /** Number and answer of what was shown as answered. */
  readonly taken: string[];
  readonly kept: Answers[];
  readonly refused: AnswerKey[];
}

/** Answers one question after another; stopped where there is no answer any more. */
async function hold(
  answers: readonly Answer[],
  ahead: Answers = {},
  isAgreed = false,
  changed: Partial<
    Pick<Parameters<typeof interview>[0], 'wizardCatalog' | 'isOnlyTaken' | 'proposals'>
  > = {},
): Promise<Heard & { readonly done: Answers | undefined }> {
  const heard: Heard = { asked: [], said: [], taken: [], kept: [], refused: [] };
  const next = answers.values();
  const stopped = new ScripError('INTERRUPTED', t`stopped`);
  const done = interview({
    wizardCatalog,
    ahead,
    isAgreed,
    preview: () => undefined,
    refuse: (key) => heard.refused.push(key),
    keep: async (kept) => {
      heard.kept.push(kept);
    },
    proposals: {},
    isOnlyTaken: false,
    ...changed,
    interviewer: {
      taken: ({ number, answer }) => heard.taken.push(`${number} ${answer}`),
      recap: async () => undefined,
      say: (text) => heard.said.push(String(text)),
      ask: async (asked) => {
        heard.asked.push(asked);
        const { value, done: isOver } = next.next();
        if (isOver === true) throw stopped;
        return value;
      },
    },
  }).catch((error: unknown) => {
    if (error === stopped) return undefined;
    throw error;
  });
  return { ...heard, done: await done };
}

const saying = (...texts: readonly string[]): readonly Answer[] =>
  texts.map((text) => (text === 'back' ? { action: 'back' } : { answer: text }));
const keysOf = (asked: readonly Asked[]) => asked.map(({ question }) => question.step);

describe('the conversation', () => {
  it('asks in the order of the table, and says the price when the amount is known', async () => {
    const { asked, done, said } = await hold(saying(...Object.values(GIFT), 'yes'));
    expect(keysOf(asked)).toEqual([...STEPS.map(({ key }) => key), 'confirmation']);
    expect(asked.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(done).toEqual(GIFT);
    expect(said).toEqual(['Amazon.com 25 USD costs about 25.25 USDC.']);
  });

  it('does not give an answer again from which somebody went back', async () => {
    const { asked } = await hold(saying('back', 'back'), GIFT);
    expect(keysOf(asked)).toEqual(['confirmation', 'user_email', 'network']);
  });

  it('asks nobody at the recap when all was agreed to', async () => {
    expect(await hold([], GIFT, true)).toMatchObject({ asked: [], done: GIFT });
  });

  it('takes the only coin and network by itself, and goes back past them', async () => {
    const only = { name: 'USDC', isSuspended: false };
    const coins = async () => [{ ...only, networks: [{ name: 'Solana', isSuspended: false }] }];
    const changed = { wizardCatalog: { ...wizardCatalog, coins }, isOnlyTaken: true };
    const { coin: _coin, network: _network, user_email, ...before } = GIFT;
    const answers = saying(...Object.values(before), 'back', 'a@b.example', user_email, 'yes');
    const { asked, taken, done } = await hold(answers, {}, false, changed);
    const numbers = [1, 2, 3, 4, 5, 8, 5, 8, 9];
    expect(asked.map(({ number }) => number)).toEqual(numbers);
    expect(taken.slice(0, 2)).toEqual(['6 USDC', '7 Solana']);
    expect(done).toEqual({ ...GIFT, beneficiary_account: 'a@b.example' });
    // A script answers every question.
    const scripted = await hold(saying(...Object.values(GIFT), 'yes'), {}, false, {
      ...changed,
      isOnlyTaken: false,
    });
    expect(scripted.asked).toHaveLength(9);
  });

  it('looks once more when it is told to', async () => {
    const { asked, done } = await hold([{ action: 'again' }, { answer: 'yes' }], GIFT);
    expect(keysOf(asked)).toEqual(['confirmation', 'confirmation']);
    expect(done).toEqual(GIFT);
  });
});

describe('whatever is answered', () => {
  const text = fc.constantFrom(
    ...Object.values(GIFT),
    ...['mobile_topup', 'br', 'Claro Credits', '20', '+5511912345678', 'BTC', 'Lightning'],
    ...['uber eats', '7.5', 'UK', 'DASH', 'nothing', ''],
  );
  const move: fc.Arbitrary<Answer> = fc.oneof(
    { weight: 6, arbitrary: text.map((answer) => ({ answer })) },
    { weight: 1, arbitrary: fc.constant({ action: 'back' } as const) },
    { weight: 1, arbitrary: fc.constant({ action: 'again' } as const) },
  );
  const key = fc.constantFrom(...ANSWER_KEYS);
  const ahead = fc
    .array(fc.tuple(key, text), { maxLength: 8 })
    .map((pairs): Answers => Object.fromEntries(pairs));

  it('each question stands on answers that are right, and what is kept leads back to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 25 }), ahead, async (moves, known) => {
        const { asked, kept } = await hold(moves, known);
        expect(kept).toHaveLength(asked.length);
        for (const [index, { question }] of asked.entries()) {
          const { answers } = question;
          await expectRight(answers);
          const draft = parseDraft(draftText(kept[index] ?? {}));
          expect(draft).toMatchObject(answers);
        }
        const last = asked.at(-1)?.question;
        const resumed = await hold([], parseDraft(draftText(kept.at(-1) ?? {})));
        expect(resumed.asked[0]?.question.answers).toMatchObject(last?.answers ?? {});
      }),
      { numRuns: 100 },
    );
  });

  /** A prefix of the table, each accepted as it stands after those before it. */
  async function expectRight(answers: Answers): Promise<void> {
    const keys = Object.keys(answers);
    expect(keys).toEqual(ANSWER_KEYS.slice(0, keys.length));
    for (const [index, step] of STEPS.slice(0, keys.length).entries()) {
      const before = Object.fromEntries(Object.entries(answers).slice(0, index));
      const value = Object.values(answers)[index] ?? '';
      expect(await step.accept(wizardHost, before, value)).toEqual({ value });
    }
  }
});
