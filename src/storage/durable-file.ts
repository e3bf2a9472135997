/**
 * Files that are whole and on disk, name and all, when the call returns, and for their owner alone.
 * Errors are those of the file system: the caller knows what the file is for.
 */

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../domain/error-code.ts';

/** The steps that can fail on a full or broken disk; a test puts failing ones in their place. */
export interface Disk {
  /** A new file with its bytes on disk. Fails when the name is taken. */
  create(path: string, content: string | Uint8Array, mode?: number): void;
  /** A second name for the file, refused with EEXIST when it is taken. */
  link(from: string, to: string): void;
  remove(path: string): void;
  /** Puts the file in the place of another. */
  replace(from: string, to: string): void;
  /** A directory of mode 0700, with those above it that are missing. */
  makeDirectory(path: string): void;
  /** Makes the names in a directory durable. */
  syncDirectory(path: string): void;
}

interface Writing {
  /** Left out for files of the owner alone. */
  readonly mode?: number;
  readonly disk?: Disk;
}

interface Creating extends Writing {
  /**
   * The name comes with the whole text, or not at all: for files that several processes make at once,
   * or that must not be cut off. Needs a file system with hard links, which that of a USB stick is not.
   */
  readonly isWholeAtOnce?: boolean;
}

const OWNER_ONLY = 0o600;
/** Names of files that are still being written, of this version and of the first one. */
const LEFTOVER = /^(?:\.|tmp-)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.tmp)?$/;
/** No process takes this long between writing a temporary file and giving it its name. */
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
 * Writes a new file; one that is there, or a link of that name, is refused with EEXIST. What was begun
 * and failed is removed.
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
    // Linking, unlike renaming, cannot replace a file that is already there.
    disk.link(temporary, path);
  } finally {
    removeQuietly(temporary, disk);
    // Also when another process was first: it may not have come to this step itself.
    disk.syncDirectory(folder);
  }
}

/**
 * Puts a file in the place of another, or where there is none, with its folder where that is missing: a
 * reader, and a power cut, sees the old one or the new one.
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
 * Removes from the folder of a file that was just written what processes left there that were killed
 * while they wrote. What cannot be removed is only litter: the next writer sweeps again.
 */
export function sweepFolder(path: string, disk: Disk = realDisk): void {
  try {
    // By the file system's own time: nothing here depends on the wall clock of this process.
    const { mtimeMs, uid } = statSync(path);
    for (const other of leftoversIn(dirname(path))) {
      const stats = lstatSync(other, { throwIfNoEntry: false });
      const isAbandoned = stats !== undefined && mtimeMs - stats.mtimeMs > ABANDONED_MS;
      if (isAbandoned && stats.isFile() && stats.uid === uid) disk.remove(other);
    }
  } catch {
    // The file itself is written.
  }
}

/** Paths of the files in a folder that are still being written, or were left so. */
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

/** For what is litter: the reason for removing it matters more. */
export function removeQuietly(path: string, disk: Disk = realDisk): void {
  try {
    disk.remove(path);
  } catch {
    // It was never created, or another command has tidied it up.
  }
}

function besides(path: string): string {
  return join(dirname(path), `.${randomUUID()}.tmp`);
}

function create(path: string, content: string | Uint8Array, mode = OWNER_ONLY): void {
  const file = openSync(path, 'wx', OWNER_ONLY);
  try {
    // Before anything is in the file; `open` leaves out what the process masks.
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
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  // A new directory is durable when the one above it is.
  const top = dirname(first);
  for (let parent = dirname(path); parent.length >= top.length; parent = dirname(parent)) {
    syncFolder(parent);
    if (parent === dirname(parent)) break;
  }
}

/** Takes back the file at the path when the next step fails. */
function undoing(path: string, disk: Disk, step: () => void): void {
  try {
    step();
  } catch (error) {
    removeQuietly(path, disk);
    throw error;
  }
}

/** Undefined on systems that have no handles for folders and log their names by themselves. */
function openFolder(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (['EISDIR', 'EPERM'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}
