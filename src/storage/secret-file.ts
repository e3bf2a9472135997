/** A file for what must not be read by others, such as a code. */
import { closeSync, constants, fsyncSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ScripError } from '../domain/errors.ts';

/** O_EXCL neither follows a link in the last place nor writes into a file that somebody else opened. */
const NEW_FILE =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/**
 * Writes a new file, mode 0600, on disk when it returns. What was begun and failed is removed.
 * @throws {ScripError} OUTPUT_UNWRITABLE, also when there is a file of that name
 */
export function writeSecretFile(path: string, text: string): void {
  const file = openNew(path);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
    syncFolder(dirname(path));
  } catch (error) {
    removeQuietly(path);
    throw unwritable(path, error);
  } finally {
    closeSync(file);
  }
}

function openNew(path: string): number {
  try {
    return openSync(path, NEW_FILE, 0o600);
  } catch (error) {
    throw unwritable(path, error);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The reason for removing it matters more.
  }
}

function unwritable(path: string, cause: unknown): ScripError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
  const isTaken = code === 'EEXIST';
  return new ScripError(
    'OUTPUT_UNWRITABLE',
    isTaken ? `there is already a file at ${path}` : `${path} cannot be written (${code})`,
    {
      cause,
      ...(isTaken ? { hint: 'Name a file that does not exist yet.' } : {}),
      details: { path },
    },
  );
}
