/**
 * Derived data that only saves time: lines with a checksum over all of them. A missing, truncated
 * or changed file is ignored; the records are the truth.
 */
import { createHash } from 'node:crypto';
import { readChecked } from '../disk/checked-file.ts';
import { writeCacheFile } from './cache-file.ts';

/** Enough for half a million purchases. */
const MAX_BYTES = 50_000_000;

/** Reads the lines; undefined if the file is missing or damaged. */
export function readDerived(path: string): readonly string[] | undefined {
  const file = readChecked(path, { maxBytes: MAX_BYTES, isLinkFollowed: true });
  if (file.fault !== undefined) return undefined;
  const text = file.bytes.toString('utf8');
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
