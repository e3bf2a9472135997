/**
 * Files that are whole and on disk when the call returns, for their owner alone. Errors are those of
 * the file system: the caller knows what the file is for.
 */

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type Said, t } from '../domain/message.ts';

const OWNER_ONLY = 0o600;

/**
 * Writes a new file; one that is there, or a link of that name, is refused with EEXIST. What was begun
 * and failed is removed.
 * @param mode set before anything is in the file
 */
export function createDurably(path: string, text: string, mode: number = OWNER_ONLY): void {
  const file = openSync(path, 'wx', OWNER_ONLY);
  try {
    if (mode !== OWNER_ONLY) fchmodSync(file, mode);
    writeFileSync(file, text);
    fsyncSync(file);
  } catch (error) {
    removeQuietly(path);
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Puts a file in the place of another: a reader, and a power cut, sees the old one or the new one. */
export function replaceDurably(path: string, text: string, mode: number = OWNER_ONLY): void {
  const temporary = `${path}.${randomUUID()}.tmp`;
  createDurably(temporary, text, mode);
  try {
    renameSync(temporary, path);
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  }
  syncFolder(dirname(path));
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

/** Undefined on systems that have no handles for folders and log their names by themselves. */
function openFolder(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (['EISDIR', 'EPERM'].includes(String(errorCode(error)))) return undefined;
    throw error;
  }
}

/** For what is litter: the reason for removing it matters more. */
export function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never created, or another command has tidied it up.
  }
}

/** The system's name for what went wrong. */
export function errorCode(error: unknown): Said {
  return error instanceof Error && 'code' in error ? String(error.code) : t`unknown error`;
}
