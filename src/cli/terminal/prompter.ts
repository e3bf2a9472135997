/** Yes-or-no questions, and questions for a line of text. */

import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';
import { inEnglish, type Localize } from '../i18n/localize.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import { wrapWords } from '../output/wrap.ts';
import type { ConfirmOptions, Prompter } from './ports.ts';
import { atQuestion, type Library, type QuestionOptions, type Streams } from './question.ts';
import { DEFAULT_COLUMNS } from './terminal.ts';

interface PromptOptions extends QuestionOptions {
  readonly mayPrompt: boolean;
  readonly hasColor?: boolean;
  readonly localize?: Localize;
}

/** Asks on stderr, since stdout is for data. */
export function createPrompter(options: PromptOptions): Prompter {
  const { localize = inEnglish } = options;
  return {
    confirm: (question, how = {}) => agreed(options, question, how),
    text: async (question) => {
      const message = wrapped(localize(question), options);
      const theme = { style: readable(await paintFor({ hasColor: options.hasColor ?? false })) };
      return ask(options, message, ({ input }, streams) => input({ message, theme }, streams));
    },
  };
}

/** Accepts only yes, no, Enter and `?`: a stray key neither buys nor declines. */
async function agreed(
  options: PromptOptions,
  question: Message,
  { isYesUsual = false, more }: ConfirmOptions,
): Promise<boolean> {
  const { localize = inEnglish, hasColor = false } = options;
  const { bold, red } = await paintFor({ hasColor });
  const keys = more === undefined ? (isYesUsual ? t`(Y/n)` : t`(y/N)`) : t`(y/N/?)`;
  const message = wrapped(`${localize(question)}${JOINT}${localize(keys)}`, options);
  const isMore = (typed: string): boolean => more !== undefined && typed.trim() === '?';
  const wrong = localize(wrongText(isYesUsual, more !== undefined));
  for (;;) {
    const state = { isDone: false };
    const typed = await ask(options, message, ({ input }, streams) =>
      input(
        {
          message,
          validate: (text) =>
            isMore(text) || yesOrNo(text, isYesUsual, localize) !== undefined || wrong,
          transformer: (text, { isFinal }) => {
            state.isDone = isFinal;
            const answer = isFinal ? yesOrNo(text, isYesUsual, localize) : undefined;
            return answer === undefined ? text : bold(localize(answer ? t`Yes` : t`No`));
          },
          theme: {
            ...CLEARED,
            // The library would keep what was wrong with an earlier text below the answer.
            style: {
              ...readable({ bold }),
              error: (text: string) => (state.isDone ? '' : red(`> ${text}`)),
            },
          },
        },
        streams,
      ),
    );
    const answer = yesOrNo(typed, isYesUsual, localize);
    if (answer !== undefined) return answer;
    await more?.();
  }
}

/** Columns for the mark before a question, and for its answer. */
const BESIDE = 2 + 4;

/** Stands for a space at which no line ends: the keys stay beside the last word. */
const JOINT = '\u00a0';

/** The library would break a long question before a space, and its answer from it. */
function wrapped(message: string, { output }: Pick<PromptOptions, 'output'>): string {
  const room = (output.columns || DEFAULT_COLUMNS) - BESIDE;
  return wrapWords(message, room).join('\n').replaceAll(JOINT, ' ');
}

/** Clears an invalid word; without this setting, the text stays in the line to be corrected. */
export const CLEARED = { validationFailureMode: 'clear' } as const;

/** Instead of the library's cyan, which is not readable on white. */
export const readable = ({ bold }: Pick<Paint, 'bold'>) =>
  ({ answer: bold, highlight: bold, searchTerm: String, description: String }) as const;

function wrongText(isYesUsual: boolean, hasMore: boolean): Message {
  if (hasMore) return t`Type y for yes, n for no or ? for more. Enter alone means no.`;
  return isYesUsual
    ? t`Type y for yes or n for no. Enter alone means yes.`
    : t`Type y for yes or n for no. Enter alone means no.`;
}

/** Undefined for any other text. */
function yesOrNo(typed: string, isYesUsual: boolean, localize: Localize): boolean | undefined {
  if (typed.trim() === '') return isYesUsual;
  const isOneOf = (...words: readonly Message[]): boolean =>
    words.some((word) => isWord(typed, word, localize));
  if (isOneOf(t`y`, t`yes`)) return true;
  return isOneOf(t`n`, t`no`) ? false : undefined;
}

/** Whether the user typed a word, in English or in their language, ignoring accents. */
export function isWord(typed: string, word: Message, localize: Localize): boolean {
  return [String(word), localize(word)].some((known) => plain(known) === plain(typed));
}

function plain(text: string): string {
  return text.trim().toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}

/** Asks only on a terminal: piped input never answers a question. */
async function ask<T>(
  options: PromptOptions,
  message: string,
  question: (library: Library, streams: Streams) => Promise<T>,
): Promise<T> {
  if (!options.mayPrompt) {
    throw new ScripError('TERMINAL_REQUIRED', t`There is no terminal to ask on`);
  }
  // Esc cancels; in a list it may be a mistyped arrow key.
  return atQuestion(options, { message, isEscapeTaken: true }, question);
}
