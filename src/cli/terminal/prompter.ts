/** Yes-or-no questions, and questions for a line of text. */

import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { inEnglish, type Localize } from '../i18n/localize.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import { wrapWords } from '../output/wrap.ts';
import type { ConfirmOptions, Prompter } from './ports.ts';
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

export interface QuestionOptions {
  readonly input: () => NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

export type Library = typeof import('./inquirer.ts');

/** The library reads it when the question ends. */
export interface Streams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  /** Whether nothing of the question stays on the screen. */
  clearPromptOnDone: boolean;
}

/**
 * Asks the question. If the user cancels it, the question stays on the screen without its list, its help and
 * what was wrong with the text.
 * @throws {ScripError} INTERRUPTED when the user cancels it, and errors of the question
 */
export async function atQuestion<T>(
  options: QuestionOptions,
  { message, isEscapeTaken }: { readonly message: string; readonly isEscapeTaken: boolean },
  ask: (library: Library, streams: Streams) => Promise<T>,
): Promise<T> {
  const library = await import('./inquirer.ts');
  const { output, signal } = options;
  const input = options.input();
  const left = new AbortController();
  const streams: Streams = {
    input,
    output,
    signal: AbortSignal.any([signal, left.signal]),
    clearPromptOnDone: false,
  };
  // Ctrl-D closes the prompt without an answer, and the library does not report it.
  const watch = (_text: string, key?: { readonly ctrl?: boolean; readonly name?: string }) => {
    const isClosed = key?.ctrl === true && key.name === 'd';
    const isLeft = isClosed || (isEscapeTaken && key?.name === 'escape');
    if (isLeft || (key?.ctrl === true && key.name === 'c')) streams.clearPromptOnDone = true;
    if (isLeft) left.abort();
  };
  input.on('keypress', watch);
  try {
    return await ask(library, streams);
  } catch (cause) {
    if (cause instanceof ScripError) throw cause;
    if (streams.clearPromptOnDone) output.write(`? ${message}\n`);
    throw new ScripError('INTERRUPTED', t`Stopped at the question; nothing was sent`, {
      cause,
      fundsAtRisk: 'none',
      hint: t`Run the command again.`,
    });
  } finally {
    input.removeListener('keypress', watch);
  }
}
