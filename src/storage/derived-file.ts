/**
 * What was worked out from records and would only take longer without: lines that are sealed as a
 * whole. A file that is missing, cut off or changed is none; the records are the truth.
 */
import { createHash } from 'node:crypto';
import { writeCacheFile } from './cache-file.ts';
import { readChecked } from './checked-file.ts';

/** Of half a million purchases. */
const MAX_BYTES = 50_000_000;

/** Undefined where there is nothing to go by. */
export function readDerived(path: string): readonly string[] | undefined {
  const file = readChecked(path, { maxBytes: MAX_BYTES, isLinkFollowed: true });
  if (file.fault !== undefined) return undefined;
  const text = file.bytes.toString('utf8');
  const end = text.lastIndexOf('\n', text.length - 2) + 1;
  const body = text.slice(0, end);
  if (text.slice(end) !== `${sealOf(body)}\n`) return undefined;
  return body.split('\n').slice(0, -1);
}

/** What cannot be written is worked out again the next time. */
export function writeDerived(path: string, lines: readonly string[]): void {
  const body = lines.map((line) => `${line}\n`).join('');
  try {
    writeCacheFile(path, `${body}${sealOf(body)}\n`);
  } catch {
    // A full disk stops no purchase here: it does where a record is to be written.
  }
}

function sealOf(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}
