/** The questions as lines: for screen readers, and for scripts that feed answers to standard input. */
import { ScripError } from '../../domain/errors.ts';
import type { StepKey, WrongAnswer } from '../../domain/wizard-step.ts';
import type { Context } from '../context.ts';
import { escapeText } from '../output/escape.ts';
import { recapLines } from './card.ts';
import {
  type Answer,
  type Asked,
  type Interviewer,
  QUESTIONS,
  readRecap,
  readWord,
} from './interview.ts';

/** A screen reader reads every one of them. */
const MOST_OPTIONS = 20;

/** Where a number is an answer of its own, an option is taken by #number alone. */
const NUMERIC: ReadonlySet<StepKey> = new Set(['amount', 'beneficiary_account']);

type Needs = Pick<Context, 'readLine' | 'stderr' | 'settings' | 'progress'>;

/** @param isHeard whether anybody reads what is asked */
export function createPlain(context: Needs, isHeard: boolean): Interviewer {
  const { readLine, stderr, progress, settings } = context;
  const say = (text: string): void => {
    progress.done();
    if (isHeard) stderr.write(`${escapeText(text)}\n`);
  };
  return {
    say,
    recap(answers, deal) {
      for (const [label, value] of recapLines(settings, answers, deal)) say(`${label}: ${value}`);
    },
    async ask(asked) {
      const options = await optionsOf(asked);
      for (const line of linesOf(asked, options)) say(line);
      const line = await readLine();
      if (line === undefined) throw missing(asked);
      return readAnswer(asked, line, options);
    },
  };
}

function missing({ question, number }: Asked): ScripError {
  return new ScripError(
    'ANSWERS_MISSING',
    `the answers end before question ${number} of ${QUESTIONS}: ${question.question}`,
    { details: { question: question.step, answered: Object.keys(question.answers) } },
  );
}

/** Those of an amount with their price, where it is known. */
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
): readonly string[] {
  const back = number > 1 ? ', or back' : '';
  const isRecap = question.step === 'confirmation';
  const said = isRecap ? 'Is everything right?' : question.question;
  const format = isRecap ? 'yes' : question.expectedFormat;
  const asked = `Question ${number} of ${QUESTIONS}: ${said} Answer: ${format}${back}.`;
  // Told once: the suggestions stand where an answer was wrong.
  if (wrong !== undefined) return [...wrongLines(wrong), asked];
  const hidden = question.options.length - options.length;
  return [
    asked,
    ...(isRecap ? [] : options.map((option, index) => `${index + 1}. ${option}`)),
    ...(hidden > 0 ? [`${hidden} more are taken by name.`] : []),
  ];
}

function wrongLines({ error, fix, suggestions }: WrongAnswer): readonly string[] {
  const like = suggestions.length === 0 ? [] : [`Such as: ${suggestions.join(', ')}`];
  return [`Not taken: ${error}. ${fix}`, ...like];
}

/** What is right as it stands is taken as it stands; else a number may mean an option. */
async function readAnswer(
  { question, check }: Asked,
  line: string,
  shown: readonly string[],
): Promise<Answer> {
  const word = question.step === 'confirmation' ? readRecap(line) : readWord(line);
  if (word !== undefined) return word;
  const [, sign = '', digits = ''] = /^\s*(#?)([1-9]\d{0,2})\s*$/.exec(line) ?? [];
  const option = question.options[Number(digits) - 1];
  const isOption = option !== undefined && Number(digits) <= shown.length;
  if (!isOption || (sign === '' && NUMERIC.has(question.step))) return { answer: line };
  if (sign === '' && (await check(line)) === undefined) return { answer: line };
  return { answer: option };
}
