/**
 * Immutable sealed record files: written whole or not at all, at most once per name. A record is one
 * line of JSON and, below it, sha256(seal of the record before it || line), so that a changed,
 * swapped or missing record shows.
 */

import { createHash, randomUUID } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ScripError } from '../domain/errors.ts';
import { folderFault } from '../domain/folder-access.ts';
import { type Message, t } from '../domain/message.ts';
import { createDurably, syncFolder } from './durable-file.ts';
import { accessOf } from './folder-state.ts';

/** The steps that can fail on a full or broken disk; a test puts failing ones in their place. */
export interface Disk {
  /** A new file, mode 0600, with its bytes on disk. Fails when the name is taken. */
  create(path: string, text: string): void;
  /** The compare-and-swap: a second name for the file, refused with EEXIST when it is taken. */
  link(from: string, to: string): void;
  remove(path: string): void;
  /** Puts the file in the place of another. */
  replace(from: string, to: string): void;
  /** A directory of mode 0700, with those above it that are missing. */
  makeDirectory(path: string): void;
  /** Makes the names in a directory durable. */
  syncDirectory(path: string): void;
}

export interface SealedRecord {
  readonly line: string;
  readonly seal: string;
}

const TMP_PREFIX = 'tmp-';
/** No process takes this long between writing a temporary file and linking it. */
const TMP_LIFETIME_MS = 3_600_000;
/** What the first record of a chain is sealed onto. */
export const CHAIN_START = '';

export const realDisk: Disk = {
  create: (path, text) => createDurably(path, text),
  link: linkSync,
  remove: unlinkSync,
  replace: renameSync,
  makeDirectory: (path) => {
    const first = mkdirSync(path, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    // A new directory is durable when the one above it is.
    const top = dirname(first);
    for (let parent = dirname(path); parent.length >= top.length; parent = dirname(parent)) {
      realDisk.syncDirectory(parent);
      if (parent === dirname(parent)) break;
    }
  },
  syncDirectory: syncFolder,
};

/** Seals a record onto the one before it. */
export function sealRecord(previous: string, line: string): SealedRecord {
  return { line, seal: createHash('sha256').update(previous).update(line).digest('hex') };
}

/**
 * Puts a record under a name of its directory, which exists. Durable when it returns.
 * @returns false when the name was taken: that record stands
 * @throws {ScripError} JOURNAL_UNUSABLE when it cannot be made durable
 */
export function putRecord(
  disk: Disk,
  directory: string,
  name: string,
  record: SealedRecord,
): boolean {
  const path = join(directory, name);
  const temporary = join(directory, `${TMP_PREFIX}${randomUUID()}`);
  try {
    disk.create(temporary, `${record.line}\n${record.seal}\n`);
    const isFirst = linkOnce(disk, temporary, path);
    // Also when another process was first: it may not have come to this step itself.
    disk.syncDirectory(directory);
    return isFirst;
  } catch (error) {
    throw unusable(t`${path} cannot be written`, error);
  } finally {
    sweep(disk, directory, temporary);
  }
}

/**
 * Puts another record in the place of one that nothing is chained to. Durable when it returns.
 * @throws {ScripError} JOURNAL_UNUSABLE when it cannot be made durable
 */
export function replaceRecord(
  disk: Disk,
  directory: string,
  name: string,
  record: SealedRecord,
): void {
  const path = join(directory, name);
  const temporary = join(directory, `${TMP_PREFIX}${randomUUID()}`);
  try {
    disk.create(temporary, `${record.line}\n${record.seal}\n`);
    disk.replace(temporary, path);
    disk.syncDirectory(directory);
  } catch (error) {
    throw unusable(t`${path} cannot be written`, error);
  }
}

/**
 * Reads a record and checks its seal.
 * @returns undefined when there is none
 * @throws {ScripError} JOURNAL_UNUSABLE when it is damaged or not readable
 */
export function readRecord(path: string, previous: string): SealedRecord | undefined {
  const text = readIfPresent(path);
  if (text === undefined) return undefined;
  const match = /^([^\n]+)\n([0-9a-f]{64})\n$/.exec(text);
  const [line, seal] = [match?.[1], match?.[2]];
  if (line === undefined || seal === undefined || sealRecord(previous, line).seal !== seal) {
    throw damaged(path, t`its seal does not fit`);
  }
  return { line, seal };
}

/** The bytes of a file; none when it is gone. @throws {ScripError} JOURNAL_UNUSABLE */
export function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isMissing(error)) return new Uint8Array();
    throw unusable(t`${path} cannot be read`, error);
  }
}

/** Names of the records in a directory; temporary and foreign files do not count. */
export function recordNames(directory: string): readonly string[] {
  return listDirectory(directory).filter((name) => name.endsWith('.rec'));
}

/** Names in a directory; none when it does not exist. */
export function listDirectory(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw unusable(t`${directory} cannot be read`, error);
  }
}

/**
 * Makes a directory whose name is durable in those that hold it, where no other user may change them.
 * @throws {ScripError} JOURNAL_UNUSABLE, MACHINE_UNFIT
 */
export function makeDirectory(disk: Disk, path: string, holders: readonly string[]): void {
  for (const holder of holders) checkAccess(holder);
  try {
    disk.makeDirectory(path);
    for (const holder of holders) disk.syncDirectory(holder);
  } catch (error) {
    throw unusable(t`${path} cannot be created`, error);
  }
}

/** By the same rule as `scrip doctor`: nothing is signed on the word of a folder that others may change. */
function checkAccess(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  const fault = stats && folderFault(path, accessOf(stats));
  if (fault === undefined) return;
  throw new ScripError('MACHINE_UNFIT', t`The state folder is not safe: ${fault.problem}`, {
    hint: fault.fix,
  });
}

/** What cannot be read may be of a payment that landed. */
export function damaged(path: string, why: Message): ScripError {
  return new ScripError('JOURNAL_UNUSABLE', t`The journal record ${path} is damaged: ${why}`, {
    fundsAtRisk: 'possible',
    hint: t`Nothing is signed while a record is damaged. Run: scrip doctor --repair`,
    details: { path },
  });
}

function linkOnce(disk: Disk, from: string, to: string): boolean {
  try {
    disk.link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Removes our temporary file and those that a crash left; what cannot be removed is only litter. */
function sweep(disk: Disk, directory: string, own: string): void {
  try {
    // By the file system's own time: nothing here depends on the wall clock of this process.
    const nowMs = statSync(own).mtimeMs;
    disk.remove(own);
    for (const name of listDirectory(directory)) {
      const path = join(directory, name);
      if (!name.startsWith(TMP_PREFIX)) continue;
      if (nowMs - statSync(path).mtimeMs > TMP_LIFETIME_MS) disk.remove(path);
    }
  } catch {
    // The next writer sweeps again.
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof TypeError) throw damaged(path, t`it is not UTF-8`);
    throw unusable(t`${path} cannot be read`, error);
  }
}

function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** The state folder cannot be read or written. */
export function unusable(message: Message, cause: unknown): ScripError {
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return new ScripError('JOURNAL_UNUSABLE', t`${message}${code}`, { cause });
}
