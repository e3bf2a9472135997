/** Asks for secrets on the controlling terminal, without echo. */

import { openSync, writeSync } from 'node:fs';
import process from 'node:process';
import { ReadStream } from 'node:tty';
import { once } from '../domain/attempt.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';

const TERMINAL = '/dev/tty';
/** A second handle of Windows' console would read its keys beside standard input's. */
const IS_WINDOWS = process.platform === 'win32';
const INTERRUPT = '\u0003';
const END_OF_INPUT = '\u0004';
const ERASE_LINE = '\u0015';
const ERASE = ['\u007f', '\b'];
const ENTER = ['\r', '\n'];

/**
 * Asks on the process's controlling terminal, even if its standard streams are redirected.
 * @param question already escaped
 * @throws {ScripError} TERMINAL_REQUIRED, INTERRUPTED
 */
export async function askHidden(question: string, signal: AbortSignal): Promise<string> {
  const fd = IS_WINDOWS ? consoleOutput() : openTerminal();
  const terminal = IS_WINDOWS ? process.stdin : new Keys(fd);
  // Run only once: after closing, the descriptor's number may belong to another file.
  const leave = once((): void => {
    terminal.setRawMode(false);
    writeSync(fd, '\n');
    if (IS_WINDOWS && !signal.aborted) terminal.pause();
    else terminal.destroy();
  });
  signal.addEventListener('abort', leave, { once: true });
  try {
    // Turn the echo off before showing the question.
    terminal.setRawMode(true);
    terminal.setEncoding('utf8');
    writeSync(fd, question);
    return await readAnswer(terminal.iterator({ destroyOnReturn: false }));
  } catch (cause) {
    throw cause instanceof ScripError ? cause : interrupted(cause);
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
  }
}

/**
 * Stops reading after the answer. Bun's stream reads ahead, even after it is closed, and would swallow the
 * next question's answer.
 */
class Keys extends ReadStream {
  #hasAnswer = false;

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    const isLast = (key: string): boolean => Buffer.isBuffer(chunk) && chunk.includes(key);
    this.#hasAnswer ||= [...ENTER, INTERRUPT, END_OF_INPUT].some(isLast);
    return super.push(chunk, encoding);
  }

  override _read(size: number): void {
    if (!this.#hasAnswer) super._read(size);
  }
}

/**
 * Returns the typed line; handles erasing as a terminal does, and ends at Enter.
 * @throws {ScripError} INTERRUPTED on Ctrl-C, and at the end of input
 */
export async function readAnswer(keys: AsyncIterable<string>): Promise<string> {
  let typed: readonly string[] = [];
  for await (const chunk of keys) {
    // Ignore escape sequences, such as arrow keys.
    if (chunk.startsWith('\u001b')) continue;
    for (const key of chunk) {
      if (ENTER.includes(key)) return typed.join('');
      if (key === INTERRUPT || key === END_OF_INPUT) throw interrupted();
      typed = afterKey(typed, key);
    }
  }
  throw interrupted();
}

function afterKey(typed: readonly string[], key: string): readonly string[] {
  if (ERASE.includes(key)) return typed.slice(0, -1);
  if (key === ERASE_LINE) return [];
  return key < ' ' ? typed : [...typed, key];
}

/** @throws {ScripError} TERMINAL_REQUIRED */
function consoleOutput(): number {
  const fd = [process.stderr, process.stdout].find(({ isTTY }) => isTTY)?.fd;
  if (process.stdin.isTTY && fd !== undefined) return fd;
  throw new ScripError('TERMINAL_REQUIRED', t`There is no terminal to ask on`);
}

function openTerminal(): number {
  try {
    return openSync(TERMINAL, 'r+');
  } catch (cause) {
    throw new ScripError('TERMINAL_REQUIRED', t`There is no terminal to ask on`, { cause });
  }
}

function interrupted(cause?: unknown): ScripError {
  return new ScripError('INTERRUPTED', t`Stopped at the passphrase; nothing was sent`, {
    cause,
    fundsAtRisk: 'none',
    hint: t`Run the command again.`,
  });
}
