/** Codes of the last failures on this machine, for who is asked for help: no text of them is kept. */
import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

export interface RecentError {
  /** ISO 8601. */
  readonly at: string;
  readonly code: string;
  /** The first word of the command; null where it was none. */
  readonly verb: string | null;
}

/** A line is some 90 bytes: some hundred of them are kept. */
const MOST_BYTES = 16 * 1024;
const KEPT = 50;

/** Notes one down where this program keeps its state already. Failures to write it are ignored. */
export function rememberError(path: string, error: RecentError): void {
  try {
    if (!existsSync(dirname(path))) return;
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) shorten(path);
    appendFileSync(path, `${JSON.stringify(error)}\n`, { mode: 0o600 });
  } catch {
    // A failure that is told already does not become another one.
  }
}

function shorten(path: string): void {
  const draft = `${path}.new`;
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-KEPT);
  writeFileSync(draft, `${lines.join('\n')}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** The last ones, oldest first; lines that are none are passed over. */
export function recentErrors(path: string): readonly RecentError[] {
  try {
    return readFileSync(path, 'utf8').split('\n').flatMap(readLine).slice(-KEPT);
  } catch {
    return [];
  }
}

function readLine(line: string): readonly RecentError[] {
  try {
    const read: unknown = JSON.parse(line);
    if (typeof read !== 'object' || read === null) return [];
    const { at, code, verb }: Readonly<Record<string, unknown>> = { ...read };
    if (typeof at !== 'string' || !/^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/.test(at)) return [];
    if (typeof code !== 'string' || !/^[A-Z][A-Z0-9_]{1,63}$/.test(code)) return [];
    const isVerb = typeof verb === 'string' && /^[a-z][a-z-]{0,31}$/.test(verb);
    return [{ at, code, verb: isVerb ? verb : null }];
  } catch {
    return [];
  }
}
