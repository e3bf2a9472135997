/** The questions as plain lines, for screen readers, and for scripts that write answers to stdin. */

import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { productTypeOf, type StepKey, type WrongAnswer } from '../../domain/wizard/wizard-step.ts';
import type { With } from '../context.ts';
import type { Localize } from '../i18n/localize.ts';
import { localLines } from '../output/local-view.ts';
import { sentenceText } from '../output/wrap.ts';
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

/** A screen reader reads every option. */
const MOST_OPTIONS = 20;

/** Questions to which a number is itself an answer: an option is chosen only by #number. */
const NUMERIC: ReadonlySet<StepKey> = new Set(['amount', 'beneficiary_account']);

type Needs = With<'settings' | 'io'>;

/** Creates the interviewer for plain lines. @param isHeard whether to print to stderr */
export function createPlain(context: Needs, isHeard: boolean): Interviewer {
  const {
    io: { readLine, stderr, progress, localize },
  } = context;
  const say = (text: string): void => {
    progress.done();
    if (isHeard) stderr.write(sentenceText(text, stderr));
  };
  return {
    say: (text) => say(localize(text)),
    // Non-interactive use cannot go back, so prefilled answers are not repeated.
    taken({ question, number, answer }) {
      if (!context.settings.mayPrompt) return;
      say(
        `${localize(t`Question ${number} of ${QUESTIONS}:`)} ${localize(question.question)} ${answer}`,
      );
    },
    async recap(answers, preview) {
      const { title, lines } = recapOf(preview);
      const goods = productTypeOf(answers) === 'mobile_topup' ? t`Top-up` : t`Gift`;
      const all = localLines([[goods, title], ...lines], localize);
      for (const [label, value] of all) say(`${label}: ${value}`);
    },
    async ask(asked) {
      const options = await optionsOf(asked);
      const proposal = proposalOf(context, asked);
      for (const line of linesOf(asked, options, localize)) say(line);
      if (proposal !== undefined) say(localize(t`Press Enter for ${proposal}.`));
      const line = await readLine();
      if (line === undefined) throw missing(asked);
      const { preview } = asked;
      if (line.trim() === '?' && preview !== undefined) {
        for (const [label, value] of localLines(preview.more, localize)) say(`${label}: ${value}`);
        return this.ask(asked);
      }
      if (line.trim() === '' && proposal !== undefined) return { answer: proposal };
      return readAnswer(asked, line, { shown: options, localize });
    },
  };
}

/** A script must answer every question: an empty line is no answer there. */
function proposalOf({ settings }: Needs, { proposal }: Asked): string | undefined {
  return settings.mayPrompt ? proposal : undefined;
}

function missing({ question, number }: Asked): ScripError {
  return new ScripError(
    'ANSWERS_MISSING',
    t`The answers end before question ${number} of ${QUESTIONS}: ${question.question}`,
    { details: { question: question.step, answered: Object.keys(question.answers) } },
  );
}

/** Returns the options; amounts with their price, if known. */
async function optionsOf({ question, listPrice }: Asked): Promise<readonly string[]> {
  const shown = question.options.slice(0, MOST_OPTIONS);
  if (question.step !== 'amount') return shown;
  return Promise.all(
    shown.map(async (value) => {
      const price = await listPrice(value);
      return price === undefined ? value : `${value} (${price})`;
    }),
  );
}

function linesOf(
  { question, number, wrong }: Asked,
  options: readonly string[],
  localize: Localize,
): readonly string[] {
  const back = number > 1 ? localize(t`, or back`) : '';
  const isRecap = question.step === 'confirmation';
  const said = isRecap ? t`Is everything right?` : question.question;
  const format = isRecap ? t`yes` : question.expectedFormat;
  const asked = `${localize(t`Question ${number} of ${QUESTIONS}:`)} ${localize(said)}`;
  const line = `${asked} ${localize(t`Answer:`)} ${localize(format)}${back}.`;
  // Shown once; after a wrong answer, show the suggestions instead.
  if (wrong !== undefined) return [...wrongLines(wrong, localize), line];
  const hidden = question.options.length - options.length;
  return [
    line,
    ...(isRecap ? [] : options.map((option, index) => `${index + 1}. ${option}`)),
    ...(hidden > 0 ? [localize(t`${hidden} more are accepted by name.`)] : []),
  ];
}

function wrongLines(wrong: WrongAnswer, localize: Localize): readonly string[] {
  const [error = '', fix = '', ...like] = toldWrong(wrong, localize);
  return [`${localize(t`Not accepted:`)} ${error} ${fix}`, ...like];
}

/** A valid text is the answer; otherwise a number may select an option. */
async function readAnswer(
  { question, check }: Asked,
  line: string,
  { shown, localize }: { readonly shown: readonly string[]; readonly localize: Localize },
): Promise<Answer> {
  const isRecap = question.step === 'confirmation';
  const word = isRecap ? readRecap(line, localize) : readWord(line, localize);
  if (word !== undefined) return word;
  const [, sign = '', digits = ''] = /^\s*(#?)([1-9]\d{0,2})\s*$/.exec(line) ?? [];
  const option = question.options[Number(digits) - 1];
  const isOption = option !== undefined && Number(digits) <= shown.length;
  if (!isOption || (sign === '' && NUMERIC.has(question.step))) return { answer: line };
  if (sign === '' && (await check(line)) === undefined) return { answer: line };
  return { answer: option };
}
