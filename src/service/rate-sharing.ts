/**
 * Shares rate limits among the servers of a shop: each counts for itself, and about once a second
 * exchanges what its busy callers used. No request waits for it. Until the exchange, each server
 * may let a caller use the whole limit once; what was used too much is waited for afterwards, so
 * the average holds. A caller that uses less than a quarter of its limit at a server is not shared.
 */
import type { Clock } from '../domain/clock.ts';
import { createRecent } from '../rails/recent.ts';
import type { Store } from '../store/store.ts';

export interface Use {
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
export const OWED_WINDOWS = 16;

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
