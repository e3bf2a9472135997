/** Runs one question of the prompt library, which the user can cancel. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';

export interface QuestionOptions {
  readonly input: () => NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

export type Library = typeof import('./inquirer.ts');

export interface Streams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/**
 * Asks the question.
 * @throws {ScripError} INTERRUPTED when the user cancels it, and errors of the question
 */
export async function atQuestion<T>(
  options: QuestionOptions,
  { isEscapeTaken }: { readonly isEscapeTaken: boolean },
  ask: (library: Library, streams: Streams) => Promise<T>,
): Promise<T> {
  const library = await import('./inquirer.ts');
  const { output, signal } = options;
  const input = options.input();
  const left = new AbortController();
  // Ctrl-D closes the prompt without an answer, and the library does not report it.
  const watch = (_text: string, key?: { readonly ctrl?: boolean; readonly name?: string }) => {
    const isClosed = key?.ctrl === true && key.name === 'd';
    if (isClosed || (isEscapeTaken && key?.name === 'escape')) left.abort();
  };
  input.on('keypress', watch);
  try {
    return await ask(library, { input, output, signal: AbortSignal.any([signal, left.signal]) });
  } catch (cause) {
    if (cause instanceof ScripError) throw cause;
    throw new ScripError('INTERRUPTED', t`Stopped at the question; nothing was sent`, {
      cause,
      fundsAtRisk: 'none',
      hint: t`Run the command again.`,
    });
  } finally {
    input.removeListener('keypress', watch);
  }
}
