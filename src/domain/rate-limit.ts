/** Rate limits: a token bucket that refills evenly, stored as one number. */

export interface RateLimit {
  /** Maximum burst, and the average per window. */
  readonly count: number;
  readonly windowMs: number;
}

const MINUTE_MS = 60_000;

/** Ours: the interface gives no numbers. Each name says what the limit is counted by. */
export const RATE_LIMITS = {
  /** Unpaid sessions only: paying a session returns its token. */
  challengesByAddress: { count: 10, windowMs: MINUTE_MS },
  /** Shared by all addresses that have not paid; each gets at least one. */
  challengesOfHost: { count: 300, windowMs: MINUTE_MS },
  ordersByPartner: { count: 30, windowMs: MINUTE_MS },
  ordersByUser: { count: 10, windowMs: MINUTE_MS },
  readsByOrder: { count: 60, windowMs: MINUTE_MS },
  leasesByOrder: { count: 60, windowMs: MINUTE_MS },
  transactionsByOrder: { count: 10, windowMs: MINUTE_MS },
  transactionsByAddress: { count: 20, windowMs: MINUTE_MS },
  unknownOrdersByAddress: { count: 30, windowMs: MINUTE_MS },
  orderKeysByAddress: { count: 10, windowMs: MINUTE_MS },
  wrongPaymentsByAddress: { count: 30, windowMs: MINUTE_MS },
  wrongPaymentsByPayment: { count: 10, windowMs: MINUTE_MS },
  toolRequestsByAddress: { count: 120, windowMs: MINUTE_MS },
} as const satisfies Record<string, RateLimit>;

/** Instant, in milliseconds, when the bucket is full again; undefined before its first use. */
export type Bucket = number | undefined;

/**
 * Takes a token, or returns how long to wait for one; `bucket` is to be stored, and the same if none is taken.
 * @param owedWindows how many windows more than one may have been used, at other servers
 */
export function takeToken(bucket: Bucket, limit: RateLimit, nowMs: number, owedWindows = 0) {
  const tokenMs = limit.windowMs / limit.count;
  // After the clock was set back, a caller must wait no longer than an empty bucket takes.
  const mostMs = limit.windowMs * (1 + owedWindows);
  const fullAtMs = Math.min(Math.max(bucket ?? nowMs, nowMs), nowMs + mostMs);
  const nextFullAtMs = fullAtMs + tokenMs;
  const waitMs = Math.ceil(nextFullAtMs - nowMs - limit.windowMs);
  if (waitMs > 0) return { isAllowed: false, bucket: fullAtMs, retryAfterMs: waitMs };
  return { isAllowed: true, bucket: nextFullAtMs, retryAfterMs: 0 };
}

/**
 * Picks the address that gives up a slot for a newcomer: the one with most slots, if it still has at least as
 * many as the newcomer afterwards.
 * @param holders the address that holds each slot
 * @returns undefined when no address has enough
 */
export function giverOf(holders: Iterable<string>, newcomer: string): string | undefined {
  const counts = new Map<string, number>();
  for (const holder of holders) counts.set(holder, (counts.get(holder) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  if (most <= (counts.get(newcomer) ?? 0) + 1) return undefined;
  return [...counts].find(([, count]) => count === most)?.[0];
}
