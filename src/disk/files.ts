/**
 * Files that are read whole, after a check of what was opened, and written complete and durable, name
 * included, when the call returns. Errors are the file system's, and faults have names: the caller knows
 * what the file is for.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { geteuid } from 'node:process';
import { errorCode } from '../domain/message/errors.ts';

/** The steps that can fail on a full or broken disk; tests replace them by failing ones. */
export interface Disk {
  /** Creates a file whose bytes are on disk. Fails if the name is taken. */
  create(path: string, content: string | Uint8Array, mode?: number): void;
  /** Creates a second name for the file; fails with EEXIST if it is taken. */
  link(from: string, to: string): void;
  remove(path: string): void;
  /** Renames the file over another. */
  replace(from: string, to: string): void;
  /** Creates a directory with mode 0700, and its missing parents. */
  makeDirectory(path: string): void;
  /** Makes the names in a directory durable. */
  syncDirectory(path: string): void;
}

interface Writing {
  /** By default, only the owner may read or write. */
  readonly mode?: number;
  readonly disk?: Disk;
}

interface Creating extends Writing {
  /**
   * Whether the name appears only with the whole text: for files that several processes may create
   * at once, or that must never be partial. Needs hard links, which a USB stick's file system
   * lacks.
   */
  readonly isWholeAtOnce?: boolean;
}

const OWNER_ONLY = 0o600;
/** Names of temporary files. */
const LEFTOVER = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;
/** No process takes this long between writing a temporary file and renaming it. */
const ABANDONED_MS = 3_600_000;

export const realDisk: Disk = {
  create,
  link: linkSync,
  remove: unlinkSync,
  replace: renameSync,
  makeDirectory,
  syncDirectory: syncFolder,
};

/**
 * Writes a new file; fails with EEXIST if the name is taken, also by a link. Removes what a failed
 * attempt left.
 */
export function createDurably(
  path: string,
  content: string | Uint8Array,
  { mode, disk = realDisk, isWholeAtOnce = false }: Creating = {},
): void {
  const folder = dirname(path);
  if (!isWholeAtOnce) {
    disk.create(path, content, mode);
    undoing(path, disk, () => disk.syncDirectory(folder));
    return;
  }
  const temporary = besides(path);
  disk.create(temporary, content, mode);
  try {
    // Linking, unlike renaming, cannot replace an existing file.
    disk.link(temporary, path);
  } finally {
    removeQuietly(temporary, disk);
    // Also if another process was first: it may not have reached this step yet.
    disk.syncDirectory(folder);
  }
}

/**
 * Replaces or creates a file, and its folder if missing: a reader sees the old file or the new one,
 * also after a power cut.
 */
export function replaceDurably(
  path: string,
  content: string,
  { mode, disk = realDisk }: Writing = {},
): void {
  const folder = dirname(path);
  const temporary = besides(path);
  disk.makeDirectory(folder);
  disk.create(temporary, content, mode);
  undoing(temporary, disk, () => disk.replace(temporary, path));
  disk.syncDirectory(folder);
}

/**
 * Removes abandoned temporary files from the folder of a file just written: those of killed
 * processes. If removing fails, the next writer tries again.
 */
export function sweepFolder(path: string, disk: Disk = realDisk): void {
  try {
    // Use the file system's clock: this process's clock may be wrong.
    const { mtimeMs, uid } = statSync(path);
    for (const other of leftoversIn(dirname(path))) {
      const stats = lstatSync(other, { throwIfNoEntry: false });
      const isAbandoned = stats !== undefined && mtimeMs - stats.mtimeMs > ABANDONED_MS;
      if (isAbandoned && stats.isFile() && stats.uid === uid) disk.remove(other);
    }
  } catch {
    // Ignore errors: the file itself is written.
  }
}

/** Lists a folder's temporary files, in use or abandoned. */
export function leftoversIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => LEFTOVER.test(name))
    .map((name) => join(folder, name));
}

/** Makes the names in a folder durable. */
export function syncFolder(path: string): void {
  const folder = openFolder(path);
  if (folder === undefined) return;
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Removes a file and ignores errors: the caller reports the cause for removing it. */
export function removeQuietly(path: string, disk: Disk = realDisk): void {
  try {
    disk.remove(path);
  } catch {
    // The file was never created, or another command removed it.
  }
}

function besides(path: string): string {
  return join(dirname(path), `.${randomUUID()}.tmp`);
}

function create(path: string, content: string | Uint8Array, mode = OWNER_ONLY): void {
  const file = openSync(path, 'wx', OWNER_ONLY);
  try {
    // Set the mode before writing content; `open` applies the umask, which `fchmod` does not.
    if (mode !== OWNER_ONLY) fchmodSync(file, mode);
    writeFileSync(file, content);
    fsyncSync(file);
  } catch (error) {
    removeQuietly(path);
    throw error;
  } finally {
    closeSync(file);
  }
}

function makeDirectory(path: string): void {
  const first = makeFolder(path);
  if (first === undefined) return;
  // A new directory is durable once its parent is synced.
  const top = dirname(first);
  for (let parent = dirname(path); parent.length >= top.length; parent = dirname(parent)) {
    syncFolder(parent);
    if (parent === dirname(parent)) break;
  }
}

/** Removes the file at the path if the next step fails. */
function undoing(path: string, disk: Disk, step: () => void): void {
  try {
    step();
  } catch (error) {
    removeQuietly(path, disk);
    throw error;
  }
}

/** Undefined on systems that cannot open folders; they make names durable themselves. */
function openFolder(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (['EISDIR', 'EPERM'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

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

export type DiskPoint = 'record-created' | 'record-linked';

/** A disk that reports each step of writing a record, for tests that end the process in between. */
export function watchedDisk(reached: (point: DiskPoint) => void, disk: Disk = realDisk): Disk {
  return {
    ...disk,
    create: (path, text) => {
      disk.create(path, text);
      reached('record-created');
    },
    link: (from, to) => {
      disk.link(from, to);
      reached('record-linked');
    },
  };
}
