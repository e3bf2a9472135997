/** Codes of the last errors on this machine, for support; no error text is kept. */
import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { parseJson } from '../domain/attempt.ts';

export interface RecentError {
  /** ISO 8601. */
  readonly at: string;
  readonly code: string;
  /** The first word of the command; null if it was no command's name. */
  readonly verb: string | null;
}

/** About 180 lines of 90 bytes. */
const MOST_BYTES = 16 * 1024;
const KEPT = 50;

/** Records an error, if the program's state folder exists. Ignores failures to write. */
export function rememberError(path: string, error: RecentError): void {
  try {
    if (!existsSync(dirname(path))) return;
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) shorten(path);
    appendFileSync(path, `${JSON.stringify(error)}\n`, { mode: 0o600 });
  } catch {
    // The original error is already reported; don't add another.
  }
}

function shorten(path: string): void {
  const draft = `${path}.new`;
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-KEPT);
  writeFileSync(draft, `${lines.join('\n')}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** Returns the last errors, oldest first; skips invalid lines. */
export function recentErrors(path: string): readonly RecentError[] {
  try {
    return readFileSync(path, 'utf8').split('\n').flatMap(readLine).slice(-KEPT);
  } catch {
    return [];
  }
}

function readLine(line: string): readonly RecentError[] {
  const { at, code, verb }: Readonly<Record<string, unknown>> = Object(parseJson(line));
  if (typeof at !== 'string' || !/^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/.test(at)) return [];
  if (typeof code !== 'string' || !/^[A-Z][A-Z0-9_]{1,63}$/.test(code)) return [];
  const isVerb = typeof verb === 'string' && /^[a-z][a-z-]{0,31}$/.test(verb);
  return [{ at, code, verb: isVerb ? verb : null }];
}
