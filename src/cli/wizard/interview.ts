/** The guided purchase as a conversation: one question after another until all is confirmed. */

import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';
import { advance, ask, type Question, type Reply, type WizardInput } from '../../domain/wizard.ts';
import { takesOtherAmounts } from '../../domain/wizard-amount.ts';
import { narrowOptions } from '../../domain/wizard-narrow.ts';
import {
  ANSWER_KEYS,
  type AnswerKey,
  type Answers,
  answerOf,
  productTypeOf,
  type WrongAnswer,
} from '../../domain/wizard-step.ts';
import type { OrderPreview } from './order-preview.ts';
import type { WizardCatalog } from './wizard-catalog.ts';
import { inWords } from './words.ts';

/** One question as it is put. */
export interface Asked {
  readonly question: Question;
  /** From 1, of `ANSWER_KEYS.length + 1`; 0 for a question that is put by itself. */
  readonly number: number;
  /** What Enter alone answers; of options, the first one. */
  readonly proposal?: string | undefined;
  /** Why the answer before was not taken. */
  readonly wrong: WrongAnswer | undefined;
  /** At the recap. */
  readonly preview: OrderPreview | undefined;
  /** Options that a text may mean. */
  narrow(text: string): Promise<readonly string[]>;
  /** Why a text would not be taken. */
  check(text: string): Promise<WrongAnswer | undefined>;
  /** Other answers than the options are taken. */
  readonly isOpen: boolean;
  /** Price of an amount, where it is known already. */
  listPrice(amount: string): Promise<string | undefined>;
  /** The same; where it is not known, the merchant is asked. */
  price(amount: string): Promise<string | undefined>;
}

/** A question that was answered before it came. */
export interface Taken {
  readonly question: Question;
  readonly number: number;
  /** As it is shown. */
  readonly answer: string;
}

/** What is answered; `again` looks once more whether it can be bought. */
export type Answer = WizardInput | { readonly action: 'again' };

/** Asks the wizard's questions. */
export interface Interviewer {
  /** @throws {ScripError} INTERRUPTED, ANSWERS_MISSING */
  ask(asked: Asked): Promise<Answer>;
  /** A line that needs no answer. */
  say(text: Message): void;
  /** Shows a question with the answer that was known. */
  taken(taken: Taken): void;
  /** All that was answered, and what it comes to. */
  recap(answers: Answers, preview: OrderPreview): Promise<void>;
}

export interface Interview {
  readonly wizardCatalog: WizardCatalog;
  readonly interviewer: Interviewer;
  /** How the answers would be bought, as of the last recap. */
  readonly preview: () => OrderPreview | undefined;
  /** Answers that are known: each is taken when its question comes, if it is right. */
  readonly ahead: Answers;
  /** What is proposed where a question is asked. */
  readonly proposals: Answers;
  /** What is done about one of them that is wrong; it may throw. The question is asked otherwise. */
  readonly refuse: (key: AnswerKey, wrong: WrongAnswer) => void;
  /** The recap is not confirmed (--yes). */
  readonly isAgreed: boolean;
  /** Keeps answers for a later run. */
  readonly keep: (answers: Answers) => Promise<void>;
}

/** Of all questions. */
export const QUESTIONS = ANSWER_KEYS.length + 1;

interface State {
  readonly question: Question;
  readonly ahead: Answers;
  /** Answers that the user went back from. */
  readonly earlier: Answers;
  readonly wrong?: WrongAnswer | undefined;
}

/**
 * Asks until the recap was confirmed.
 * @throws {ScripError} what the interviewer throws, the problem of an order that cannot be bought
 * in non-interactive use, and the codes of a call
 */
export async function interview(talk: Interview): Promise<Answers> {
  let state: State = {
    question: await ask(talk.wizardCatalog, {}),
    ahead: talk.ahead,
    earlier: {},
  };
  for (;;) {
    const next = await step(talk, state);
    if ('done' in next) return next.done;
    state = next;
  }
}

async function step(talk: Interview, state: State): Promise<State | { readonly done: Answers }> {
  const { question, ahead, earlier } = state;
  const { answers } = question;
  if (question.step === 'confirmation') {
    const preview = talk.preview();
    if (preview !== undefined && state.wrong === undefined)
      await talk.interviewer.recap(answers, preview);
    if (talk.isAgreed) return { done: answers };
  }
  const known = question.step === 'confirmation' ? undefined : ahead[question.step];
  const rest = without(ahead, question.step);
  if (known === undefined) await talk.keep({ ...rest, ...answers });
  const input = known === undefined ? await put(talk, state) : { answer: known };
  if ('action' in input && input.action === 'again') {
    return { question: await ask(talk.wizardCatalog, answers), ahead: rest, earlier };
  }
  const reply = await judge(talk, question, input);
  if (reply.kind === 'complete') return { done: reply.answers };
  if (reply.kind === 'continue') {
    if (known !== undefined && !talk.isAgreed) await showTaken(talk, question, reply);
    await sayPrice(talk, question, reply);
    return { question: reply, ahead: rest, earlier: { ...earlier, ...answers } };
  }
  if (known === undefined) return { question, ahead: rest, earlier, wrong: reply };
  if (question.step !== 'confirmation') talk.refuse(question.step, reply);
  return { question, ahead: rest, earlier };
}

/** A country by its name, all else as it was taken. */
async function showTaken(
  { wizardCatalog, interviewer }: Interview,
  question: Question,
  { answers }: Question,
): Promise<void> {
  const { step: key } = question;
  if (key === 'confirmation') return;
  const value = answerOf(answers, key);
  const [named] = key === 'country' ? await narrowOptions(wizardCatalog, question, value) : [value];
  const number = ANSWER_KEYS.indexOf(key) + 1;
  interviewer.taken({ question, number, answer: named ?? value });
}

/** As the wizard does; and an order with a problem is not confirmed. */
async function judge(
  { wizardCatalog, preview }: Pick<Interview, 'wizardCatalog' | 'preview'>,
  { step: key, answers }: Question,
  input: WizardInput,
): Promise<Reply> {
  const reply = await advance(wizardCatalog, answers, input);
  if (reply.kind === 'error') return { ...reply, fix: inWords(reply.fix) };
  const problem = preview()?.problem;
  if (reply.kind !== 'complete' || problem === undefined) return reply;
  const { sentence: error, hint: fix } = problem;
  return { kind: 'error', step: key, answers, error, fix, suggestions: [] };
}

async function put(talk: Interview, { question, earlier, wrong }: State): Promise<Answer> {
  const { wizardCatalog, interviewer, proposals } = talk;
  const { answers, step } = question;
  const isRecap = step === 'confirmation';
  const [first] = step === 'user_email' ? question.options : [];
  return interviewer.ask({
    question,
    number: isRecap ? QUESTIONS : ANSWER_KEYS.indexOf(step) + 1,
    wrong,
    preview: isRecap ? talk.preview() : undefined,
    narrow: (text) => narrowOptions(wizardCatalog, question, text),
    check: async (text) => {
      const reply = await judge(talk, question, { answer: text });
      return reply.kind === 'error' ? reply : undefined;
    },
    proposal: isRecap ? undefined : (earlier[step] ?? proposals[step] ?? first),
    isOpen: step === 'amount' && (await takesOthers(wizardCatalog, answers)),
    listPrice: (amount) => wizardCatalog.listPrice(answers, amount),
    price: (amount) => orLater(() => wizardCatalog.indicativePrice(answers, amount)),
  });
}

async function takesOthers(wizardCatalog: WizardCatalog, answers: Answers): Promise<boolean> {
  const [country, brand] = [answerOf(answers, 'country'), answerOf(answers, 'brand')];
  return takesOtherAmounts(await wizardCatalog.products(country, brand, productTypeOf(answers)));
}

/** A price that cannot be told now is told at the recap. */
async function orLater(price: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await price();
  } catch (error) {
    if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
    return undefined;
  }
}

async function sayPrice(
  { wizardCatalog, interviewer }: Interview,
  asked: Question,
  { answers }: Question,
): Promise<void> {
  const { amount } = answers;
  if (asked.step !== 'amount' || amount === undefined) return;
  const price = await orLater(() => wizardCatalog.indicativePrice(answers, amount));
  if (price !== undefined) {
    interviewer.say(t`${answers.brand ?? ''} ${amount} costs about ${price}.`);
  }
}

function without(answers: Answers, key: string): Answers {
  return Object.fromEntries(Object.entries(answers).filter(([name]) => name !== key));
}
