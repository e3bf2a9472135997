/** Which failed requests are retried, and how long to wait before. */

import { type Code, ScripError } from '../message/errors.ts';

/** Backoff of repeated phase 2 calls and of failed reads. */
const BASE_MS = 500;
const CAP_MS = 5_000;

/** The longest wait that a merchant may demand; beyond it, the request fails so that the user knows. */
export const RETRY_AFTER_CAP_MS = 30_000;

/** Returns the wait before try number `tries + 1`: it doubles with each failed try, starting at 1. */
export function backoffMs(tries: number): number {
  // 2^20 exceeds the cap; further doubling would only overflow.
  return Math.min(CAP_MS, BASE_MS * 2 ** Math.min(Math.max(tries - 1, 0), 20));
}

/**
 * Parses a `Retry-After` header: whole seconds, or an HTTP date (RFC 9110, 10.2.3).
 * @returns milliseconds from `nowMs`, never negative; undefined if absent or invalid
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // Date.parse alone would accept much that is not an HTTP date, such as "5 apples".
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) {
    return undefined;
  }
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/**
 * Failures after which the same request may succeed, one set per phase. Before signing: repeats reads, and
 * requests for the turn to pay.
 */
export const RETRYABLE_BEFORE_SIGNING: ReadonlySet<Code> = new Set([
  'NETWORK_UNREACHABLE',
  'MERCHANT_ERROR',
  'FACILITATOR_UNAVAILABLE',
  'RATE_LIMITED',
]);
/**
 * While signing: phase 1 moves no money and leaves at most a session that expires. Don't retry RATE_LIMITED:
 * each new challenge counts against the merchant's limits.
 */
export const RETRYABLE_WHILE_SIGNING: ReadonlySet<Code> = new Set([
  'NETWORK_UNREACHABLE',
  'MERCHANT_ERROR',
  'FACILITATOR_UNAVAILABLE',
]);
/** After sending: repeats the paid request, which does not involve the facilitator. */
export const RETRYABLE_AFTER_SENDING: ReadonlySet<Code> = new Set([
  'NETWORK_UNREACHABLE',
  'MERCHANT_ERROR',
  'RATE_LIMITED',
]);

/** Returns how long to wait before a retry; undefined when the request should not be retried. */
export function waitBeforeRetry(
  error: unknown,
  tried: number,
  retryable: ReadonlySet<Code>,
): number | undefined {
  if (!(error instanceof ScripError) || !error.retryable || !retryable.has(error.code)) {
    return undefined;
  }
  const asked = error.details.retry_after_ms;
  const waitMs = Math.max(backoffMs(tried), typeof asked === 'number' ? asked : 0);
  return waitMs > RETRY_AFTER_CAP_MS ? undefined : waitMs;
}
