/** A small text of the user's own, such as settings or a draft: written whole or not at all, for its owner alone. */

import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import { replaceDurably } from './durable-file.ts';
import { realDisk } from './record-files.ts';

/** Larger than any of them; what is larger is none of ours. */
const MAX_BYTES = 65_536;

export interface SmallFile {
  /** Undefined when there is none. */
  read(): Promise<string | undefined>;
  /** Durable when it resolves. */
  write(text: string): Promise<void>;
  /** The same, if the file is still as it was read. */
  replace(expected: string | undefined, text: string): Promise<void>;
  remove(): Promise<void>;
}

/** Every method @throws {ScripError} STORE_UNUSABLE when the file cannot be read or made durable. */
export function createSmallFile(path: string): SmallFile {
  const orExplain = <T>(what: string, work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof ScripError) throw cause;
      const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
      throw new ScripError('STORE_UNUSABLE', t`${path} cannot be ${what}${code}`, { cause });
    }
  };
  return {
    read: async () => orExplain('read', () => readIfThere(path)),
    write: async (text) => orExplain('written', () => replace(path, text)),
    replace: async (expected, text) =>
      orExplain('written', () => {
        checkUnchanged(path, expected);
        replace(path, text);
      }),
    remove: async () =>
      orExplain('removed', () => {
        rmSync(path, { force: true });
        syncFolder(path);
      }),
  };
}

function replace(path: string, text: string): void {
  realDisk.makeDirectory(dirname(path));
  replaceDurably(path, text);
}

function checkUnchanged(path: string, expected: string | undefined): void {
  if (readIfThere(path) === expected) return;
  throw new ScripError('STORE_UNUSABLE', t`${path} was changed by another program meanwhile`, {
    hint: t`Run the command again.`,
  });
}

/** A folder that is not there holds no name either. */
function syncFolder(path: string): void {
  try {
    realDisk.syncDirectory(dirname(path));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function readIfThere(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    if (fstatSync(file).size > MAX_BYTES) {
      throw new ScripError('STORE_UNUSABLE', t`${path} is too large`);
    }
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
