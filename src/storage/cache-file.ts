/** A text that may be lost: replaced whole, for its owner alone, without waiting for the disk. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pid } from 'node:process';
import { readChecked } from './checked-file.ts';

/** What is larger is begun anew. */
const MAX_BYTES = 1_048_576;

/** Undefined when there is none that can be read. */
export function readCacheFile(path: string): string | undefined {
  const file = readChecked(path, { maxBytes: MAX_BYTES, isLinkFollowed: true });
  return file.fault === undefined ? file.bytes.toString('utf8') : undefined;
}

/** Whether this is the first to make the mark. */
export function makeMark(path: string): boolean {
  if (existsSync(path)) return false;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, '', { mode: 0o600, flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Not `replaceDurably`: listing brands, which keeps names for the tab key, does not wait for the disk.
 * @throws the error of the file system
 */
export function writeCacheFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // One of its kind on this machine; where two machines share the folder, one of them keeps nothing.
  const temporary = `${path}.${pid}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
