/** Clocks for tests: time is a number that moves only when the test, or a sleep, says so. */
import type { Clock } from '../../src/domain/clock.ts';

export interface ManualClock extends Clock {
  /** Moves time on and wakes the sleepers whose time has come, earliest first. */
  advance(ms: number): void;
  /** Sets the wall clock, also backwards; wakes nobody. */
  set(atMs: number): void;
  /** How many are asleep. */
  sleepers(): number;
}

interface Sleeper {
  readonly wakeAtMs: number;
  readonly wake: () => void;
}

/** A date that reads well in failures: 2026-01-01T00:00:00Z. */
export const START_MS = Date.UTC(2026, 0, 1);

/** A clock whose sleepers wait until the test advances it. */
export function manualClock(startMs: number = START_MS): ManualClock {
  let nowMs = startMs;
  let asleep: readonly Sleeper[] = [];
  return {
    now: () => nowMs,
    set: (atMs) => {
      nowMs = atMs;
    },
    sleepers: () => asleep.length,
    advance: (ms) => {
      nowMs += ms;
      const due = asleep.filter((sleeper) => sleeper.wakeAtMs <= nowMs);
      asleep = asleep.filter((sleeper) => sleeper.wakeAtMs > nowMs);
      for (const sleeper of due.toSorted((a, b) => a.wakeAtMs - b.wakeAtMs)) sleeper.wake();
    },
    sleep: (ms, signal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        if (ms <= 0) return resolve();
        const sleeper: Sleeper = { wakeAtMs: nowMs + ms, wake };
        function wake(): void {
          signal?.removeEventListener('abort', abort);
          resolve();
        }
        function abort(): void {
          asleep = asleep.filter((other) => other !== sleeper);
          reject(signal?.reason);
        }
        signal?.addEventListener('abort', abort, { once: true });
        asleep = [...asleep, sleeper];
      }),
  };
}

/**
 * A clock on which every sleep is over at once and moves time by its length. It gives way to timers,
 * so that a loop that waits for ever runs into the test's timeout.
 */
export function skippingClock(startMs: number = START_MS): ManualClock {
  const clock = manualClock(startMs);
  return {
    ...clock,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      clock.advance(Math.max(0, ms));
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
