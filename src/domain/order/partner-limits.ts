/**
 * Limits for a partner that creates orders and lets them expire: interface, "Unpaid-order ratio". The
 * consequences of the ratio are ours. They affect only new orders: status reads, streams, payments and
 * deliveries are never limited by them.
 */

export interface PartnerStanding extends UnpaidCounts {
  readonly state: 'good' | 'warned' | 'throttled' | 'suspended';
  /** Time until the next order is allowed; 0 for now. */
  readonly retryAfterMs: number;
  /** End of a suspension. */
  readonly untilMs: number | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Sliding window: older orders do not count, nor do open ones. */
export const RATIO_WINDOW_MS = 24 * HOUR_MS;

/** Lower bounds of the unpaid ratio, in tenths, at which a partner is warned, throttled and suspended. */
const WARN_TENTHS = 5;
const THROTTLE_TENTHS = 7;
const SUSPEND_TENTHS = 8;

const THROTTLED_INTERVAL_MS = MINUTE_MS;
/** Length of the first suspension; each further one doubles, up to a day. */
const SUSPENSION_MS = HOUR_MS;
const LONGEST_SUSPENSION_MS = 24 * HOUR_MS;
/** After this long without a suspension, the next one is short again. */
const FORGIVEN_AFTER_MS = 24 * HOUR_MS;

/** 1.96 squared, in 10^-4: the standard normal quantile of a 95% interval. */
const Z_SQUARED = 38_416n;
const Z_SCALE = 10_000n;

/**
 * Whether the lower end of the 95% Wilson interval of the unpaid ratio is at least this many tenths: what the
 * ratio is at least, given how few orders there are. The bound is the smaller root of (u - n t)^2 = z^2 n
 * t (1 - t), so the comparison needs neither a square root nor a float.
 */
export function isBoundAtLeast(unpaid: number, closed: number, tenths: number): boolean {
  if (closed === 0) return tenths <= 0;
  const [n, t] = [BigInt(closed), BigInt(tenths)];
  const distance = 10n * BigInt(unpaid) - n * t;
  return distance >= 0n && distance * distance * Z_SCALE >= Z_SQUARED * n * t * (10n - t);
}

/** The counts that decide a standing, as a store can query them. */
export interface PartnerTally extends UnpaidCounts {
  readonly lastCreatedAtMs: number | undefined;
  /** The latest suspension, whether over or not. */
  readonly suspension: Suspension | undefined;
}

/** Orders closed within the window, and how many of them were never paid. */
export interface UnpaidCounts {
  readonly closed: number;
  readonly unpaid: number;
}

export interface Suspension {
  readonly untilMs: number;
  /** The next suspension is twice as long. */
  readonly lengthMs: number;
}

/** Returns a partner's standing at an instant. */
export function judgePartner(tally: PartnerTally, nowMs: number): PartnerStanding {
  const { closed, unpaid, suspension } = tally;
  if (suspension !== undefined && nowMs < suspension.untilMs) {
    const { untilMs } = suspension;
    return { state: 'suspended', retryAfterMs: untilMs - nowMs, untilMs, closed, unpaid };
  }
  const rest = { untilMs: undefined, closed, unpaid };
  if (isBoundAtLeast(unpaid, closed, THROTTLE_TENTHS)) {
    return {
      state: 'throttled',
      retryAfterMs: throttledFor(tally.lastCreatedAtMs, nowMs),
      ...rest,
    };
  }
  const isWarned = isBoundAtLeast(unpaid, closed, WARN_TENTHS);
  return { state: isWarned ? 'warned' : 'good', retryAfterMs: 0, ...rest };
}

/**
 * Returns the suspension after an order closed unpaid, which the counts already include: a new one if due,
 * otherwise the latest. Only an unpaid order triggers one, never time alone: after a suspension, a partner is
 * throttled while the bound is high, and the next unpaid order suspends it for twice as long.
 */
export function suspendAfterUnpaid(
  { closed, unpaid }: UnpaidCounts,
  last: Suspension | undefined,
  atMs: number,
): Suspension | undefined {
  const isSuspended = last !== undefined && atMs < last.untilMs;
  if (isSuspended || !isBoundAtLeast(unpaid, closed, SUSPEND_TENTHS)) return last;
  const isFirst = last === undefined || atMs - last.untilMs >= FORGIVEN_AFTER_MS;
  const lengthMs = isFirst ? SUSPENSION_MS : Math.min(2 * last.lengthMs, LONGEST_SUSPENSION_MS);
  return { untilMs: atMs + lengthMs, lengthMs };
}

function throttledFor(lastCreatedAtMs: number | undefined, nowMs: number): number {
  if (lastCreatedAtMs === undefined) return 0;
  return Math.max(0, lastCreatedAtMs + THROTTLED_INTERVAL_MS - nowMs);
}

/** Start of the day and of the month, in milliseconds since the Unix epoch. */
export function spendingPeriods(nowMs: number) {
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return {
    dayFromMs: Date.UTC(year, month, now.getUTCDate()),
    monthFromMs: Date.UTC(year, month),
  };
}
