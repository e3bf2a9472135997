/** How often something may be done: a bucket of tokens that refills evenly, kept as one number. */

export interface RateLimit {
  /** How many at once, and in the long run in each window. */
  readonly count: number;
  readonly windowMs: number;
}

const MINUTE_MS = 60_000;

/** Ours: the interface shows no numbers. The key that each is counted by is in its name. */
export const RATE_LIMITS = {
  /** Of sessions that are not paid: a payment gives the place of its session back. */
  challengesByAddress: { count: 10, windowMs: MINUTE_MS },
  /** What all addresses share that have not paid; each has one at least. */
  challengesOfHost: { count: 300, windowMs: MINUTE_MS },
  ordersByPartner: { count: 30, windowMs: MINUTE_MS },
  ordersByUser: { count: 10, windowMs: MINUTE_MS },
  readsByOrder: { count: 60, windowMs: MINUTE_MS },
  leasesByOrder: { count: 60, windowMs: MINUTE_MS },
  unknownOrdersByAddress: { count: 30, windowMs: MINUTE_MS },
  wrongPaymentsByAddress: { count: 30, windowMs: MINUTE_MS },
  wrongPaymentsByPayment: { count: 10, windowMs: MINUTE_MS },
  toolRequestsByAddress: { count: 120, windowMs: MINUTE_MS },
} as const satisfies Record<string, RateLimit>;

/** Instant, in milliseconds, at which the bucket will be full again; undefined before first use. */
export type Bucket = number | undefined;

export interface RateDecision {
  readonly isAllowed: boolean;
  /** What to keep; the same as before when it was not allowed. */
  readonly bucket: number;
  /** When the next is allowed; 0 for now. */
  readonly retryAfterMs: number;
}

/** Takes a token, or says when there will be one. */
export function takeToken(bucket: Bucket, limit: RateLimit, nowMs: number): RateDecision {
  const tokenMs = limit.windowMs / limit.count;
  // A clock that was set back must not lock a caller out for longer than an empty bucket does.
  const fullAtMs = Math.min(Math.max(bucket ?? nowMs, nowMs), nowMs + limit.windowMs);
  const nextFullAtMs = fullAtMs + tokenMs;
  const waitMs = Math.ceil(nextFullAtMs - nowMs - limit.windowMs);
  if (waitMs > 0) return { isAllowed: false, bucket: fullAtMs, retryAfterMs: waitMs };
  return { isAllowed: true, bucket: nextFullAtMs, retryAfterMs: 0 };
}
