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

/** Parses a number from 1 on. @throws {ScripError} INPUT_INVALID naming the flag */
export function parseCount(
  text: string,
  { flag, most }: { readonly flag: string; readonly most: number },
): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= 1 && count <= most) return count;
  throw new ScripError('INPUT_INVALID', t`${flag} "${text}" is not a number from 1 to ${most}`);
}

const MOST_LISTED = 10_000;

/** Parses how many rows are listed at most. @throws {ScripError} INPUT_INVALID */
export function parseLimit(text: string): number {
  return parseCount(text, { flag: '--limit', most: MOST_LISTED });
}
