/** Starts programs of the user's system: a pager, the opener for URLs, and programs that the user configured. */

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

/**
 * Runs a program that the user configured: exact arguments, no shell, a time limit. Never rejects: each way it
 * can end is a value.
 */
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

/** A program and its arguments, started without a shell. */
type Words = readonly [program: string, ...args: string[]];

/**
 * Starts npm, and waits neither for its start nor for its end.
 * @param to descriptor that its output goes to; `folder` is where it looks for settings of a project
 */
export function startNpm(
  args: readonly string[],
  { to, folder }: { readonly to: number; readonly folder: string },
): void {
  // On Windows it is a batch file, which only a shell starts; none of the words is anyone's.
  const shell = process.platform === 'win32';
  const stdio = ['ignore', to, 'ignore'] as const;
  const child = spawn('npm', [...args], { cwd: folder, detached: true, shell, stdio: [...stdio] });
  child.once('error', () => undefined);
  child.unref();
}

/** Shows the text and waits until the user closes the pager. @returns false if the pager could not start */
export function showInPager(words: Words, text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const [program, ...args] = words;
  return new Promise((resolve) => {
    // Our output is always UTF-8; in another locale less would show its bytes as codes.
    const child = spawn(program, args, {
      env: { LESSCHARSET: 'utf-8', ...env },
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    child.once('error', () => resolve(false));
    child.once('close', () => resolve(true));
    // The user may close the pager before it has read all the text.
    child.stdin.on('error', () => undefined);
    child.stdin.end(text);
  });
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, Words>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a URL with the platform's opener. @returns whether the opener succeeded */
export function openAddress(url: string, platform: NodeJS.Platform): Promise<boolean> {
  const [program, ...args] = OPENERS[platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('close', (status) => resolve(status === 0));
  });
}
