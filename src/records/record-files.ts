/**
 * Immutable, sealed record files: written completely or not at all, and once per name. A record is
 * one line of JSON followed by sha256(seal of the previous record || line), so a changed, swapped
 * or missing record is detected.
 */

import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type FileRules, readChecked } from '../disk/checked-file.ts';
import { createDurably, type Disk, replaceDurably, sweepFolder } from '../disk/files.ts';
import { parseJson, utf8Text } from '../domain/attempt.ts';
import { codeInBrackets, errorCode, ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';
import { folderFault } from '../domain/operator/folder-access.ts';
import { accessOf } from './folders.ts';

export interface SealedRecord {
  readonly line: string;
  readonly seal: string;
}

/** More than the codes of any order need. */
const RULES: FileRules = { maxBytes: 64 * 1024 * 1024 };
/** The previous seal of a chain's first record. */
export const CHAIN_START = '';

/** Seals a record onto the previous one. */
export function sealRecord(previous: string, line: string): SealedRecord {
  return { line, seal: createHash('sha256').update(previous).update(line).digest('hex') };
}

/**
 * Writes a record under a name in an existing directory. Durable when it returns.
 * @returns false if the name is taken: the existing record stays
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
 * Replaces a record that no other is chained to. Durable when it returns.
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
 * @returns undefined if there is none
 * @throws {ScripError} JOURNAL_UNUSABLE when it is damaged or not readable
 */
export function readRecord(path: string, previous: string): SealedRecord | undefined {
  const bytes = readIfPresent(path);
  if (bytes === undefined) return undefined;
  const text = utf8Text(bytes);
  if (text === undefined) throw damaged(path, t`it is not UTF-8`);
  const match = /^([^\n]+)\n([0-9a-f]{64})\n$/.exec(text);
  const [line, seal] = [match?.[1], match?.[2]];
  if (line === undefined || seal === undefined || sealRecord(previous, line).seal !== seal) {
    throw damaged(path, t`its checksum does not match`);
  }
  return { line, seal };
}

/** Reads a file's bytes; empty if it no longer exists. @throws {ScripError} JOURNAL_UNUSABLE */
export function readBytes(path: string): Uint8Array {
  return readIfPresent(path) ?? new Uint8Array();
}

/** Lists the records in a directory, without temporary and foreign files. */
export function recordNames(directory: string): readonly string[] {
  return listDirectory(directory).filter((name) => name.endsWith('.rec'));
}

/** If a record is written while a directory is listed, it is listed again, at most so often. */
const MAX_READS = 5;

/**
 * Lists the records in a directory by what their names say, once none is missing: a listing is not atomic, so
 * it may contain a record and lack the older one that it is chained to.
 * @param missingIn names a record that has to be there and is not
 * @throws {ScripError} JOURNAL_UNUSABLE, also for a name that is not a record's
 */
export function listWhole<Place>(
  directory: string,
  placeOf: (name: string) => Place | undefined,
  missingIn: (places: ReadonlyMap<string, Place>) => string | undefined,
): ReadonlyMap<string, Place> {
  for (let reads = 1; ; reads += 1) {
    const places = new Map(
      recordNames(directory).map((name) => {
        const place = placeOf(name);
        if (place !== undefined) return [name, place];
        throw damaged(join(directory, name), t`this is not the name of a record`);
      }),
    );
    const missing = missingIn(places);
    if (missing === undefined) return places;
    if (reads === MAX_READS) throw damaged(join(directory, missing), t`it is gone`);
  }
}

/** Lists the names in a directory; empty if it does not exist. */
export function listDirectory(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw unusable(t`${directory} cannot be read`, error);
  }
}

/**
 * Creates a directory durably, after checking that no other user may change the folders that hold
 * it.
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

/** Uses the rule of `scrip doctor`: sign nothing that relies on a folder which others may change. */
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

/** Funds are at risk: the unreadable record may belong to a payment that landed. */
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

/** Creates the error for a state folder that cannot be read or written. */
export function unusable(message: Message, cause: unknown): ScripError {
  return new ScripError('JOURNAL_UNUSABLE', t`${message}${codeInBrackets(cause)}`, { cause });
}

/** Types of the fields that a record must have. */
export type Shape = Readonly<
  Record<string, 'string' | 'number' | 'object' | 'amount' | 'text or null'>
>;

type Fields = Readonly<Record<string, unknown>>;

/** Undefined if the line is not JSON of an object with this shape. */
export function parseShaped(line: string, shape: Shape): Fields | undefined {
  const value = parseJson(line);
  return hasShape(value, shape) ? value : undefined;
}

export function hasShape(value: unknown, shape: Shape): value is Fields {
  if (typeof value !== 'object' || value === null) return false;
  const fields: Fields = { ...value };
  return Object.entries(shape).every(([name, type]) => {
    const field = fields[name];
    if (type === 'amount') return typeof field === 'string' && /^\d+$/.test(field);
    if (type === 'text or null') return field === null || typeof field === 'string';
    return typeof field === type && field !== null;
  });
}
