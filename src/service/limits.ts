/** How often callers may ask: buckets in memory, answered with 429 when they are empty. */
import type { Clock } from '../domain/clock.ts';
import { type Bucket, RATE_LIMITS, type RateLimit, takeToken } from '../domain/rate-limit.ts';
import { type Refusal, refuse } from './errors.ts';

export type RateName = keyof typeof RATE_LIMITS;
export type RateLimits = Readonly<Record<RateName, RateLimit>>;

/** What callers may do; the standard of RATE_LIMITS when left out. */
export interface TrafficOptions {
  readonly rates?: Partial<RateLimits>;
  /** Whether partners are held back by the share of their orders that nobody paid. */
  readonly isRatioEnforced?: boolean;
}

/** For a service inside its only client's process, and for a sandbox that tests run against. */
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
  /** Takes one; the refusal when there is none left, and the headers that tell how many are. */
  take(name: RateName, key: string): Taken;
}

export interface Taken {
  readonly refusal: Refusal | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Callers beyond this push the longest silent ones out; a full bucket is forgotten anyway. */
const MOST_KEYS = 50_000;

export function createRateGate(clock: Pick<Clock, 'now'>, options: TrafficOptions = {}): RateGate {
  const rates: RateLimits = { ...RATE_LIMITS, ...options.rates };
  const buckets = new Map<string, Bucket>();
  return {
    take(name, key) {
      const limit = rates[name];
      const place = `${name} ${key}`;
      const nowMs = clock.now();
      const decision = takeToken(buckets.get(place), limit, nowMs);
      // The one that was used last stands last.
      buckets.delete(place);
      buckets.set(place, decision.bucket);
      if (buckets.size > MOST_KEYS) forgetOldest(buckets);
      const left = { bucket: decision.bucket, nowMs };
      const headers = rateHeaders(name, limit, left);
      if (decision.isAllowed) return { refusal: undefined, headers };
      const seconds = String(Math.ceil(decision.retryAfterMs / 1000));
      const message = `More than ${limit.count} in ${limit.windowMs / 1000} s; come back in ${seconds} s.`;
      const refused = { ...headers, 'Retry-After': seconds };
      return { refusal: refuse('rate_limited', message, { headers: refused }), headers };
    },
  };
}

function forgetOldest(buckets: Map<string, Bucket>): void {
  const [oldest] = buckets.keys();
  if (oldest !== undefined) buckets.delete(oldest);
}

/** The fields of the IETF draft "RateLimit header fields for HTTP". */
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
