/**
 * How a partner that makes orders and lets them lapse is slowed down: interface, "Unpaid-order
 * ratio". What the ratio leads to is ours. It bears on new orders alone: status reads, streams,
 * payments, deliveries and what was already asked for go on at every standing.
 */

/** What happens to a partner's orders, as far as the standing depends on it. */
export type PartnerEvent =
  | { readonly kind: 'created'; readonly atMs: number }
  /** An order whose window closed: paid, or unpaid (expired, canceled, failed without funds). */
  | { readonly kind: 'closed'; readonly atMs: number; readonly isPaid: boolean };

export interface PartnerStanding extends UnpaidCounts {
  readonly state: 'good' | 'warned' | 'throttled' | 'suspended';
  /** When the next order may be made; 0 for now. */
  readonly retryAfterMs: number;
  /** End of a suspension. */
  readonly untilMs: number | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The window slides: what is older does not count, and open orders never do. */
export const RATIO_WINDOW_MS = 24 * HOUR_MS;

/** Tenths of the lower bound from which on a partner is warned, throttled and suspended. */
const WARN_TENTHS = 5;
const THROTTLE_TENTHS = 7;
const SUSPEND_TENTHS = 8;

const THROTTLED_INTERVAL_MS = MINUTE_MS;
/** The first suspension; each further one is twice as long, up to a day. */
const SUSPENSION_MS = HOUR_MS;
const LONGEST_SUSPENSION_MS = 24 * HOUR_MS;
/** A partner that was not suspended for so long begins with the shortest again. */
const FORGIVEN_AFTER_MS = 24 * HOUR_MS;

/** 1.96 squared, in 10^-4: the standard normal quantile of a 95% interval. */
const Z_SQUARED = 38_416n;
const Z_SCALE = 10_000n;

/**
 * The lower end of the Wilson interval (95%) of the share of unpaid orders: what the share is at
 * least, given how few orders there are. For display; decisions are made in integers.
 */
export function wilsonLowerBound(unpaid: number, closed: number): number {
  if (closed === 0) return 0;
  const z2 = Number(Z_SQUARED) / Number(Z_SCALE);
  const spread = Math.sqrt(z2 * (z2 + (4 * unpaid * (closed - unpaid)) / closed));
  return (2 * unpaid + z2 - spread) / (2 * (closed + z2));
}

/**
 * Whether that lower bound is at least so many tenths. The bound is the smaller root of
 * (u - n t)^2 = z^2 n t (1 - t), so the comparison needs no root and no float.
 */
export function isBoundAtLeast(unpaid: number, closed: number, tenths: number): boolean {
  if (closed === 0) return tenths <= 0;
  const [n, t] = [BigInt(closed), BigInt(tenths)];
  const distance = 10n * BigInt(unpaid) - n * t;
  return distance >= 0n && distance * distance * Z_SCALE >= Z_SQUARED * n * t * (10n - t);
}

/** What a standing is judged by, as a store can count it. */
export interface PartnerTally extends UnpaidCounts {
  readonly lastCreatedAtMs: number | undefined;
  /** The last one, over or not. */
  readonly suspension: Suspension | undefined;
}

/** Orders that closed within the window, and how many of them were never paid. */
export interface UnpaidCounts {
  readonly closed: number;
  readonly unpaid: number;
}

export interface Suspension {
  readonly untilMs: number;
  /** By which the next one is measured. */
  readonly lengthMs: number;
}

/** A partner's standing at an instant. */
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
 * The suspension after an order closed unpaid at that instant, counted in: a new one where that is
 * due, else the last one. Time alone never suspends: after the end of one, a partner is throttled
 * while the bound is high, and suspended for twice as long by the next unpaid order.
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

/** The same from all that happened up to an instant. */
export function partnerStanding(events: readonly PartnerEvent[], nowMs: number): PartnerStanding {
  const past = events.filter(({ atMs }) => atMs <= nowMs).toSorted((a, b) => a.atMs - b.atMs);
  const lastCreatedAtMs = past.findLast(({ kind }) => kind === 'created')?.atMs;
  const counts = countClosed(past, nowMs);
  return judgePartner({ ...counts, lastCreatedAtMs, suspension: suspensionOf(past) }, nowMs);
}

function suspensionOf(past: readonly PartnerEvent[]): Suspension | undefined {
  return past.reduce<Suspension | undefined>((last, event, index) => {
    if (event.kind !== 'closed' || event.isPaid) return last;
    return suspendAfterUnpaid(countClosed(past.slice(0, index + 1), event.atMs), last, event.atMs);
  }, undefined);
}

function countClosed(past: readonly PartnerEvent[], atMs: number): UnpaidCounts {
  const closures = past.filter(
    (event) => event.kind === 'closed' && event.atMs > atMs - RATIO_WINDOW_MS,
  );
  const unpaid = closures.filter((event) => event.kind === 'closed' && !event.isPaid);
  return { closed: closures.length, unpaid: unpaid.length };
}

function throttledFor(lastCreatedAtMs: number | undefined, nowMs: number): number {
  if (lastCreatedAtMs === undefined) return 0;
  return Math.max(0, lastCreatedAtMs + THROTTLED_INTERVAL_MS - nowMs);
}
