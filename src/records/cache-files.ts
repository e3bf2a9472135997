/**
 * Cache files: text that may be lost, readable by its owner only, replaced as a whole without
 * waiting for the disk.
 */

import { createHash } from 'node:crypto';
import { openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pid } from 'node:process';
import { makeFolder, readChecked } from '../disk/checked-file.ts';

/** A larger cache file is ignored. */
const MAX_BYTES = 1_048_576;

/** Reads a cache file; undefined if it is missing or unreadable. */
export function readCacheFile(path: string, maxBytes = MAX_BYTES): string | undefined {
  const file = readChecked(path, { maxBytes, isLinkFollowed: true });
  return file.fault === undefined ? file.bytes.toString('utf8') : undefined;
}

/**
 * Writes a cache file. Unlike `replaceDurably` it does not wait for the disk: listing brands stores
 * names for tab completion.
 * @throws the file system's error
 */
export function writeCacheFile(path: string, text: string): void {
  makeFolder(dirname(path));
  // The pid makes the name unique on this machine. If two machines share the folder and collide,
  // one of them writes nothing.
  const temporary = `${path}.${pid}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** When a cache file was last written, in milliseconds; undefined if it is missing. */
export function cacheTimeMs(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** Empties a cache file for another program to write. @returns its descriptor @throws the file system's error */
export function openCacheFile(path: string): number {
  makeFolder(dirname(path));
  return openSync(path, 'w', 0o600);
}

/** Enough for half a million purchases. */
const MAX_DERIVED = 50_000_000;

/**
 * Reads the lines of derived data, which only saves time; undefined if the file is missing or does not
 * match its checksum: the records are the truth.
 */
export function readDerived(path: string): readonly string[] | undefined {
  const text = readCacheFile(path, MAX_DERIVED);
  if (text === undefined) return undefined;
  const end = text.lastIndexOf('\n', text.length - 2) + 1;
  const body = text.slice(0, end);
  if (text.slice(end) !== `${sealOf(body)}\n`) return undefined;
  return body.split('\n').slice(0, -1);
}

/** Writes the lines; if that fails, they are derived again next time. */
export function writeDerived(path: string, lines: readonly string[]): void {
  const body = lines.map((line) => `${line}\n`).join('');
  try {
    writeCacheFile(path, `${body}${sealOf(body)}\n`);
  } catch {
    // A full disk must not stop a purchase here; writing a record reports it.
  }
}

function sealOf(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}
