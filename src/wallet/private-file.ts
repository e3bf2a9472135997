/** Files that only their owner may read: checked before reading, and private from the first byte. */

import { lstatSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import {
  type CheckedFile,
  type FileFault,
  type FileRules,
  faultText,
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
  try {
    makeFolder(dirname(path));
  } catch (cause) {
    throw unwritable(path, kind, cause);
  }
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

function refused(path: string, kind: FileKind, file: RefusedFile): ScripError {
  const { fault, cause } = file;
  if (fault === 'missing') return missing(path, kind, cause);
  const code = fault === 'too-large' ? 'WALLET_INVALID' : 'WALLET_UNSAFE';
  return unusable(
    code,
    t`The ${kind.what} ${path} ${faultText(file)}`,
    FIXES[fault]?.(path),
    cause,
  );
}

const FIXES: Readonly<Partial<Record<FileFault, (path: string) => Message>>> = {
  link: () => t`Name the file that the link points to.`,
  irregular: () => t`Name a regular file.`,
  'not-own': (path) =>
    commandText`Copy it to a file that you own and name that one, or run: sudo chown "$(id -u)" ${path}`,
  exposed: (path) => commandText`Run: chmod 600 ${path}`,
  'open-folder': (path) => commandText`Run: chmod go-w ${dirname(path)}`,
  'second-name': (path) =>
    commandText`Find the other name and remove it: find / -xdev -samefile ${path}`,
};

function missing(path: string, { what, missing: code }: FileKind, cause: unknown): ScripError {
  const hint =
    code === 'WALLET_MISSING' ? undefined : commandText`Check the path of the ${ownText(what)}.`;
  return unusable(code, t`There is no ${what} at ${path}`, hint, cause);
}

function unwritable(path: string, { what }: FileKind, cause: unknown): ScripError {
  const code = errorCode(cause) ?? t`unknown error`;
  const message = t`The ${what} ${path} ${t`cannot be written (${code})`}`;
  return unusable('WALLET_UNSAFE', message, t`Name a path that you may write to.`, cause);
}

function unusable(code: Code, message: Message, hint: Message | undefined, cause: unknown) {
  return new ScripError(code, message, { cause, ...(hint === undefined ? {} : { hint }) });
}
