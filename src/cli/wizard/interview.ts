/** Asks the wizard's questions one after another until everything is confirmed. */

import { unlessInterrupted } from '../../domain/attempt.ts';
import { Message, t } from '../../domain/message/message.ts';
import {
  advance,
  ask,
  type Question,
  type Reply,
  type WizardInput,
} from '../../domain/wizard/wizard.ts';
import { rangeFormat } from '../../domain/wizard/wizard-amount.ts';
import {
  ANSWER_KEYS,
  type AnswerKey,
  type Answers,
  answerOf,
  productTypeOf,
  type WrongAnswer,
} from '../../domain/wizard/wizard-step.ts';
import { narrowOptions } from '../../domain/wizard/wizard-steps.ts';
import type { Localize } from '../i18n/localize.ts';
import { isWord } from '../terminal/prompter.ts';
import type { OrderPreview } from './order-preview.ts';
import type { WizardCatalog } from './wizard-catalog.ts';

/** One question to ask. */
export interface Asked {
  readonly question: Question;
  /** From 1 to `ANSWER_KEYS.length + 1`; 0 for a question asked on its own. */
  readonly number: number;
  /** The answer if the user only presses Enter; in a list, the first choice. */
  readonly proposal?: string | undefined;
  /** Why the previous answer was refused. */
  readonly wrong: WrongAnswer | undefined;
  /** Only at the recap. */
  readonly preview: OrderPreview | undefined;
  /** Returns the options that match a text. */
  narrow(text: string): Promise<readonly string[]>;
  /** Returns why a text would be refused. */
  check(text: string): Promise<WrongAnswer | undefined>;
  /** The ranges of amounts that are accepted besides the options. */
  readonly bounds: Message | undefined;
  /** Returns the price of an amount if it is known; makes no request. */
  listPrice(amount: string): Promise<string | undefined>;
  /** Returns the price of an amount; asks the merchant if needed. */
  price(amount: string): Promise<string | undefined>;
}

/** A question whose answer is already known. */
interface Taken {
  readonly question: Question;
  readonly number: number;
  /** As it is shown. */
  readonly answer: string;
}

/** An answer; `again` checks again whether the order can be bought. */
export type Answer = WizardInput | { readonly action: 'again' };

/** Asks the wizard's questions. */
export interface Interviewer {
  /** @throws {ScripError} INTERRUPTED, ANSWERS_MISSING */
  ask(asked: Asked): Promise<Answer>;
  /** Prints a line. */
  say(text: Message): void;
  /** Shows a question with its known answer. */
  taken(taken: Taken): void;
  /** Shows all answers and the resulting order. */
  recap(answers: Answers, preview: OrderPreview): Promise<void>;
}

export interface Interview {
  readonly wizardCatalog: WizardCatalog;
  readonly interviewer: Interviewer;
  /** The order for the answers, as of the last recap. */
  readonly preview: () => OrderPreview | undefined;
  /** Known answers, each used when its question comes, if it is valid. */
  readonly ahead: Answers;
  /** Answers to suggest for questions that are asked. */
  readonly proposals: Answers;
  /** Whether to skip the question for coin or network if there is only one choice. */
  readonly isOnlyTaken: boolean;
  /** Handles an invalid known answer. If it does not throw, the question is asked. */
  readonly refuse: (key: AnswerKey, wrong: WrongAnswer) => void;
  /** Whether the recap needs no confirmation (--yes). */
  readonly isAgreed: boolean;
  /** Saves answers for a later run. @param isAnswered whether one of them answers a question of this run */
  readonly keep: (answers: Answers, isAnswered: boolean) => Promise<void>;
}

/** The number of questions, recap included. */
export const QUESTIONS = ANSWER_KEYS.length + 1;

interface State {
  readonly question: Question;
  readonly ahead: Answers;
  /** Answers before the user went back. */
  readonly earlier: Answers;
  /** Whether a question was answered, not by an option, a setting or the saved answers. */
  readonly isAnswered: boolean;
  readonly wrong?: WrongAnswer | undefined;
}

/**
 * Asks until the recap is confirmed.
 * @throws {ScripError} of the interviewer; the problem of an order that cannot be bought in non-interactive
 * use; the codes of a call
 */
export async function interview(talk: Interview): Promise<Answers> {
  let state: State = {
    question: await ask(talk.wizardCatalog, {}),
    ahead: talk.ahead,
    earlier: {},
    isAnswered: false,
  };
  for (;;) {
    const next = await step(talk, state);
    if ('done' in next) return next.done;
    state = next;
  }
}

async function step(talk: Interview, state: State): Promise<State | { readonly done: Answers }> {
  const { question, ahead, earlier, isAnswered } = state;
  const { answers } = question;
  if (question.step === 'confirmation') {
    const preview = talk.preview();
    if (preview !== undefined && state.wrong === undefined)
      await talk.interviewer.recap(answers, preview);
    if (talk.isAgreed) return { done: answers };
  }
  const known =
    question.step === 'confirmation'
      ? undefined
      : (ahead[question.step] ?? onlyAnswer(talk, question));
  const rest = without(ahead, question.step);
  if (known === undefined) await talk.keep({ ...rest, ...answers }, isAnswered);
  const input = known === undefined ? await put(talk, state) : { answer: known };
  if ('action' in input && input.action === 'again') {
    return { question: await ask(talk.wizardCatalog, answers), ahead: rest, earlier, isAnswered };
  }
  const reply = await judged(talk, question, input);
  if (reply.kind === 'complete') return { done: reply.answers };
  if (reply.kind === 'continue') {
    if (known !== undefined && !talk.isAgreed) await showTaken(talk, question, reply);
    await sayPrice(talk, question, reply);
    return {
      question: reply,
      ahead: rest,
      earlier: { ...earlier, ...answers },
      isAnswered: isAnswered || (known === undefined && 'answer' in input),
    };
  }
  if (known === undefined) return { question, ahead: rest, earlier, isAnswered, wrong: reply };
  if (question.step !== 'confirmation') talk.refuse(question.step, reply);
  return { question, ahead: rest, earlier, isAnswered };
}

/** Shows a country by its name, any other answer as accepted. */
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

/** Returns the only choice for coin or network, so that the question can be skipped. */
function onlyAnswer(
  { isOnlyTaken }: Interview,
  { step: key, options }: Question,
): string | undefined {
  const isChoice = key === 'coin' || key === 'network';
  return isOnlyTaken && isChoice && options.length === 1 ? options[0] : undefined;
}

/** Checks an answer. Going back also goes past questions that were skipped. */
async function judged(talk: Interview, question: Question, input: WizardInput): Promise<Reply> {
  const reply = await judge(talk, question, input);
  const isPassed = 'action' in input && reply.kind === 'continue' && onlyAnswer(talk, reply);
  return isPassed ? judged(talk, reply, input) : reply;
}

/** Checks an answer as the wizard does; an order with a problem cannot be confirmed. */
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
  const { wizardCatalog, interviewer } = talk;
  const { answers, step } = question;
  const isRecap = step === 'confirmation';
  const [first] = step === 'user_email' ? question.options : [];
  const bounds = step === 'amount' ? await boundsOf(wizardCatalog, answers) : undefined;
  const proposed = isRecap ? undefined : (earlier[step] ?? proposedFor(step, talk, answers));
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
    proposal: proposed ?? first,
    bounds,
    listPrice: (amount) => wizardCatalog.listPrice(answers, amount),
    price: (amount) => wizardCatalog.indicativePrice(answers, amount).catch(orLater),
  });
}

/** For a top-up, suggests no e-mail address as the recipient. */
function proposedFor(
  step: AnswerKey,
  { proposals }: Pick<Interview, 'proposals'>,
  answers: Answers,
): string | undefined {
  const isPhone = step === 'beneficiary_account' && productTypeOf(answers) === 'mobile_topup';
  return isPhone ? undefined : proposals[step];
}

/** Returns the ranges that are sold besides the fixed options; undefined if there are none. */
async function boundsOf(
  wizardCatalog: WizardCatalog,
  answers: Answers,
): Promise<Message | undefined> {
  const [country, brand] = [answerOf(answers, 'country'), answerOf(answers, 'brand')];
  return rangeFormat(await wizardCatalog.products(country, brand, productTypeOf(answers)));
}

/** A price that is not available now appears at the recap. */
const orLater = unlessInterrupted(() => undefined);

async function sayPrice(
  { wizardCatalog, interviewer }: Interview,
  asked: Question,
  { answers }: Question,
): Promise<void> {
  const { amount } = answers;
  if (asked.step !== 'amount' || amount === undefined) return;
  const price = await wizardCatalog.indicativePrice(answers, amount).catch(orLater);
  if (price !== undefined) {
    interviewer.say(t`${answers.brand ?? ''} ${amount} costs about ${price}.`);
  }
}

function without(answers: Answers, key: string): Answers {
  return Object.fromEntries(Object.entries(answers).filter(([name]) => name !== key));
}

// Command words of the wizard, in English and in the user's language.

/** Recognises the word that goes back, in upper or lower case. */
export function readWord(
  text: string,
  localize: Localize,
): { readonly action: 'back' } | undefined {
  return isWord(text, t`back`, localize) ? { action: 'back' } : undefined;
}

type RecapAnswer = { readonly action: 'again' | 'back' } | { readonly answer: 'yes' };

/** The recap has two more words. */
export function readRecap(text: string, localize: Localize): RecapAnswer | undefined {
  if (isWord(text, t`again`, localize)) return { action: 'again' };
  if (isWord(text, t`yes`, localize)) return { answer: 'yes' };
  return readWord(text, localize);
}

/** Replaces the API's wording by the words that a user types. */
export function inWords({ parts, values }: Message): Message {
  const typed = parts.map((part) =>
    part.replace(/([Ss])end the action back/g, (_, s: string) =>
      s === 'S' ? 'Type back' : 'type back',
    ),
  );
  return new Message(
    typed,
    values.map((value) => (value instanceof Message ? inWords(value) : value)),
  );
}

/** Why an answer is refused, what to do unless that is empty, and which answers would be accepted. */
export function toldWrong(
  { error, fix, suggestions }: WrongAnswer,
  localize: Localize,
): readonly string[] {
  const named = toldSuggestions({ fix, suggestions });
  const like = named.length === 0 ? [] : [localize(t`Such as: ${named.join(', ')}`)];
  return [`${localize(error)}.`, ...(String(fix) === '' ? [] : [localize(fix)]), ...like];
}

/** Returns the suggestions, unless the advice names all of them already. */
export function toldSuggestions({
  fix,
  suggestions,
}: Pick<WrongAnswer, 'fix' | 'suggestions'>): readonly string[] {
  const said = String(fix);
  return suggestions.every((one) => said.includes(one)) ? [] : suggestions;
}
