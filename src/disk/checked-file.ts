/**
 * Files that are read whole, after a check of what was opened, and the folders they stand in. Errors are the
 * file system's, and faults have names: the caller knows what the file is for.
 */
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { geteuid } from 'node:process';
import { errorCode } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';

/** Every file must be a regular file of limited size. Further checks depend on its content. */
export interface FileRules {
  readonly maxBytes: number;
  /** Follow a symbolic link as the last part of the path: only where a planted link does no harm. */
  readonly isLinkFollowed?: boolean;
  /** The file must belong to this user, and its mode must have none of these bits set. */
  readonly ownWithout?: number;
  /** It may belong to root instead. */
  readonly isRootTrusted?: boolean;
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

/** Reads a whole file after checking the open file, so nothing can replace it in between. */
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

/** What is wrong with a file, to be said after its name. */
export function faultText({ fault, stats, cause }: RefusedFile): Message {
  const texts: Readonly<Record<FileFault, Message>> = {
    missing: t`does not exist`,
    unreadable: t`cannot be read (${errorCode(cause) ?? t`unknown error`})`,
    link: t`is a link`,
    irregular: t`is not a regular file`,
    'not-own': t`belongs to another user`,
    exposed: t`can be used by others (mode ${((stats?.mode ?? 0) & 0o777).toString(8)})`,
    'too-large': t`is too large (${stats?.size ?? 0} bytes)`,
    'open-folder': t`is in a folder that others can write to`,
    'second-name': t`has a second name (hard link)`,
  };
  return texts[fault];
}

/** Opens without blocking: a pipe without a writer would block the process. */
function flagsOf({ isLinkFollowed = false }: FileRules): number {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  return isLinkFollowed ? flags : flags | constants.O_NOFOLLOW;
}

function openingFault(cause: unknown): FileFault {
  switch (errorCode(cause)) {
    case 'ENOENT':
    // A home such as /dev/null holds no files.
    case 'ENOTDIR':
      return 'missing';
    case 'ELOOP':
      return 'link';
    default:
      return 'unreadable';
  }
}

const ROOT = 0;

function faultOf(stats: Stats, path: string, rules: FileRules): FileFault | undefined {
  const { ownWithout, isRootTrusted, isFolderChecked = false, hasOneName = false } = rules;
  const owner = geteuid?.();
  if (!stats.isFile()) return 'irregular';
  if (ownWithout !== undefined && owner !== undefined) {
    const isTrusted = stats.uid === owner || (isRootTrusted === true && stats.uid === ROOT);
    if (!isTrusted) return 'not-own';
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

/**
 * Creates a folder with mode 0700 and its missing parents; returns the topmost one that was created. Node's
 * own recursive mkdir never ends, and blocks SIGTERM, where the system says ENOENT for a name whose parent
 * exists: /proc does.
 * @throws the file system's error
 */
export function makeFolder(path: string): string | undefined {
  try {
    return makeOne(path);
  } catch (error) {
    const parent = dirname(path);
    if (errorCode(error) !== 'ENOENT' || parent === path) throw error;
    const top = makeFolder(parent);
    const own = makeOne(path);
    return top ?? own;
  }
}

/** Undefined for a folder that exists. Some systems name another error than EEXIST for one. */
function makeOne(path: string): string | undefined {
  try {
    mkdirSync(path, { mode: 0o700 });
    return path;
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined;
    throw error;
  }
}
