import type { Clock } from '../domain/clock.ts';
import type { Store } from '../storage/store.ts';

/** The clock that all servers of one store share: the time of its database. */
export function storeClock({ others }: Pick<Store, 'others'>, clock: Clock): Clock {
  if (!others) return clock;
  return { ...clock, now: () => clock.now() + others.offsetMs() };
}
