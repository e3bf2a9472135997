/**
 * Cache files: text that may be lost, readable by its owner only, replaced as a whole without
 * waiting for the disk.
 */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pid } from 'node:process';
import { readChecked } from '../disk/checked-file.ts';
import { makeFolder } from '../disk/own-folder.ts';

/** A larger cache file is ignored. */
const MAX_BYTES = 1_048_576;

/** Reads a cache file; undefined if it is missing or unreadable. */
export function readCacheFile(path: string): string | undefined {
  const file = readChecked(path, { maxBytes: MAX_BYTES, isLinkFollowed: true });
  return file.fault === undefined ? file.bytes.toString('utf8') : undefined;
}

/** Creates a mark file; returns whether this call created it. */
export function makeMark(path: string): boolean {
  if (existsSync(path)) return false;
  try {
    makeFolder(dirname(path));
    writeFileSync(path, '', { mode: 0o600, flag: 'wx' });
    return true;
  } catch {
    return false;
  }
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
