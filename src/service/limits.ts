/** Rate limits per caller: token buckets in memory; an empty one is answered with 429. */
import type { Clock } from '../domain/clock.ts';
import { type Bucket, RATE_LIMITS, type RateLimit, takeToken } from '../domain/rate-limit.ts';
import { createRecent } from '../rails/recent.ts';
import { type Refusal, refuse } from './errors.ts';
import { OWED_WINDOWS, type RateSharing } from './rate-sharing.ts';

export type RateName = keyof typeof RATE_LIMITS;
export type RateLimits = Readonly<Record<RateName, RateLimit>>;

/** Limits of callers; by default those of RATE_LIMITS. */
export interface TrafficOptions {
  readonly rates?: Partial<RateLimits>;
  /** Whether partners with a high share of unpaid orders are held back. */
  readonly isRatioEnforced?: boolean;
}

/** For a service inside its only client's process, and for a sandbox that tests use. */
export const GENEROUS_TRAFFIC: TrafficOptions = {
  rates: Object.fromEntries(
    Object.entries(RATE_LIMITS).map(([name, { count, windowMs }]) => [
      name,
      { count: count * 1_000, windowMs },
    ]),
  ),
  isRatioEnforced: false,
};

export interface RateGate {
  /**
   * Takes one token; returns a refusal if there is none, and headers with the remaining number.
   * @param ownCount replaces the limit's count for this key
   */
  take(name: RateName, key: string, ownCount?: number): Taken;
}

export interface Taken {
  readonly refusal: Refusal | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Bounds the memory that one key can take. */
const MOST_KEY_CHARACTERS = 200;

export function createRateGate(
  clock: Pick<Clock, 'now'>,
  options: TrafficOptions = {},
  sharing?: RateSharing,
): RateGate {
  const rates: RateLimits = { ...RATE_LIMITS, ...options.rates };
  const buckets = createRecent<number>();
  return {
    take(name, key, ownCount) {
      const place = `${name} ${key.slice(0, MOST_KEY_CHARACTERS)}`;
      const limit = ownCount === undefined ? rates[name] : { ...rates[name], count: ownCount };
      const asked = { name, limit, nowMs: clock.now(), isShared: sharing !== undefined };
      const { bucket, taken } = takeFrom(buckets.get(place), asked);
      buckets.set(place, bucket);
      if (taken.refusal === undefined) {
        const { windowMs, count } = limit;
        const set = (fullAtMs: number) => buckets.set(place, fullAtMs);
        sharing?.note({ place, spentMs: windowMs / count, windowMs, fullAtMs: bucket, set });
      }
      return taken;
    },
  };
}

interface Asked {
  readonly name: RateName;
  readonly limit: RateLimit;
  readonly nowMs: number;
  readonly isShared?: boolean;
}

/** Takes one token from a bucket; returns the bucket's new state. */
export function takeFrom(
  before: Bucket,
  { name, limit, nowMs, isShared }: Asked,
): { readonly bucket: number; readonly taken: Taken } {
  const { isAllowed, bucket, retryAfterMs } = takeToken(
    before,
    limit,
    nowMs,
    isShared ? OWED_WINDOWS : 0,
  );
  const headers = rateHeaders(name, limit, { bucket, nowMs });
  if (isAllowed) return { bucket, taken: { refusal: undefined, headers } };
  const seconds = String(Math.ceil(retryAfterMs / 1000));
  const message = `More than ${limit.count} requests in ${limit.windowMs / 1000} s; try again in ${seconds} s.`;
  const refused = { ...headers, 'Retry-After': seconds };
  return {
    bucket,
    taken: { refusal: refuse('rate_limited', message, { headers: refused }), headers },
  };
}

/** The header fields of the IETF draft "RateLimit header fields for HTTP". */
function rateHeaders(
  name: RateName,
  { count, windowMs }: RateLimit,
  { bucket, nowMs }: { readonly bucket: number; readonly nowMs: number },
): Readonly<Record<string, string>> {
  const usedMs = Math.max(0, bucket - nowMs);
  const remaining = Math.max(0, Math.floor(((windowMs - usedMs) * count) / windowMs));
  return {
    'RateLimit-Policy': `"${name}";q=${count};w=${windowMs / 1000}`,
    RateLimit: `"${name}";r=${remaining};t=${Math.ceil(usedMs / 1000)}`,
  };
}
