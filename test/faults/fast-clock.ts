/** Time that runs faster, alike in every process: what takes a chain a minute takes a test seconds. */
import type { Clock } from '../../src/domain/clock.ts';
import { systemClock } from '../../src/net/clock.ts';

export interface Pace {
  /** Real time from which this one runs ahead. */
  readonly sinceMs: number;
  readonly speed: number;
}

/** The buyer's program is given the same by test/support/fast-clock.cjs. */
export function fastClock({ sinceMs, speed }: Pace): Clock {
  return {
    now: () => sinceMs + Math.floor((Date.now() - sinceMs) * speed),
    sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
  };
}
