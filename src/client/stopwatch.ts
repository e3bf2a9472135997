/** Elapsed time that a stepped wall clock cannot stretch, stop or turn back. */
import type { Clock } from '../domain/clock.ts';

export interface Stopwatch {
  elapsedMs(): number;
  /** Counts a wait at its own length, whatever the clock says it took. */
  waited(ms: number): void;
}

/** More than one exchange takes: what the clock moves beyond it between two readings is a step. */
const LONGEST_STEP_MS = 90_000;

export function startStopwatch(clock: Clock): Stopwatch {
  let elapsedMs = 0;
  let readAtMs = clock.now();
  const read = (): number => {
    const nowMs = clock.now();
    const stepMs = nowMs - readAtMs;
    readAtMs = nowMs;
    return stepMs;
  };
  return {
    elapsedMs: () => {
      elapsedMs += Math.min(Math.max(read(), 0), LONGEST_STEP_MS);
      return elapsedMs;
    },
    waited: (ms) => {
      read();
      elapsedMs += ms;
    },
  };
}
