/** Files that their owner alone may read: checked before they are read, private from the first byte. */

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { geteuid } from 'node:process';
import { commandText, ownText } from '../domain/command-text.ts';
import { type Code, ScripError } from '../domain/errors.ts';
import { type Message, t } from '../domain/message.ts';
import { createDurably, errorCode, removeQuietly, syncFolder } from '../storage/durable-file.ts';

/** Keys, phrases and passphrases are short; nothing larger is read. */
const MAX_FILE_BYTES = 4_096;
/** A file is written within milliseconds; even a process that was stopped for a while may go on. */
const ABANDONED_MS = 10 * 60_000;
/** How the names of files end that are still being written. */
const LEFTOVER = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** What a file is for, as errors name it. */
export interface FileKind {
  readonly what: Message;
  readonly missing: Code;
}

export const KEY_FILE: FileKind = { what: t`key file`, missing: 'WALLET_MISSING' };
export const PASSPHRASE_FILE: FileKind = { what: t`passphrase file`, missing: 'INPUT_INVALID' };

/**
 * Reads a file after checking that no other user could have read or replaced it.
 * @returns its bytes; the caller wipes them
 * @throws {ScripError} the kind's own code when it is missing, WALLET_UNSAFE with the fix,
 * WALLET_INVALID when it is larger than 4,096 bytes
 */
export function readPrivateFile(path: string, kind: FileKind): Buffer {
  const file = openPrivately(path, kind);
  try {
    checkFile(fstatSync(file), path, kind);
    checkFolder(path, kind);
    if (fstatSync(file).nlink > 1) dropLeftovers(fstatSync(file), path);
    checkNames(fstatSync(file), path, kind);
    return readBounded(file, path, kind);
  } finally {
    closeSync(file);
  }
}

/**
 * Writes a file that is not there yet, readable by the owner alone, and its folder where it is missing.
 * @throws {ScripError} WALLET_EXISTS, WALLET_UNSAFE
 */
export function createPrivateFile(path: string, text: string, kind: FileKind = KEY_FILE): void {
  const place = (temporary: string): void => {
    // Linking, unlike renaming, cannot replace a file that is already there.
    linkSync(temporary, path);
    removeQuietly(temporary);
  };
  writeThrough(path, { text, place, kind });
}

/**
 * Replaces a file whole: a reader, and a power cut, sees the old one or the new one.
 * @throws {ScripError} WALLET_UNSAFE
 */
export function replacePrivateFile(path: string, text: string): void {
  const place = (temporary: string): void => renameSync(temporary, path);
  writeThrough(path, { text, place, kind: KEY_FILE });
}

/** Opens without following a link in the last place: the checks are then made on this very file. */
function openPrivately(path: string, { what, missing }: FileKind): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      const hint =
        missing === 'WALLET_MISSING'
          ? {}
          : { hint: commandText`Check the path of the ${ownText(what)}.` };
      throw new ScripError(missing, t`There is no ${what} at ${path}`, { cause, ...hint });
    }
    if (code !== 'ELOOP') throw unsafe(path, what, t`cannot be opened (${code})`, { cause });
    const hint = t`Name the file itself that the link leads to.`;
    throw unsafe(path, what, t`is a link`, { cause, hint });
  }
}

function checkFile(stats: Stats, path: string, { what }: FileKind): void {
  if (!stats.isFile()) {
    throw unsafe(path, what, t`is not a regular file`, { hint: t`Name a regular file.` });
  }
  const owner = geteuid?.();
  if (owner !== undefined && stats.uid !== owner) {
    const hint = commandText`Copy it to a file of your own and name that, or run: sudo chown "$(id -u)" ${path}`;
    throw unsafe(path, what, t`belongs to another user`, { hint });
  }
  if (owner !== undefined && (stats.mode & 0o077) !== 0) {
    const mode = (stats.mode & 0o777).toString(8);
    const hint = commandText`Run: chmod 600 ${path}`;
    throw unsafe(path, what, t`can be used by others (mode ${mode})`, { hint });
  }
  if (stats.size > MAX_FILE_BYTES) throw tooLarge(path, what, stats.size);
}

/** A user who may write into the folder could put another file in this one's place. */
function checkFolder(path: string, { what }: FileKind): void {
  const folder = dirname(path);
  const { mode } = statSync(folder);
  // In a sticky folder, such as /tmp, only the owner may replace a file.
  if (geteuid === undefined || (mode & 0o022) === 0 || (mode & 0o1000) !== 0) return;
  const hint = commandText`Run: chmod go-w ${folder}`;
  throw unsafe(path, what, t`is in a folder that others may write to`, { hint });
}

function checkNames({ nlink }: Stats, path: string, { what }: FileKind): void {
  if (nlink <= 1) return;
  const hint = commandText`Find the other name and remove it: find / -xdev -samefile ${path}`;
  throw unsafe(path, what, t`has a second name (hard link)`, { hint });
}

/**
 * A process that was killed while it made this very file left the name it had before. The name is
 * ours by its pattern and leads to the same file, so nothing but the name is lost.
 */
function dropLeftovers({ dev, ino }: Stats, path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder).filter((entry) => LEFTOVER.test(entry))) {
    const other = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (other?.dev === dev && other.ino === ino) removeQuietly(join(folder, name));
  }
}

/**
 * A process that was killed before its file had a name left the text, which may be a key. One that is
 * much older than what was written just now has been abandoned.
 */
function dropAbandoned(folder: string, { mtimeMs, uid }: Stats): void {
  for (const name of readdirSync(folder).filter((entry) => LEFTOVER.test(entry))) {
    const other = lstatSync(join(folder, name), { throwIfNoEntry: false });
    const isOld = other !== undefined && mtimeMs - other.mtimeMs > ABANDONED_MS;
    if (isOld && other.isFile() && other.uid === uid) removeQuietly(join(folder, name));
  }
}

function readBounded(file: number, path: string, { what }: FileKind): Buffer {
  // One byte more than allowed shows a file that grew after it was checked.
  const bytes = Buffer.alloc(MAX_FILE_BYTES + 1);
  const length = readSync(file, bytes, 0, bytes.length, 0);
  if (length > MAX_FILE_BYTES) throw tooLarge(path, what, length);
  return bytes.subarray(0, length);
}

interface Writing {
  readonly text: string;
  readonly place: (temporary: string) => void;
  readonly kind: FileKind;
}

function writeThrough(path: string, { text, place, kind }: Writing): void {
  const folder = dirname(path);
  const temporary = join(folder, `.${randomUUID()}.tmp`);
  makeFolder(path, kind);
  try {
    createDurably(temporary, text);
    const written = statSync(temporary);
    place(temporary);
    syncFolder(folder);
    dropAbandoned(folder, written);
  } catch (cause) {
    removeQuietly(temporary);
    if (errorCode(cause) !== 'EEXIST') throw unwritable(path, kind, cause);
    throw new ScripError('WALLET_EXISTS', t`There is already a file at ${path}`, { cause });
  }
}

function makeFolder(path: string, kind: FileKind): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw unwritable(path, kind, cause);
  }
}

function unwritable(path: string, { what }: FileKind, cause: unknown): ScripError {
  const hint = t`Name a place that you may write to.`;
  return unsafe(path, what, t`cannot be written (${errorCode(cause)})`, { cause, hint });
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
