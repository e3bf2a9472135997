/**
 * Reads a whole file after checking the open file, so nothing can replace it in between. The caller
 * explains a fault and its remedy: it knows what the file is for.
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

/** Every file must be a regular file of limited size. Further checks depend on its content. */
export interface FileRules {
  readonly maxBytes: number;
  /** Follow a symbolic link as the last part of the path: only where a planted link does no harm. */
  readonly isLinkFollowed?: boolean;
  /** The file must belong to this user, and its mode must have none of these bits set. */
  readonly ownWithout?: number;
  /** Refuses a file in a folder that another user can write to: for secrets. */
  readonly isFolderChecked?: boolean;
  /** Refuses hard links: a second name would keep a secret, or the old text of a replaced file. */
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
  /** Undefined if the file could not be opened. */
  readonly stats: Stats | undefined;
  /** The file system's error, for `missing`, `unreadable` and `link`. */
  readonly cause?: unknown;
}

/** The bytes of a file that follows the rules, or the first rule it breaks. */
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

/** Opens without blocking: a pipe without a writer would block the process. */
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

/** In a sticky folder such as /tmp, only the owner may replace a file. */
function isReplaceable(path: string): boolean {
  const { mode } = statSync(dirname(path));
  return (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
}
