/** Helpers for commands that serve until they are stopped. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';

/** Parses a port. @throws {ScripError} INPUT_INVALID */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new ScripError('INPUT_INVALID', t`"${text}" is not a port between 0 and 65535`);
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
