/** Elapsed time that a stepped wall clock cannot stretch, stop or turn back. */
import type { Clock } from '../../domain/clock.ts';

export interface Stopwatch {
  elapsedMs(): number;
  /** Counts a wait at its requested length: the clock may have jumped. */
  waited(ms: number): void;
}

/** More than one exchange takes: a longer move is the clock being set, or the machine asleep. */
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
