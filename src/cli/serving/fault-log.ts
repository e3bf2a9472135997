/** Reports faults of the service that are returned to no caller, as lines for the operator. */

import { ScripError } from '../../domain/message/errors.ts';
import { escapeText } from '../../domain/message/message.ts';

/** Maximum number of faults remembered; after that, the oldest may be reported again. */
const REMEMBERED = 1_000;

export const LOG_FORMS = ['text', 'json'] as const;
export type LogForm = (typeof LOG_FORMS)[number];

interface Fault {
  /** `error`: a bug of ours, or a failure without a name. */
  readonly level: 'warning' | 'error';
  readonly code: string;
  readonly message: string;
}

/** A server's log has the time of each line. */
export function serverLine(form: LogForm, now: () => number): (fault: Fault) => string {
  const at = () => new Date(now()).toISOString();
  return form === 'json'
    ? (fault) => `${JSON.stringify({ at: at(), ...fault })}\n`
    : (fault) => `${at()} ${faultLine(fault)}`;
}

const faultLine = ({ level, message }: Fault) => `${level}: ${escapeText(message)}\n`;

/** Reports each fault once: a supplier that is down for an hour gives one line, not hundreds. */
export function createFaultLog(
  write: (line: string) => void,
  lineOf: (fault: Fault) => string = (fault) => faultLine({ ...fault, level: 'warning' }),
): (error: unknown) => void {
  const told = new Set<string>();
  return (error) => {
    const message = error instanceof Error ? error.message : 'an unknown fault';
    const subject = error instanceof ScripError ? error.details.subject : undefined;
    const key = typeof subject === 'string' ? subject : message;
    if (told.has(key)) return;
    const [oldest] = told;
    if (told.size >= REMEMBERED && oldest !== undefined) told.delete(oldest);
    told.add(key);
    const code = error instanceof ScripError ? error.code : 'INTERNAL';
    write(lineOf({ level: code === 'INTERNAL' ? 'error' : 'warning', code, message }));
  };
}
