/** Files of other programs: read whole, replaced whole or not at all, with a copy of what was there. */

import { lstatSync, mkdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { geteuid } from 'node:process';
import { type Code, ScripError } from '../domain/errors.ts';
import { type Message, t } from '../domain/message.ts';
import { createDurably, replaceDurably } from './durable-file.ts';

interface ForeignFile {
  readonly path: string;
  /** Where it really is, links followed. */
  readonly target: string;
  readonly text: string | undefined;
}

/** A configuration is a page; some programs keep their whole history in it. */
const MAX_BYTES = 64 * 1024 * 1024;
const OWNER_ONLY = 0o600;

/** @throws {ScripError} AGENT_CONFIG_INVALID when it is no text, AGENT_CONFIG_UNUSABLE */
export function readForeignFile(path: string): ForeignFile {
  const target = targetOf(path);
  if (target === undefined) return { path, target: path, text: undefined };
  checkOurs(path, statSync(target));
  return { path, target, text: decode(path, readBytes(path, target)) };
}

/**
 * Writes a temporary file beside the target and renames it, so that a reader sees the old text or
 * the new one. The mode stays; the copy is for the owner alone.
 * @returns path of the copy; undefined when there was no file
 * @throws {ScripError} AGENT_CONFIG_UNUSABLE, with nothing changed
 */
export function replaceForeignFile(
  { path, target, text: expected }: ForeignFile,
  text: string,
  atMs: number,
): string | undefined {
  const now = readForeignFile(path);
  if (now.target !== target || now.text !== expected) {
    throw unusable(path, t`was changed by another program meanwhile`, undefined, t`Run it again.`);
  }
  try {
    if (expected === undefined) {
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      replaceDurably(target, text, OWNER_ONLY);
      return undefined;
    }
    const mode = statSync(target).mode & 0o777;
    const copy = keepCopy(target, { text: expected, mode: mode & OWNER_ONLY, atMs });
    replaceDurably(target, text, mode);
    return copy;
  } catch (cause) {
    throw unusable(path, t`cannot be written (${codeOf(cause)})`, cause);
  }
}

/** Undefined where there is no file. A link to nothing is refused: its purpose is unknown. */
function targetOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT')
      throw unusable(path, t`cannot be read (${codeOf(cause)})`, cause);
    if (!isThere(path)) return undefined;
    throw unusable(path, t`is a link to a file that is not there`, cause);
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A replaced file belongs to the user who replaced it and has one name; so it must before. */
function checkOurs(path: string, stats: Stats): void {
  if (!stats.isFile()) throw unusable(path, t`is not a regular file`);
  if (stats.size > MAX_BYTES)
    throw unusable(path, t`has ${stats.size} bytes, more than any settings`);
  const owner = geteuid?.();
  if (owner !== undefined && stats.uid !== owner) throw unusable(path, t`belongs to another user`);
  if ((stats.mode & 0o200) === 0)
    throw unusable(path, t`is read-only`, undefined, t`chmod u+w it.`);
  if (stats.nlink > 1) throw unusable(path, t`has a second name (hard link)`);
}

function readBytes(path: string, target: string): Uint8Array {
  try {
    return readFileSync(target);
  } catch (cause) {
    throw unusable(path, t`cannot be read (${codeOf(cause)})`, cause);
  }
}

function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw failure('AGENT_CONFIG_INVALID', t`${path} is not UTF-8 text; it was left as it is`, {
      cause,
    });
  }
}

interface Copy {
  readonly text: string;
  readonly mode: number;
  readonly atMs: number;
}

/** Two copies in one second get two names. */
function keepCopy(target: string, { text, mode, atMs }: Copy): string {
  const stamp = new Date(atMs).toISOString().replace(/\.\d+|[-:]/g, '');
  for (let count = 1; ; count += 1) {
    const copy = `${target}.scrip-backup-${stamp}${count === 1 ? '' : `-${count}`}`;
    if (isThere(copy)) continue;
    createDurably(copy, text, mode);
    return copy;
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
}

function unusable(path: string, why: Message, cause?: unknown, hint?: Message): ScripError {
  const options = { cause, details: { path }, ...(hint === undefined ? {} : { hint }) };
  return failure('AGENT_CONFIG_UNUSABLE', t`${path} ${why}; nothing was changed`, options);
}

function failure(
  code: Code,
  message: Message,
  options: ConstructorParameters<typeof ScripError>[2],
) {
  return new ScripError(code, message, options);
}
