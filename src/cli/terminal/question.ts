/** Runs one question of the prompt library, which the user can cancel. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';

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
