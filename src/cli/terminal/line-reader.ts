/** Reads standard input line by line: from a pipe, a file or a terminal. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';

/** Maximum length of a line; no answer is longer. */
const MAX_LINE = 4_096;

/** Returns the next line without its line break; undefined at the end. */
export type LineReader = () => Promise<string | undefined>;

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
