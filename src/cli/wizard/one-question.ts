/** Asks one of the wizard's questions, for a command that lacks only this answer. */

import { narrowOptions } from '../../domain/wizard-narrow.ts';
import {
  type AnswerKey,
  type Answers,
  isWrong,
  type WizardHost,
  type WrongAnswer,
} from '../../domain/wizard-step.ts';
import { STEPS } from '../../domain/wizard-steps.ts';
import type { With } from '../context.ts';
import { createScreen } from './screen.ts';

interface OneQuestion {
  readonly key: AnswerKey;
  /** Known answers, which the question and its checks use. */
  readonly answers: Answers;
  /** The answer if the user only presses Enter. */
  readonly proposal?: string | undefined;
  /** Typed before: asked for only if it is not valid. */
  readonly typed?: string | undefined;
}

/**
 * Asks until the answer is valid.
 * @throws {ScripError} INTERRUPTED, and errors of the host
 */
export async function askOne(
  context: With<'settings' | 'io'>,
  host: WizardHost,
  { key, answers, proposal, typed }: OneQuestion,
): Promise<string> {
  const step = STEPS.find((one) => one.key === key) ?? STEPS[0];
  if (step === undefined) throw new RangeError(key);
  const [question, expectedFormat, options] = await Promise.all([
    step.question(host, answers),
    step.expectedFormat(host, answers),
    step.options(host, answers),
  ]);
  const asked = {
    kind: 'continue',
    step: key,
    question,
    expectedFormat,
    options,
    answers,
  } as const;
  const screen = createScreen(context);
  const put = async (wrong: WrongAnswer | undefined): Promise<string> => {
    const answer = await screen.ask({
      question: asked,
      number: 0,
      wrong,
      preview: undefined,
      proposal,
      narrow: (text) => narrowOptions(host, asked, text),
      check: async (text) => {
        const read = await step.accept(host, answers, text);
        return isWrong(read) ? read : undefined;
      },
      bounds: key === 'amount' ? expectedFormat : undefined,
      listPrice: async () => undefined,
      price: async () => undefined,
    });
    const read = await step.accept(host, answers, 'answer' in answer ? answer.answer : '');
    return isWrong(read) ? put(read) : read.value;
  };
  if (typed === undefined) return put(undefined);
  const read = await step.accept(host, answers, typed);
  return isWrong(read) ? put(read) : read.value;
}
