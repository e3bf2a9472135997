/** Measures elapsed time, unaffected by changes of the wall clock. */
import type { Clock } from '../../domain/clock.ts';

export interface Stopwatch {
  elapsedMs(): number;
  /** Counts a wait with its requested length, because the clock may have jumped. */
  waited(ms: number): void;
}

/** Longer than any request: a larger jump means that the clock was set or the machine slept. */
const LONGEST_MOVE_MS = 90_000;

export function startStopwatch(clock: Clock): Stopwatch {
  let elapsedMs = 0;
  let readAtMs = clock.now();
  const moved = (): number => {
    const nowMs = clock.now();
    const moveMs = nowMs - readAtMs;
    readAtMs = nowMs;
    return moveMs >= 0 && moveMs <= LONGEST_MOVE_MS ? moveMs : 0;
  };
  return {
    elapsedMs: () => {
      elapsedMs += moved();
      return elapsedMs;
    },
    waited: (ms) => {
      moved();
      elapsedMs += ms;
    },
  };
}
