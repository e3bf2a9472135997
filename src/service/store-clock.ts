import type { Clock } from '../domain/clock.ts';
import type { Store } from '../store/store.ts';

/** The clock that all servers with the same store share: its database's time. */
export function storeClock({ others }: Store, clock: Clock): Clock {
  if (!others) return clock;
  return { ...clock, now: () => others.now() };
}
