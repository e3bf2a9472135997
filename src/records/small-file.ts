/**
 * Small text files of the user, such as settings or a draft: written completely or not at all,
 * readable only by their owner.
 */

import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { readChecked } from '../disk/checked-file.ts';
import { replaceDurably, syncFolder } from '../disk/durable-file.ts';
import { codeInBrackets, errorCode } from '../domain/error-code.ts';
import { ScripError } from '../domain/errors.ts';
import { type Message, t } from '../domain/message.ts';

/** Larger than any of these files. */
const MAX_BYTES = 65_536;

export interface SmallFile {
  /** Undefined if there is none. */
  read(): Promise<string | undefined>;
  /** Durable when it resolves. */
  write(text: string): Promise<void>;
  /** The same, but only if the file still holds `expected`. */
  replace(expected: string | undefined, text: string): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Creates access to a small file. Its methods throw ScripError STORE_UNUSABLE when the file cannot
 * be read or made durable.
 */
export function createSmallFile(path: string): SmallFile {
  const replace = (text: string): void => {
    try {
      replaceDurably(path, text);
    } catch (cause) {
      throw unusable(t`${path} cannot be written${codeInBrackets(cause)}`, cause);
    }
  };
  return {
    read: async () => readIfThere(path),
    write: async (text) => replace(text),
    replace: async (expected, text) => {
      checkUnchanged(path, expected);
      replace(text);
    },
    remove: async () => remove(path),
  };
}

function checkUnchanged(path: string, expected: string | undefined): void {
  if (readIfThere(path) === expected) return;
  throw new ScripError('STORE_UNUSABLE', t`${path} was changed by another program meanwhile`, {
    hint: t`Run the command again.`,
  });
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
    syncFolder(dirname(path));
  } catch (cause) {
    // The folder does not exist, so the file does not either.
    if (errorCode(cause) === 'ENOENT') return;
    throw unusable(t`${path} cannot be removed${codeInBrackets(cause)}`, cause);
  }
}

function readIfThere(path: string): string | undefined {
  const file = readChecked(path, { maxBytes: MAX_BYTES });
  if (file.fault === undefined) return file.bytes.toString('utf8');
  if (file.fault === 'missing') return undefined;
  if (file.fault === 'too-large') throw new ScripError('STORE_UNUSABLE', t`${path} is too large`);
  throw unusable(t`${path} cannot be read${codeInBrackets(file.cause)}`, file.cause);
}

function unusable(message: Message, cause: unknown): ScripError {
  return new ScripError('STORE_UNUSABLE', message, { cause });
}
