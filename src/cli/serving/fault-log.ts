/** Reports faults of the service that are returned to no caller, as lines for the operator. */

import { ScripError } from '../../domain/errors.ts';
import { escapeText } from '../output/escape.ts';

/** Maximum number of faults remembered; after that, the oldest may be reported again. */
const REMEMBERED = 1_000;

/** Reports each fault once: a supplier that is down for an hour gives one line, not hundreds. */
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
