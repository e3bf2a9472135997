/** Faults of the service that no caller is told of, as lines for the person who runs it. */

import { ScripError } from '../../domain/errors.ts';
import { escapeText } from '../output/escape.ts';

/** Faults remembered; the oldest is forgotten and may then be told again. */
const REMEMBERED = 1_000;

/** Tells each fault once: a supplier that stays away for an hour is one line and not hundreds. */
export function createFaultLog(write: (line: string) => void): (error: unknown) => void {
  const told = new Set<string>();
  return (error) => {
    const message = error instanceof Error ? error.message : 'an unknown fault';
    const subject = error instanceof ScripError ? error.details.subject : undefined;
    const key = typeof subject === 'string' ? subject : message;
    if (told.has(key)) return;
    const [oldest] = told;
    if (told.size >= REMEMBERED && oldest !== undefined) told.delete(oldest);
    told.add(key);
    write(`warning: ${escapeText(message)}\n`);
  };
}
