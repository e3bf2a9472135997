/** The questions on a terminal: filtered lists, validated texts, the recap as a summary. */

import { escapeText, type Message, t } from '../../domain/message/message.ts';
import { isOwnNetwork } from '../../domain/payment/payment-means.ts';
import { askStep } from '../../domain/wizard/wizard.ts';
import {
  type AnswerKey,
  type Answers,
  isWrong,
  PRODUCT_TYPE_LABELS,
  PRODUCT_TYPES,
  type StepKey,
  type WizardHost,
  type WrongAnswer,
} from '../../domain/wizard/wizard-step.ts';
import { narrowOptions, STEPS } from '../../domain/wizard/wizard-steps.ts';
import type { With } from '../context.ts';
import type { Localize } from '../i18n/localize.ts';
import { drawLines, drawSummary } from '../ordering/summary.ts';
import { sentenceText, wrapWords } from '../output/wrap.ts';
import type { Choice, Narrowed } from '../terminal/ports.ts';
import {
  type Answer,
  type Asked,
  type Interviewer,
  QUESTIONS,
  readRecap,
  readWord,
  toldWrong,
} from './interview.ts';
import { recapOf } from './order-preview.ts';

const BACK = 'back';
const OTHER_AMOUNT = 'other';
/** Longer lists are filtered by typing, not scrolled. */
const MOST_SHOWN = 40;
const LONGEST_FORMAT = 150;

/** The explanation after the value in a label. */
const ABOUT_IT = / {2}\(.*\)$/;

const TYPED: ReadonlySet<StepKey> = new Set(['beneficiary_account', 'user_email']);

export function createScreen(context: With<'settings' | 'io'>): Interviewer {
  const {
    io: { stderr, progress, localize },
  } = context;
  const say = (text: string): void => {
    progress.done();
    stderr.write(sentenceText(text, stderr));
  };
  const shown = new Set<string>();
  return {
    say: (text) => say(localize(text)),
    // Each only once: a recap with a new price asks the questions again.
    taken({ question, number, answer }) {
      const about = aboutNetwork(context, question.step, answer);
      const label = withAbout(labelOf(answer, localize), about && localize(about));
      const line = `✔ ${number}/${QUESTIONS} ${localize(question.question)} ${label}`;
      if (!shown.has(line)) say(line);
      shown.add(line);
    },
    async recap(_answers, preview) {
      progress.done();
      stderr.write(await drawSummary(recapOf(preview), context.io));
    },
    async ask(asked) {
      progress.done();
      const { step } = asked.question;
      const wrong = asked.wrong === undefined ? [] : toldWrong(asked.wrong, localize);
      for (const line of wrong) stderr.write(`${indented(line, context)}\n`);
      if (step === 'confirmation') return confirm(context, asked);
      const message = `${numberOf(asked)}${localize(asked.question.question)}`;
      const given = TYPED.has(step)
        ? await typed(context, asked, message)
        : await picked(context, asked, message);
      return readWord(given, localize) ?? { answer: labelled(given, localize) };
    },
  };
}

function numberOf({ number }: Asked): string {
  return number === 0 ? '' : `${number}/${QUESTIONS} `;
}

/** Whether there is a previous question. */
function mayGoBack({ number }: Asked): boolean {
  return number > 1;
}

/** Enter alone accepts the suggested answer. */
function typed(context: With<'io'>, asked: Asked, message: string): Promise<string> {
  const { dialog, localize } = context.io;
  return dialog.type({
    message: `${message}${mayGoBack(asked) ? localize(t` (or back)`) : ''}`,
    proposal: asked.proposal,
    check: async (text) =>
      readWord(text, localize)
        ? undefined
        : explained(besideBounds(asked, await asked.check(text)), context),
  });
}

/** `back` at "another amount" returns to the list. */
async function picked(
  context: With<'settings' | 'io'>,
  asked: Asked,
  message: string,
): Promise<string> {
  const { dialog, localize } = context.io;
  const given = await dialog.pick({
    message,
    help: helpOf(asked, localize),
    narrow: (text) => narrowed(context, asked, text),
    takes: async (text) =>
      (mayGoBack(asked) && readWord(text, localize) !== undefined) ||
      (await asked.check(labelled(text, localize))) === undefined,
  });
  if (given !== OTHER_AMOUNT || asked.bounds === undefined) return given;
  const format = escapeText(localize(asked.bounds), LONGEST_FORMAT);
  const other = await typed(
    context,
    { ...asked, proposal: undefined },
    `${numberOf(asked)}${localize(t`Another amount`)}: ${format}`,
  );
  return readWord(other, localize) ? picked(context, asked, message) : other;
}

/** Labels for the interface's own values; other values are shown unchanged. */
function labelOf(value: string, localize: Localize): string {
  const type = PRODUCT_TYPES.find((known) => known === value);
  return type === undefined ? value : localize(PRODUCT_TYPE_LABELS[type]);
}

/** The value of a label that the user typed, or completed with Tab. */
function labelled(text: string, localize: Localize): string {
  const label = text.replace(ABOUT_IT, '').trim().toLowerCase();
  return (
    PRODUCT_TYPES.find((type) => localize(PRODUCT_TYPE_LABELS[type]).toLowerCase() === label) ??
    text
  );
}

/** The amounts that are sold stand beside the question, so advice that names them again is left out. */
function besideBounds({ bounds }: Asked, wrong: WrongAnswer | undefined): WrongAnswer | undefined {
  if (bounds === undefined || wrong === undefined || wrong.suggestions.length === 0) return wrong;
  return { ...wrong, fix: t`` };
}

/** The prompt puts a mark of two columns before the first line. */
function explained(wrong: WrongAnswer | undefined, context: With<'io'>): string | undefined {
  return (
    wrong &&
    toldWrong(wrong, context.io.localize)
      .map((line) => indented(line, context))
      .join('\n')
      .trimStart()
  );
}

/** A sentence two columns in, its continuation lines too. */
function indented(text: string, { io: { stderr } }: With<'io'>): string {
  const lines = wrapWords(escapeText(text), stderr.columns - 2);
  return lines.map((line) => `  ${line}`).join('\n');
}

function helpOf(asked: Asked, localize: Localize): string {
  const format = asked.bounds && escapeText(localize(asked.bounds), LONGEST_FORMAT);
  const bounds = format === undefined ? '' : `${format}\n`;
  const back = mayGoBack(asked) ? localize(t` · "back" goes back`) : '';
  return `${bounds}${localize(t`Type to filter · ↑↓ move · Enter selects`)}${back}`;
}

async function narrowed(
  context: With<'settings' | 'io'>,
  asked: Asked,
  typed: string,
): Promise<Narrowed> {
  const { localize } = context.io;
  // Tab copies a whole label into the input.
  const text = labelled(typed.replace(ABOUT_IT, ''), localize);
  const hasBack = mayGoBack(asked);
  const isBack = readWord(text, localize) !== undefined;
  const back = hasBack ? [{ value: BACK, label: `← ${localize(t`back`)}` }] : [];
  const values = await proposedFirst(asked, isBack ? '' : text);
  if (hasBack && isBack) {
    const like = await asked.narrow(text);
    return { remarks: [], choices: [...back, ...(await choicesOf(context, asked, like))] };
  }
  if (values.length > 0) {
    const more = values.length - MOST_SHOWN;
    const remark = t`${values.length} to choose from: type a part of the name`;
    const remarks = more > 0 ? [localize(remark)] : [];
    const choices = await choicesOf(context, asked, values);
    return { remarks, choices: [...choices, ...otherAmount(asked, text, localize), ...back] };
  }
  const other = otherAmount(asked, text, localize);
  if (other.length > 0) return { remarks: [], choices: other };
  // Without a choice Enter does nothing, so nothing is chosen by accident.
  const wrong = besideBounds(asked, await asked.check(text));
  if (wrong === undefined) return { remarks: [], choices: [{ value: text, label: text }] };
  return { remarks: toldWrong(wrong, localize), choices: [] };
}

/** The choice to type an amount, which a part of its own words also finds. */
function otherAmount({ bounds }: Asked, text: string, localize: Localize): readonly Choice[] {
  const label = localize(t`another amount`);
  const isNamed = label.toLowerCase().includes(text.trim().toLowerCase());
  return bounds !== undefined && isNamed ? [{ value: OTHER_AMOUNT, label }] : [];
}

/** Explains values of the interface. */
const ABOUT: Readonly<Record<string, Message>> = {
  giftcard: t`a code, shown here`,
  mobile_topup: t`credit or data for a phone`,
};

function choicesOf(
  context: With<'settings' | 'io'>,
  asked: Asked,
  values: readonly string[],
): Promise<readonly Choice[]> {
  const { localize } = context.io;
  return Promise.all(
    values.slice(0, MOST_SHOWN).map(async (value) => {
      const price = await priceOf(asked, value);
      const ours = Object.hasOwn(ABOUT, value) ? ABOUT[value] : undefined;
      const known = ours ?? aboutNetwork(context, asked.question.step, value);
      const about = price ?? (known && localize(known));
      return { value, label: withAbout(labelOf(value, localize), about) };
    }),
  );
}

function withAbout(label: string, about: string | undefined): string {
  return about === undefined ? label : `${label}  (${about})`;
}

/** The embedded sandbox has a chain of its own for one network; payments on the others are simulated. */
function aboutNetwork(
  { settings }: With<'settings'>,
  step: Asked['question']['step'],
  value: string,
): Message | undefined {
  const isPlayed = settings.isEmbedded && step === 'network' && !isOwnNetwork(value);
  return isPlayed ? t`simulated` : undefined;
}

/** Requests the price of a typed amount only once it is chosen. */
function priceOf(
  { question, price, listPrice }: Asked,
  amount: string,
): Promise<string | undefined> {
  if (question.step !== 'amount') return Promise.resolve(undefined);
  return question.options.includes(amount) ? price(amount) : listPrice(amount);
}

/** All options, the suggested one first; or the options that match a text. */
async function proposedFirst(
  { narrow, proposal }: Asked,
  text: string,
): Promise<readonly string[]> {
  const values = await narrow(text);
  if (text !== '' || proposal === undefined) return values;
  const [first] = await narrow(proposal);
  return first === undefined ? values : [...new Set([first, ...values])];
}

/** Asks for a typed word: Enter alone, perhaps pressed once too often, must not buy anything. */
async function confirm(context: With<'io'>, asked: Asked): Promise<Answer> {
  const { dialog, localize, stderr } = context.io;
  const { preview, number, check } = asked;
  const isBuyable = preview?.problem === undefined;
  const isMore = (text: string): boolean => text.trim() === '?' && preview !== undefined;
  const buy = preview?.input.isPaid === false ? t`place the order` : t`buy it`;
  const question = isBuyable
    ? t`Is everything right? Type yes to ${buy}`
    : t`The order has a problem. Type again to check again`;
  const given = await dialog.type({
    isWord: true,
    message: `${number}/${QUESTIONS} ${localize(question)}${localize(t` (or back, or ? for more)`)}`,
    check: async (text) => {
      if (isMore(text)) return undefined;
      const read = readRecap(text, localize);
      if (read !== undefined && 'action' in read) return undefined;
      return explained(await check(read?.answer ?? text), context);
    },
  });
  if (isMore(given)) {
    stderr.write(await drawLines(preview?.more ?? [], context.io));
    return confirm(context, asked);
  }
  return readRecap(given, localize) ?? { answer: given };
}

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
  const asked = await askStep(host, step, answers);
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
      bounds: key === 'amount' ? asked.expectedFormat : undefined,
      listPrice: async () => undefined,
      price: async () => undefined,
    });
    return taken('answer' in answer ? answer.answer : '');
  };
  const taken = async (text: string): Promise<string> => {
    const read = await step.accept(host, answers, text);
    return isWrong(read) ? put(read) : read.value;
  };
  return typed === undefined ? put(undefined) : taken(typed);
}
