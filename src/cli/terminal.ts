/** The user's terminal: what is written, what is asked, what is going on. */
import { ScripError } from '../domain/errors.ts';
import type { OutputStream, Progress, Prompter } from './context.ts';
import { escapeText } from './output/escape.ts';

/** Where the width is not known. */
const USUAL_COLUMNS = 80;

/** Wraps a standard stream. @param env for NO_COLOR and TERM */
export function outputStream(
  stream: NodeJS.WriteStream,
  env: Readonly<Record<string, string | undefined>>,
): OutputStream {
  const isTerminal = stream.isTTY === true;
  const isColorWanted = (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  return {
    write: (text) => {
      if (text !== '') stream.write(text);
    },
    isTerminal,
    get columns() {
      return stream.columns || USUAL_COLUMNS;
    },
    hasColor: isTerminal && isColorWanted,
  };
}

/** Waits until all output was taken; gives the error that it met, unless the reader had enough. */
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
        resolve(met.error);
      });
    });
}

interface PromptOptions {
  readonly mayPrompt: boolean;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Asks on stderr, so that stdout holds data alone; the answer is no unless it is yes. */
export function createPrompter(options: PromptOptions): Prompter {
  return {
    confirm: (message) =>
      ask(options, async ({ confirm }, terminal) => confirm({ message, default: false }, terminal)),
    text: (message) => ask(options, async ({ input }, terminal) => input({ message }, terminal)),
  };
}

type Library = typeof import('./inquirer.ts');

/** Nobody is asked unless standard input is a terminal: what is piped in answers nothing. */
async function ask<T>(
  { mayPrompt, output, signal }: PromptOptions,
  question: (library: Library, terminal: Pick<PromptOptions, 'output' | 'signal'>) => Promise<T>,
): Promise<T> {
  if (!mayPrompt) throw new ScripError('TERMINAL_REQUIRED', 'nobody can be asked here');
  const library = await import('./inquirer.ts');
  try {
    return await question(library, { output, signal });
  } catch (cause) {
    throw new ScripError('INTERRUPTED', 'stopped at the question; nothing was sent', {
      cause,
      fundsAtRisk: 'none',
      hint: 'Run the command again.',
    });
  }
}

/** Says nothing. */
export const silent: Progress = { step: () => undefined, done: () => undefined };

/** A line for each step. */
export function plainProgress(stream: OutputStream): Progress {
  const say = (text: string): void => stream.write(`${escapeText(text)}\n`);
  return {
    step: say,
    done: (text) => {
      if (text !== undefined) say(text);
    },
  };
}

/** A spinner, loaded at the first step. */
export function spinner(stream: NodeJS.WriteStream): Progress {
  const state: { wanted?: string | undefined; show?: (text: string | undefined) => void } = {};
  const load = async (): Promise<void> => {
    const { default: ora } = await import('ora');
    // Standard input stays with the prompts, and Ctrl-C with the program.
    const shown = ora({ stream, discardStdin: false });
    state.show = (text) => {
      if (text === undefined) shown.stop();
      else if (shown.isSpinning) shown.text = text;
      else shown.start(text);
    };
    if (state.wanted !== undefined) state.show(state.wanted);
  };
  const want = (text: string | undefined): void => {
    const isFirst = state.wanted === undefined && state.show === undefined && text !== undefined;
    state.wanted = text;
    state.show?.(text);
    // Progress is a courtesy: without the library the work goes on in silence.
    if (isFirst) load().catch(() => undefined);
  };
  return {
    step: (text) => want(escapeText(text)),
    done: (text) => {
      want(undefined);
      if (text !== undefined) stream.write(`${escapeText(text)}\n`);
    },
  };
}
