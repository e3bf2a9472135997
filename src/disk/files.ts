/**
 * Files that are written complete and durable, name included, when the call returns. Errors are the file
 * system's: the caller knows what the file is for.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { errorCode, ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import { makeFolder } from './checked-file.ts';

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

const IS_WINDOWS = process.platform === 'win32';
const OWNER_ONLY = 0o600;
/** Names of temporary files. */
const LEFTOVER = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;
/** No process takes this long between writing a temporary file and renaming it. */
const ABANDONED_MS = 3_600_000;

export const realDisk: Disk = {
  create,
  link,
  remove: unlinkSync,
  replace,
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

/** Makes the names in a folder durable. NTFS does it itself, in its log, and flushes no folder (EPERM). */
export function syncFolder(path: string): void {
  let folder: number | undefined;
  try {
    folder = openSync(path, 'r');
    fsyncSync(folder);
  } catch (error) {
    if (!['EISDIR', 'EPERM'].includes(errorCode(error) ?? '')) throw error;
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}

/** NFS sends a request again whose answer was lost, and then finds the name taken by its own link. */
function link(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!isSameFile(from, to)) throw error;
  }
  if (IS_WINDOWS) whenFree(() => flush(to));
}

function replace(from: string, to: string): void {
  if (!IS_WINDOWS) {
    renameSync(from, to);
    return;
  }
  whenFree(() => renameSync(from, to));
  whenFree(() => flush(to));
}

function isSameFile(one: string, other: string): boolean {
  const [file, taken] = [one, other].map((path) =>
    lstatSync(path, { bigint: true, throwIfNoEntry: false }),
  );
  return file !== undefined && file.ino === taken?.ino && file.dev === taken.dev;
}

/** NTFS has no flush of a folder: that of a file writes out the log, and with it the name that the file got last. */
function flush(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** How long a reader or a virus scanner may have a file open, which Windows lets nobody replace meanwhile. */
const HELD_MS = 2_000;
const LOOK_MS = 20;

function whenFree(step: () => void): void {
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    try {
      step();
      return;
    } catch (error) {
      const isHeld = ['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error) ?? '');
      if (!isHeld || waitedMs >= HELD_MS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
    }
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

/**
 * Writes a file that the user named, in place: it may be a device or a link. Durable when it returns; a new file
 * has mode 0600. @throws {ScripError} OUTPUT_UNWRITABLE
 */
export function writeUserFile(path: string, bytes: Uint8Array): void {
  try {
    // A device cannot be synced.
    const flush = statSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
    writeFileSync(path, bytes, { mode: 0o600, flush });
  } catch (cause) {
    const code = errorCode(cause) ?? t`unknown error`;
    throw new ScripError('OUTPUT_UNWRITABLE', t`${path} cannot be written (${code})`, {
      ...{ cause, details: { path } },
    });
  }
}

/**
 * Writes a new file with mode 0600, durable when it returns. Removes what a failed attempt left.
 * @throws {ScripError} OUTPUT_UNWRITABLE, also if the name is taken
 */
export function writeSecretFile(path: string, text: string | Uint8Array): void {
  try {
    createDurably(path, text);
  } catch (cause) {
    const code = errorCode(cause) ?? t`unknown error`;
    const isTaken = code === 'EEXIST';
    throw new ScripError(
      'OUTPUT_UNWRITABLE',
      isTaken ? t`There is already a file at ${path}` : t`${path} cannot be written (${code})`,
      {
        ...{ cause, details: { path } },
        hint: isTaken ? t`Choose a file that does not exist yet.` : undefined,
      },
    );
  }
}
