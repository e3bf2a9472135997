/** What may be asked again, and how long to wait before. */
import { type Code, ScripError } from './errors.ts';

export interface Backoff {
  readonly baseMs: number;
  readonly capMs: number;
}

/** Pace of repeated phase 2 calls and of reads that failed. */
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

/**
 * Failures that the same request may not meet again. The sets only look alike. Before signing a read
 * is repeated, or the turn to pay is asked for again.
 */
export const RETRYABLE_BEFORE_SIGNING: ReadonlySet<Code> = new Set([
  'NETWORK_UNREACHABLE',
  'MERCHANT_ERROR',
  'FACILITATOR_UNAVAILABLE',
  'RATE_LIMITED',
]);
/**
 * Phase 1 moves no money: what these leave behind is at most a session that expires. A merchant that
 * asks to wait is not asked again at once: each challenge counts against its limits.
 */
export const RETRYABLE_WHILE_SIGNING: ReadonlySet<Code> = new Set([
  'NETWORK_UNREACHABLE',
  'MERCHANT_ERROR',
  'FACILITATOR_UNAVAILABLE',
]);
/** A paid order is requested again; that does not involve the facilitator. */
export const RETRYABLE_AFTER_SENDING: ReadonlySet<Code> = new Set([
  'NETWORK_UNREACHABLE',
  'MERCHANT_ERROR',
  'RATE_LIMITED',
]);

/** How long to wait before the same is asked again; undefined when it should not be. */
export function waitBeforeRetry(
  error: unknown,
  tried: number,
  retryable: ReadonlySet<Code>,
): number | undefined {
  if (!(error instanceof ScripError) || !retryable.has(error.code)) return undefined;
  const asked = error.details.retry_after_ms;
  const waitMs = Math.max(backoffMs(tried), typeof asked === 'number' ? asked : 0);
  return waitMs > RETRY_AFTER_CAP_MS ? undefined : waitMs;
}
