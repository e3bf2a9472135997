/**
 * Immutable sealed record files: written whole or not at all, at most once per name. A record is one
 * line of JSON and, below it, sha256(seal of the record before it || line), so that a changed,
 * swapped or missing record shows.
 */

import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeInBrackets, errorCode } from '../domain/error-code.ts';
import { ScripError } from '../domain/errors.ts';
import { folderFault } from '../domain/folder-access.ts';
import { type Message, t } from '../domain/message.ts';
import { type FileRules, readChecked } from './checked-file.ts';
import { createDurably, type Disk, replaceDurably, sweepFolder } from './durable-file.ts';
import { accessOf } from './folder-state.ts';

export interface SealedRecord {
  readonly line: string;
  readonly seal: string;
}

/** More than the codes of any order take. */
const RULES: FileRules = { maxBytes: 64 * 1024 * 1024 };
/** What the first record of a chain is sealed onto. */
export const CHAIN_START = '';

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
  try {
    createDurably(path, textOf(record), { disk, isWholeAtOnce: true });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw unusable(t`${path} cannot be written`, error);
  }
  sweepFolder(path, disk);
  return true;
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
  try {
    replaceDurably(path, textOf(record), { disk });
  } catch (error) {
    throw unusable(t`${path} cannot be written`, error);
  }
}

function textOf({ line, seal }: SealedRecord): string {
  return `${line}\n${seal}\n`;
}

/**
 * Reads a record and checks its seal.
 * @returns undefined when there is none
 * @throws {ScripError} JOURNAL_UNUSABLE when it is damaged or not readable
 */
export function readRecord(path: string, previous: string): SealedRecord | undefined {
  const bytes = readIfPresent(path);
  if (bytes === undefined) return undefined;
  const match = /^([^\n]+)\n([0-9a-f]{64})\n$/.exec(decode(path, bytes));
  const [line, seal] = [match?.[1], match?.[2]];
  if (line === undefined || seal === undefined || sealRecord(previous, line).seal !== seal) {
    throw damaged(path, t`its checksum does not match`);
  }
  return { line, seal };
}

/** The bytes of a file; none when it is gone. @throws {ScripError} JOURNAL_UNUSABLE */
export function readBytes(path: string): Uint8Array {
  return readIfPresent(path) ?? new Uint8Array();
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
    if (errorCode(error) === 'ENOENT') return [];
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
  throw new ScripError(
    'MACHINE_UNFIT',
    t`The state folder cannot be used safely: ${fault.problem}`,
    {
      hint: fault.fix,
    },
  );
}

/** What cannot be read may be of a payment that landed. */
export function damaged(path: string, why: Message): ScripError {
  return new ScripError('JOURNAL_UNUSABLE', t`The journal record ${path} is damaged: ${why}`, {
    fundsAtRisk: 'possible',
    hint: t`scrip signs nothing while a record is damaged. Run: scrip doctor --repair`,
    details: { path },
  });
}

function readIfPresent(path: string): Uint8Array | undefined {
  const file = readChecked(path, RULES);
  if (file.fault === undefined) return file.bytes;
  if (file.fault === 'missing') return undefined;
  throw unusable(t`${path} cannot be read`, file.cause);
}

function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw damaged(path, t`it is not UTF-8`);
  }
}

/** The state folder cannot be read or written. */
export function unusable(message: Message, cause: unknown): ScripError {
  return new ScripError('JOURNAL_UNUSABLE', t`${message}${codeInBrackets(cause)}`, { cause });
}
