/**
 * Limits unpaid sessions per address. An unpaid session costs a row; a payment gives its
 * place back. When very many addresses open sessions at once, those that have not paid
 * share the host's limit, but each gets at least one, so no address is refused because of others.
 */
import type { Clock } from '../domain/clock.ts';
import { RATE_LIMITS, type RateLimit } from '../domain/rate-limit.ts';
import { createRecent } from '../rails/recent.ts';
import { type RateLimits, type Taken, type TrafficOptions, takeFrom } from './limits.ts';
import type { RateSharing } from './rate-sharing.ts';

export interface ChallengeGate {
  /** Takes a place for one session, or refuses. */
  take(address: string): Place;
  /** Gives a session's place back, and remembers its address as a payer. */
  paid(sessionId: string): void;
}

export interface Place extends Taken {
  /** Records the session that the place was taken for. */
  opened(sessionId: string): void;
}

/** Ours: how long an address counts as a payer. */
const PAYER_MS = 24 * 3_600_000;

interface Opened {
  readonly address: string;
  /** How much of the bucket the place gives back. */
  readonly tokenMs: number;
}

export function createChallengeGate(
  clock: Pick<Clock, 'now'>,
  { rates }: TrafficOptions = {},
  sharing?: RateSharing,
): ChallengeGate {
  const { challengesByAddress: own, challengesOfHost: host }: RateLimits = {
    ...RATE_LIMITS,
    ...rates,
  };
  /** Mostly addresses that opened sessions in the last window. */
  const buckets = createRecent<number>();
  const payers = createRecent<number>();
  const sessions = createRecent<Opened>();

  const hasPaid = (address: string) => (payers.get(address) ?? 0) > clock.now();

  function limitOf(address: string): RateLimit {
    if (hasPaid(address)) return own;
    const others = buckets.size - (buckets.get(address) === undefined ? 0 : 1);
    const share = Math.floor(host.count / (others + 1));
    return { ...own, count: Math.max(1, Math.min(own.count, share)) };
  }

  const note = (address: string, fullAtMs: number, spentMs: number): void =>
    sharing?.note({
      place: `challengesByAddress ${address}`,
      spentMs,
      windowMs: own.windowMs,
      fullAtMs,
      set: (atMs) => buckets.set(address, atMs),
    });

  return {
    take(address) {
      const nowMs = clock.now();
      buckets.deleteOldest((fullAtMs) => fullAtMs <= nowMs);
      const limit = limitOf(address);
      const isShared = sharing !== undefined;
      const asked = { name: 'challengesByAddress', limit, nowMs, isShared } as const;
      const { bucket, taken } = takeFrom(buckets.get(address), asked);
      buckets.set(address, bucket);
      const tokenMs = limit.windowMs / limit.count;
      if (taken.refusal === undefined) note(address, bucket, tokenMs);
      return { ...taken, opened: (sessionId) => sessions.set(sessionId, { address, tokenMs }) };
    },
    paid(sessionId) {
      const opened = sessions.get(sessionId);
      if (!opened) return;
      sessions.delete(sessionId);
      const { address, tokenMs } = opened;
      payers.set(address, clock.now() + PAYER_MS);
      const bucket = buckets.get(address);
      if (bucket === undefined) return;
      buckets.set(address, bucket - tokenMs);
      note(address, bucket - tokenMs, -tokenMs);
    },
  };
}
