/** The user's terminal: output, progress, and lines of input. */

import type { Ora } from 'ora';
import type { Waiting } from '../../api/progress.ts';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { escapeText, type Message, t } from '../../domain/message/message.ts';
import type { Localize } from '../i18n/localize.ts';
import { type ColorChoice, type Environment, opensLinks } from '../output/paint.ts';
import { besideLabel, fitWords, sentenceText, textWidth } from '../output/wrap.ts';
import type { OutputStream, Progress } from './ports.ts';

/** Used if the terminal's size is unknown. */
export const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

/** Wraps a standard stream. @param env tells what the terminal supports */
export function outputStream(
  stream: NodeJS.WriteStream,
  env: Environment,
  color: ColorChoice,
): OutputStream {
  const isTerminal = stream.isTTY === true;
  const hasColor = color === 'auto' ? isTerminal && env.TERM !== 'dumb' : color === 'always';
  return {
    write: (text) => {
      if (text.length > 0) stream.write(text);
    },
    isTerminal,
    get columns() {
      return stream.columns || DEFAULT_COLUMNS;
    },
    get rows() {
      return stream.rows || DEFAULT_ROWS;
    },
    hasColor,
    hasLinks: isTerminal && hasColor && opensLinks(env),
  };
}

/** Waits until all output is written; returns the error that occurred, except for a closed pipe. */
export function watchOutput(stream: NodeJS.WriteStream): () => Promise<unknown> {
  const met: { error?: NodeJS.ErrnoException } = {};
  const keep = (error?: NodeJS.ErrnoException | null): void => {
    if (error && error.code !== 'EPIPE') met.error ??= error;
  };
  stream.on('error', keep);
  return () =>
    new Promise((resolve) => {
      stream.write('', (error) => {
        keep(error);
        // Bun reports a failed write only after accepting the next one.
        setImmediate(() => resolve(met.error));
      });
    });
}

/** Prints nothing. */
export const silent: Progress = { step: () => undefined, done: () => undefined };

/** Prints one line per step. */
export function plainProgress(stream: OutputStream, localize: Localize): Progress {
  const say = (text: string): void => stream.write(sentenceText(text, stream));
  return {
    step: (text) => say(localize(text)),
    done: (text, mark) => {
      if (text !== undefined)
        say(mark === undefined ? localize(text) : `${mark} ${localize(text)}`);
    },
  };
}

/** Without colour nothing is redrawn: prints finished steps, and what is being waited for. */
export function finishedSteps(stream: OutputStream, localize: Localize): Progress {
  const told = new Set<string>();
  return {
    step: (text, waiting) => {
      if (waiting === undefined || told.has(String(text))) return;
      told.add(String(text));
      stream.write(sentenceText(waitingText(localize(text), { waiting, localize }), stream));
    },
    done: (text, mark = CHECK) => {
      if (text !== undefined) stream.write(markedText(mark, localize(text), stream));
    },
  };
}

/** A finished step, its lines aligned after the mark. */
function markedText(
  mark: string,
  text: string,
  { columns }: Pick<OutputStream, 'columns'>,
): string {
  const [first = '', ...rest] = besideLabel(escapeText(text), { margin: 2, columns });
  return [`${mark} ${first}`, ...rest].map((line) => `${line}\n`).join('');
}

const CHECK = '✔';
const TICK_MS = 1_000;
/** Shorter waits show no clock. */
const TOLD_FROM_MS = 2_000;

/** What is awaited, the time so far and usual, and whether the user may leave; as much as fits the line. */
function waitingText(
  text: string,
  {
    waiting = {},
    elapsedMs = 0,
    columns = Number.POSITIVE_INFINITY,
    localize,
  }: {
    readonly waiting?: Waiting | undefined;
    readonly elapsedMs?: number;
    readonly columns?: number;
    readonly localize: Localize;
  },
): string {
  const elapsed = elapsedMs < TOLD_FROM_MS ? '' : `  ${clockText(elapsedMs)}`;
  const { usualMs, isSafe = false } = waiting;
  const usual = usualMs === undefined ? '' : `, ${localize(t`usually ${clockText(usualMs)}`)}`;
  const safe = isSafe ? ` · ${localize(t`Ctrl-C is safe`)}` : '';
  const choices = [
    `${text}${elapsed}${usual}${safe}`,
    `${text}${elapsed}${safe}`,
    `${text}${elapsed}`,
  ];
  return choices.find((choice) => textWidth(choice) <= columns) ?? fitWords(text, columns);
}

/** Such as `0:14`. */
function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Width of the spinner before its text. */
const SPINNER_WIDTH = 3;

interface Step {
  readonly text: Message;
  readonly waiting: Waiting | undefined;
  readonly sinceMs: number;
}

/** A spinner; its library loads at the first step. */
export function spinner(stream: NodeJS.WriteStream, localize: Localize, clock: Clock): Progress {
  const state: {
    current?: Step | undefined;
    ticking?: AbortController | undefined;
    shown?: Ora;
    isLoading?: boolean;
  } = {};
  const textNow = ({ text, waiting, sinceMs }: Step): string =>
    escapeText(
      waitingText(localize(text), {
        waiting,
        localize,
        elapsedMs: clock.now() - sinceMs,
        columns: (stream.columns || DEFAULT_COLUMNS) - SPINNER_WIDTH,
      }),
    );
  const draw = (): void => {
    const { shown, current } = state;
    if (shown === undefined) return;
    if (current === undefined) shown.stop();
    else if (shown.isSpinning) shown.text = textNow(current);
    else shown.start(textNow(current));
  };
  const load = async (): Promise<void> => {
    const { default: ora } = await import('ora');
    // The prompts read standard input, and the program handles Ctrl-C.
    state.shown = ora({ stream, discardStdin: false });
    draw();
  };
  const tick = async (signal: AbortSignal): Promise<void> => {
    for (;;) {
      await clock.sleep(TICK_MS, signal);
      draw();
    }
  };
  const set = (current: Step | undefined): void => {
    state.current = current;
    if (current === undefined) {
      state.ticking?.abort();
      state.ticking = undefined;
    } else if (state.ticking === undefined) {
      state.ticking = new AbortController();
      tick(state.ticking.signal).catch(() => undefined);
    }
    if (current !== undefined && state.isLoading !== true) {
      state.isLoading = true;
      // Progress is optional: without the library the work continues silently.
      load().catch(() => undefined);
    }
    draw();
  };
  return {
    step: (text, waiting) => {
      // A new text for the same wait keeps its start time.
      const { current } = state;
      const isSame = current !== undefined && waiting?.isSafe === true && current.waiting?.isSafe;
      const sinceMs = isSame === true ? current.sinceMs : clock.now();
      const usualMs = waiting?.usualMs ?? (isSame === true ? current.waiting?.usualMs : undefined);
      set({ text, sinceMs, waiting: waiting && { ...waiting, usualMs } });
    },
    done: (text, mark = CHECK) => {
      set(undefined);
      if (text === undefined) return;
      const shown = mark === CHECK ? `\u001b[32m${mark}\u001b[39m` : mark;
      const columns = stream.columns || DEFAULT_COLUMNS;
      stream.write(markedText(shown, localize(text), { columns }));
    },
  };
}

/** Maximum length of a line; no answer is longer. */
const MAX_LINE = 4_096;

/** Returns the next line without its line break; undefined at the end. */
type LineReader = () => Promise<string | undefined>;

/**
 * Opens the input when the first line is read.
 * @throws {ScripError} INPUT_INVALID for a line that is too long, and the signal's reason
 */
export function createLineReader(
  open: () => AsyncIterable<Uint8Array | string>,
  signal: AbortSignal,
): LineReader {
  const decoder = new TextDecoder();
  const state: { input?: AsyncIterator<Uint8Array | string>; rest: string; isOver: boolean } = {
    rest: '',
    isOver: false,
  };
  const readMore = async (): Promise<void> => {
    state.input ??= open()[Symbol.asyncIterator]();
    const { done, value } = await unlessAborted(state.input.next(), signal);
    state.isOver = done === true;
    if (state.isOver) state.rest += decoder.decode();
    else state.rest += typeof value === 'string' ? value : decoder.decode(value, { stream: true });
  };
  return async () => {
    for (;;) {
      const end = state.rest.indexOf('\n');
      if (end > MAX_LINE || (end === -1 && state.rest.length > MAX_LINE)) throw tooLong();
      if (end !== -1) {
        const line = state.rest.slice(0, end);
        state.rest = state.rest.slice(end + 1);
        return line.replace(/\r$/, '');
      }
      if (state.isOver) {
        const last = state.rest;
        state.rest = '';
        return last === '' ? undefined : last;
      }
      await readMore();
    }
  };
}

function tooLong(): ScripError {
  return new ScripError('INPUT_INVALID', t`A line is longer than ${MAX_LINE} characters`);
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
