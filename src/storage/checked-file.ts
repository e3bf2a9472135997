/**
 * Reads a file whole, after checks that are made on the open file: nothing can take its place in
 * between. What a fault means, and what to do about it, the caller says: it knows what the file is for.
 */

import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { geteuid } from 'node:process';
import { errorCode } from '../domain/error-code.ts';

/** Every file must be a regular one of a limited size. What else is checked differs by what it holds. */
export interface FileRules {
  readonly maxBytes: number;
  /** Follow a symbolic link as the last part of the path: only where a planted link does no harm. */
  readonly isLinkFollowed?: boolean;
  /** It must be the user's own, and none of these bits of its mode may be set. */
  readonly ownWithout?: number;
  /** Refuses a file in a folder that another user may write to: for secrets. */
  readonly isFolderChecked?: boolean;
  /** No hard link: a second name would keep a secret, or the old text of a file that is replaced. */
  readonly hasOneName?: boolean;
}

export type FileFault =
  | 'missing'
  | 'unreadable'
  | 'link'
  | 'irregular'
  | 'not-own'
  | 'exposed'
  | 'too-large'
  | 'open-folder'
  | 'second-name';

export interface RefusedFile {
  readonly fault: FileFault;
  /** Of the file; undefined when it could not be opened. */
  readonly stats: Stats | undefined;
  /** The error of the file system, for `missing`, `unreadable` and `link`. */
  readonly cause?: unknown;
}

/** The bytes of a file that follows the rules, or the first rule that it breaks. */
export type CheckedFile =
  | { readonly fault: undefined; readonly bytes: Buffer; readonly stats: Stats }
  | RefusedFile;

export function readChecked(path: string, rules: FileRules): CheckedFile {
  let file: number;
  try {
    file = openSync(path, flagsOf(rules));
  } catch (cause) {
    return { fault: openingFault(cause), stats: undefined, cause };
  }
  try {
    const stats = fstatSync(file);
    const fault = faultOf(stats, path, rules);
    if (fault !== undefined) return { fault, stats };
    const bytes = readFileSync(file);
    return bytes.length > rules.maxBytes
      ? { fault: 'too-large', stats }
      : { fault: undefined, bytes, stats };
  } catch (cause) {
    return { fault: 'unreadable', stats: undefined, cause };
  } finally {
    closeSync(file);
  }
}

/** Opened without waiting: a pipe without a writer would hold the process. */
function flagsOf({ isLinkFollowed = false }: FileRules): number {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  return isLinkFollowed ? flags : flags | constants.O_NOFOLLOW;
}

function openingFault(cause: unknown): FileFault {
  switch (errorCode(cause)) {
    case 'ENOENT':
      return 'missing';
    case 'ELOOP':
      return 'link';
    default:
      return 'unreadable';
  }
}

function faultOf(stats: Stats, path: string, rules: FileRules): FileFault | undefined {
  const { ownWithout, isFolderChecked = false, hasOneName = false } = rules;
  const owner = geteuid?.();
  if (!stats.isFile()) return 'irregular';
  if (ownWithout !== undefined && owner !== undefined) {
    if (stats.uid !== owner) return 'not-own';
    if ((stats.mode & ownWithout) !== 0) return 'exposed';
  }
  if (stats.size > rules.maxBytes) return 'too-large';
  if (isFolderChecked && owner !== undefined && isReplaceable(path)) return 'open-folder';
  return hasOneName && stats.nlink > 1 ? 'second-name' : undefined;
}

/** In a sticky folder, such as /tmp, only the owner may replace a file. */
function isReplaceable(path: string): boolean {
  const { mode } = statSync(dirname(path));
  return (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
}
