/** Runs a program that the user named: its words as they are, no shell, bounded in time. */

import { spawn } from 'node:child_process';
import { errorCode } from '../domain/error-code.ts';
import { type Message, t } from '../domain/message.ts';

export interface ProgramCall {
  /** The program, looked for in PATH where it has no slash, and its arguments. */
  readonly command: readonly string[];
  /** What it reads on standard input. */
  readonly input: string;
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where what it prints goes: our standard error, or nowhere. Standard output holds our data alone. */
  readonly isHeard: boolean;
  readonly timeoutMs: number;
  /** Ends it, as the time does. */
  readonly signal: AbortSignal;
}

/** How it ended: by itself, or why not. */
export type ProgramEnd = { readonly status: number } | { readonly failure: Message };

/** Never rejects: each way the program can end is a value. */
export function runUserProgram(call: ProgramCall): Promise<ProgramEnd> {
  const [file = '', ...args] = call.command;
  const heard = call.isHeard ? 'inherit' : 'ignore';
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      env: { ...call.env },
      // What it says goes where we say things: descriptor 2 in both places.
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
    // A program need not read what it is given.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(call.input);
  });
}
