/** Runs a program that the user configured: exact arguments, no shell, a time limit. */

import { spawn } from 'node:child_process';
import { errorCode } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';

export interface ProgramCall {
  /** The program and its arguments; a name without a slash is looked up in PATH. */
  readonly command: readonly string[];
  /** Text for its standard input. */
  readonly input: string;
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether its output goes to our stderr; otherwise it is discarded. Our stdout holds only our data. */
  readonly isHeard: boolean;
  readonly timeoutMs: number;
  /** Aborting kills the program, as the time limit does. */
  readonly signal: AbortSignal;
}

/** The exit status, or why there is none. */
export type ProgramEnd = { readonly status: number } | { readonly failure: Message };

/** Runs the program. Never rejects: each way the program can end is a value. */
export function runUserProgram(call: ProgramCall): Promise<ProgramEnd> {
  const [file = '', ...args] = call.command;
  const heard = call.isHeard ? 'inherit' : 'ignore';
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      env: { ...call.env },
      // Its stdout and stderr both go to our stderr, descriptor 2.
      stdio: ['pipe', call.isHeard ? 2 : 'ignore', heard],
    });
    const end = { isLate: false };
    const kill = (): void => {
      child.kill('SIGKILL');
    };
    const timer = setTimeout(() => {
      end.isLate = true;
      kill();
    }, call.timeoutMs);
    const finish = (result: ProgramEnd): void => {
      clearTimeout(timer);
      call.signal.removeEventListener('abort', kill);
      resolve(result);
    };
    if (call.signal.aborted) kill();
    call.signal.addEventListener('abort', kill, { once: true });
    child.once('error', (cause) =>
      finish({ failure: t`it cannot be run (${errorCode(cause) ?? t`unknown error`})` }),
    );
    child.once('close', (status, ended) => {
      if (status !== null) return finish({ status });
      const late = t`it did not end within ${call.timeoutMs / 1_000} s`;
      finish({ failure: end.isLate ? late : t`it was ended by ${ended ?? 'a signal'}` });
    });
    // The program need not read its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(call.input);
  });
}
