/** Rate limits per caller: token buckets in memory; an empty one is answered with 429. */

import type { Clock } from '../../domain/clock.ts';
import { RATE_LIMITS, type RateLimit, takeToken } from '../../domain/rate-limit.ts';
import { createRecent } from '../../domain/recent.ts';
import type { Store } from '../../store/store.ts';
import { type Refusal, refuse, type WireErrorCode } from './replies.ts';

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

export interface Taken {
  readonly refusal: Refusal | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Bounds the memory that one key can take. */
const MOST_KEY_CHARACTERS = 200;

export type RateGate = ReturnType<typeof createRateGate>;

export function createRateGate(
  clock: Pick<Clock, 'now'>,
  options: TrafficOptions = {},
  sharing?: RateSharing,
) {
  const rates: RateLimits = { ...RATE_LIMITS, ...options.rates };
  const buckets = createRecent<number>();
  const placeOf = (name: RateName, key: string) => `${name} ${key.slice(0, MOST_KEY_CHARACTERS)}`;
  /** Sets a bucket after so much of it was spent, or given back. */
  const spend = (place: string, fullAtMs: number, of: Pick<Use, 'spentMs' | 'windowMs'>): void => {
    buckets.set(place, fullAtMs);
    sharing?.note({ ...of, place, fullAtMs, set: (atMs) => buckets.set(place, atMs) });
  };
  return {
    /**
     * Takes one token; returns a refusal if there is none, and headers with the remaining number.
     * @param ownCount replaces the limit's count for this key
     */
    take(name: RateName, key: string, ownCount?: number): Taken {
      const place = placeOf(name, key);
      const limit = { ...rates[name], ...(ownCount !== undefined && { count: ownCount }) };
      const { count, windowMs } = limit;
      const nowMs = clock.now();
      const owed = sharing === undefined ? 0 : OWED_WINDOWS;
      const { isAllowed, bucket, retryAfterMs } = takeToken(buckets.get(place), limit, nowMs, owed);
      const headers = rateHeaders(name, limit, { bucket, nowMs });
      if (isAllowed) {
        spend(place, bucket, { spentMs: windowMs / count, windowMs });
        return { refusal: undefined, headers };
      }
      buckets.set(place, bucket);
      const seconds = String(Math.ceil(retryAfterMs / 1000));
      const message = `More than ${count} requests in ${windowMs / 1000} s; try again in ${seconds} s.`;
      const refused = { ...headers, 'Retry-After': seconds };
      return { refusal: refuse('rate_limited', message, { headers: refused }), headers };
    },
    /** Gives a token back, which was so long a part of the window. */
    giveBack(name: RateName, key: string, tokenMs: number): void {
      const place = placeOf(name, key);
      const bucket = buckets.get(place);
      if (bucket === undefined) return;
      spend(place, bucket - tokenMs, { spentMs: -tokenMs, windowMs: rates[name].windowMs });
    },
    /** How many others have a bucket that is not full again. */
    others(name: RateName, key: string): number {
      const nowMs = clock.now();
      buckets.deleteOldest((fullAtMs) => fullAtMs <= nowMs);
      return buckets.size - (buckets.get(placeOf(name, key)) === undefined ? 0 : 1);
    },
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

// Shares rate limits among the servers of a shop: each counts for itself, and about once a second
// exchanges what its busy callers used. No request waits for it. Until the exchange, each server
// may let a caller use the whole limit once; what was used too much is waited for afterwards, so
// the average holds. A caller that uses less than a quarter of its limit at a server is not shared.

interface Use {
  /** Name of the limit, and whose. */
  readonly place: string;
  readonly spentMs: number;
  readonly windowMs: number;
  /** When the bucket is full again. */
  readonly fullAtMs: number;
  /** Sets the bucket after an exchange. */
  set(fullAtMs: number): void;
}

export interface RateSharing {
  note(use: Use): void;
  /** Exchanges what was noted, if it is time. */
  exchange(): Promise<void>;
}

/** How many windows a caller may owe to several servers together. */
const OWED_WINDOWS = 16;

const EXCHANGE_MS = 1_000;
const FORGET_MS = 60_000;
const WORTH = 4;
const MOST_PER_EXCHANGE = 1_000;

/** Undefined if no other server shares the store. */
export function createRateSharing(
  { others, write }: Pick<Store, 'others' | 'write'>,
  clock: Pick<Clock, 'now'>,
): RateSharing | undefined {
  if (others === undefined) return undefined;
  /** Below the share that is worth it. */
  const small = createRecent<number>();
  const open = new Map<string, Use>();
  let [nextAtMs, forgetAtMs] = [0, 0];
  const note = (use: Use): void => {
    const { place, spentMs, windowMs, fullAtMs } = use;
    const nowMs = clock.now();
    const isFirst = fullAtMs - spentMs <= nowMs;
    const known = open.get(place)?.spentMs ?? (isFirst ? 0 : small.get(place)) ?? 0;
    const isWorth = open.has(place) || (fullAtMs - nowMs) * WORTH > windowMs;
    if (isWorth && (open.has(place) || open.size < MOST_PER_EXCHANGE)) {
      open.set(place, { ...use, spentMs: known + spentMs });
      small.delete(place);
    } else small.set(place, known + spentMs);
  };
  return {
    note,
    async exchange() {
      const nowMs = clock.now();
      if (nowMs < nextAtMs) return;
      nextAtMs = nowMs + EXCHANGE_MS;
      const uses = new Map(open);
      open.clear();
      if (uses.size === 0) return;
      const isForgetting = nowMs >= forgetAtMs;
      if (isForgetting) forgetAtMs = nowMs + FORGET_MS;
      try {
        const spent = [...uses].map(([name, { spentMs }]) => ({
          name,
          spentMs: Math.round(spentMs),
        }));
        const rows = await write(async ({ sharedRates }) => {
          if (isForgetting) await sharedRates.forget(nowMs);
          return sharedRates.spend(spent, nowMs);
        });
        for (const { name, fullAtMs } of rows) {
          // What was used during the exchange is told by the next one.
          uses.get(name)?.set(fullAtMs + (open.get(name)?.spentMs ?? 0));
        }
      } catch (error) {
        for (const use of uses.values()) note(use);
        throw error;
      }
    },
  };
}

// Limits payments that name a wrong order: voucher codes are cash, and an attacker could guess orders.

/** Who sent a payment, and which one: its transaction is public once it has landed. */
export interface Guesser {
  /** Address of the socket; undefined inside a process. */
  readonly address: string | undefined;
  readonly messageHash: string;
}

/** Refusals that count as a guess at an order. */
export const WRONG_ORDER: ReadonlySet<WireErrorCode> = new Set([
  'session_required',
  'session_unknown',
  'session_mismatch',
  'body_mismatch',
  'payment_identifier_mismatch',
  'duplicate_settlement',
]);

export type GuessGate = ReturnType<typeof createGuessGate>;

/**
 * Counts only refusals, after checking the payment: other people's guesses never lock out a buyer
 * who sends the session. It needs its own rate gate, since guesses create many keys.
 */
export function createGuessGate(gate: RateGate) {
  const byAddress = (address: string | undefined): Refusal | undefined =>
    address === undefined ? undefined : gate.take('wrongPaymentsByAddress', address).refusal;
  return {
    /** Counts a payment refused for naming the wrong order; returns a refusal if there are too many. */
    wrong: ({ address, messageHash }: Guesser): Refusal | undefined => {
      const { refusal } = gate.take('wrongPaymentsByPayment', messageHash);
      return byAddress(address) ?? refusal;
    },
    /**
     * Counts an order found only by the buyer's payment identifier; returns a refusal if guesses used
     * up the limit.
     */
    named: ({ address }: Pick<Guesser, 'address'>): Refusal | undefined => byAddress(address),
  };
}
