/** Files that only their owner may read: checked before reading, and private from the first byte. */

import { lstatSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import {
  type CheckedFile,
  type FileRules,
  makeFolder,
  type RefusedFile,
  readChecked,
} from '../disk/checked-file.ts';
import {
  createDurably,
  leftoversIn,
  removeQuietly,
  replaceDurably,
  sweepFolder,
} from '../disk/files.ts';
import { commandText, ownText } from '../domain/message/command-text.ts';
import { type Code, errorCode, ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';

/** Keys, phrases and passphrases are short; larger files are rejected. */
const MAX_FILE_BYTES = 4_096;
const RULES: FileRules = {
  maxBytes: MAX_FILE_BYTES,
  ownWithout: 0o077,
  isFolderChecked: true,
  hasOneName: true,
};

/** What a file is for, and the error code when it is missing. */
export interface FileKind {
  readonly what: Message;
  readonly missing: Code;
}

export const KEY_FILE: FileKind = { what: t`key file`, missing: 'WALLET_MISSING' };
export const PASSPHRASE_FILE: FileKind = { what: t`passphrase file`, missing: 'INPUT_INVALID' };

/**
 * Reads a file after checking that no other user could have read or replaced it.
 * @returns its bytes; the caller wipes them
 * @throws {ScripError} the kind's own code when it is missing; WALLET_UNSAFE with the fix; WALLET_INVALID
 * when it is larger than 4,096 bytes
 */
export function readPrivateFile(path: string, kind: FileKind): Buffer {
  const file = readUnderOneName(path);
  if (file.fault !== undefined) throw refused(path, kind, file);
  return file.bytes;
}

/**
 * Writes a new file that only the owner can read; creates its folder if missing.
 * @throws {ScripError} WALLET_EXISTS, WALLET_UNSAFE
 */
export function createPrivateFile(path: string, text: string, kind: FileKind = KEY_FILE): void {
  makeFolderOf(path, kind);
  try {
    createDurably(path, text, { isWholeAtOnce: true });
  } catch (cause) {
    if (errorCode(cause) !== 'EEXIST') throw unwritable(path, kind, cause);
    throw new ScripError('WALLET_EXISTS', t`There is already a file at ${path}`, { cause });
  }
  sweepFolder(path);
}

/**
 * Replaces a whole file: readers see either the old or the new one, also after a power cut.
 * @throws {ScripError} WALLET_UNSAFE
 */
export function replacePrivateFile(path: string, text: string): void {
  try {
    replaceDurably(path, text);
  } catch (cause) {
    throw unwritable(path, KEY_FILE, cause);
  }
  sweepFolder(path);
}

/**
 * Reads the file. Removes a second name that a killed process left while creating it, and reads again: that
 * name matches our pattern and points to the same file, so only the name is lost.
 */
function readUnderOneName(path: string): CheckedFile {
  const file = readChecked(path, RULES);
  if (file.fault !== 'second-name' || file.stats === undefined) return file;
  dropOtherNames(file.stats, dirname(path));
  return readChecked(path, RULES);
}

function dropOtherNames({ dev, ino }: Stats, folder: string): void {
  for (const other of leftoversIn(folder)) {
    const stats = lstatSync(other, { throwIfNoEntry: false });
    if (stats?.dev === dev && stats.ino === ino) removeQuietly(other);
  }
}

function refused(path: string, kind: FileKind, { fault, stats, cause }: RefusedFile): ScripError {
  const { what } = kind;
  const folder = dirname(path);
  switch (fault) {
    case 'missing':
      return missing(path, kind, cause);
    case 'unreadable': {
      const code = errorCode(cause);
      if (code === 'ENOTDIR') return missing(path, kind, cause);
      const why = t`cannot be opened (${code ?? t`unknown error`})`;
      return unsafe(path, what, why, { cause });
    }
    case 'link': {
      const hint = t`Name the file that the link points to.`;
      return unsafe(path, what, t`is a link`, { cause, hint });
    }
    case 'irregular': {
      const hint = t`Name a regular file.`;
      return unsafe(path, what, t`is not a regular file`, { hint });
    }
    case 'not-own': {
      const hint = commandText`Copy it to a file that you own and name that one, or run: sudo chown "$(id -u)" ${path}`;
      return unsafe(path, what, t`belongs to another user`, { hint });
    }
    case 'exposed': {
      const mode = ((stats?.mode ?? 0) & 0o777).toString(8);
      const hint = commandText`Run: chmod 600 ${path}`;
      return unsafe(path, what, t`can be used by others (mode ${mode})`, { hint });
    }
    case 'open-folder': {
      const hint = commandText`Run: chmod go-w ${folder}`;
      return unsafe(path, what, t`is in a folder that others can write to`, { hint });
    }
    case 'second-name': {
      const hint = commandText`Find the other name and remove it: find / -xdev -samefile ${path}`;
      return unsafe(path, what, t`has a second name (hard link)`, { hint });
    }
    case 'too-large':
      return tooLarge(path, what, stats?.size ?? 0);
  }
}

function missing(path: string, { what, missing: code }: FileKind, cause: unknown): ScripError {
  const hint =
    code === 'WALLET_MISSING' ? {} : { hint: commandText`Check the path of the ${ownText(what)}.` };
  return new ScripError(code, t`There is no ${what} at ${path}`, { cause, ...hint });
}

function makeFolderOf(path: string, kind: FileKind): void {
  try {
    makeFolder(dirname(path));
  } catch (cause) {
    throw unwritable(path, kind, cause);
  }
}

function unwritable(path: string, { what }: FileKind, cause: unknown): ScripError {
  const hint = t`Name a path that you may write to.`;
  return unsafe(path, what, t`cannot be written (${errorCode(cause) ?? t`unknown error`})`, {
    cause,
    hint,
  });
}

function unsafe(
  path: string,
  what: Message,
  why: Message,
  more: { readonly cause?: unknown; readonly hint?: Message } = {},
): ScripError {
  return new ScripError('WALLET_UNSAFE', t`The ${what} ${path} ${why}`, more);
}

function tooLarge(path: string, what: Message, bytes: number): ScripError {
  return new ScripError(
    'WALLET_INVALID',
    t`The ${what} ${path} cannot be used: it has ${bytes} bytes or more, and ${MAX_FILE_BYTES} are read`,
  );
}
