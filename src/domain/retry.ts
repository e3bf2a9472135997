/** How long to wait before asking again. */

export interface Backoff {
  readonly baseMs: number;
  readonly capMs: number;
}

/** Pace of repeated phase 2 calls and of reads that failed (reliability 2.3, step 10). */
export const BACKOFF: Backoff = { baseMs: 500, capMs: 5_000 };

/** The longest that a merchant may make us wait before we would rather tell the user. */
export const RETRY_AFTER_CAP_MS = 30_000;

/** Wait before try number `tries + 1`: doubles with each failed try, from 1 on. */
export function backoffMs(tries: number, { baseMs, capMs }: Backoff = BACKOFF): number {
  // 2^20 is past every cap; beyond that the doubling would only overflow.
  return Math.min(capMs, baseMs * 2 ** Math.min(Math.max(tries - 1, 0), 20));
}

/**
 * Reads a `Retry-After` header: whole seconds, or an HTTP date (RFC 9110, 10.2.3).
 * @returns milliseconds from `nowMs`, never negative; undefined when there is none or it is neither
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // Date.parse alone would take much that is no HTTP date, such as "5 apples".
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) {
    return undefined;
  }
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
