/** Edits other programs' files: reads them whole, replaces them whole or not at all, and keeps a copy. */

import { lstatSync, realpathSync, statSync } from 'node:fs';
import { type FileRules, faultText, readChecked } from '../disk/checked-file.ts';
import { createDurably, replaceDurably } from '../disk/files.ts';
import { errorCode, ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';

interface ForeignFile {
  readonly path: string;
  /** The real path, after following links. */
  readonly target: string;
  readonly text: string | undefined;
}

/** Replacing gives the file this user as owner and a single name, so it must have both before. */
const RULES: FileRules = {
  /** Generous: a configuration is a page, but some programs keep their history in it. */
  maxBytes: 64 * 1024 * 1024,
  ownWithout: 0,
  hasOneName: true,
};
const OWNER_ONLY = 0o600;

/** Reads a file. @throws {ScripError} AGENT_CONFIG_INVALID when it is not text, AGENT_CONFIG_UNUSABLE */
export function readForeignFile(path: string): ForeignFile {
  const target = targetOf(path);
  if (target === undefined) return { path, target: path, text: undefined };
  const file = readChecked(target, RULES);
  if (file.fault !== undefined) throw unusable(path, faultText(file), file.cause);
  if ((file.stats.mode & 0o200) === 0)
    throw unusable(path, t`is read-only`, undefined, t`chmod u+w it.`);
  return { path, target, text: decode(path, file.bytes) };
}

/**
 * Writes a temporary file beside the target and renames it, so a reader sees the old text or the
 * new one. It keeps the mode; only the owner may read the copy.
 * @returns path of the copy; undefined if there was no file
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
      replaceDurably(target, text);
      return undefined;
    }
    const mode = statSync(target).mode & 0o777;
    const copy = copyName(target, atMs);
    createDurably(copy, expected, { mode: mode & OWNER_ONLY });
    replaceDurably(target, text, { mode });
    return copy;
  } catch (cause) {
    throw unusable(path, t`cannot be written (${codeOf(cause)})`, cause);
  }
}

/** Returns undefined if there is no file. Refuses a broken link, since its purpose is unknown. */
function targetOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT')
      throw unusable(path, t`cannot be read (${codeOf(cause)})`, cause);
    if (!isThere(path)) return undefined;
    throw unusable(path, t`is a link to a missing file`, cause);
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ScripError('AGENT_CONFIG_INVALID', t`${path} is not UTF-8 text; it was not changed`, {
      cause,
    });
  }
}

/** Two copies made in one second get different names. */
function copyName(target: string, atMs: number): string {
  const stamp = new Date(atMs).toISOString().replace(/\.\d+|[-:]/g, '');
  const first = `${target}.scrip-backup-${stamp}`;
  let name = first;
  for (let count = 2; isThere(name); count += 1) name = `${first}-${count}`;
  return name;
}

function codeOf(cause: unknown): string {
  return errorCode(cause) ?? 'unknown';
}

function unusable(path: string, why: Message, cause?: unknown, hint?: Message): ScripError {
  const message = t`${path} ${why}; nothing was changed`;
  return new ScripError('AGENT_CONFIG_UNUSABLE', message, { cause, hint, details: { path } });
}
