/** Time that runs faster, alike in every process: what takes a chain a minute takes a test seconds. */
import type { Clock } from '../../src/domain/clock.ts';
import { systemClock } from '../../src/net/clock.ts';

export interface Pace {
  /** Real time from which this one runs ahead. */
  readonly sinceMs: number;
  readonly speed: number;
}

/** @param offsetMs how much the clock is wrong by */
export function fastClock({ sinceMs, speed }: Pace, offsetMs = 0): Clock {
  return {
    now: () => sinceMs + offsetMs + Math.floor((Date.now() - sinceMs) * speed),
    sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
  };
}
