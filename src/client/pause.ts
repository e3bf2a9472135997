/** Waiting that the user can end. */
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';

/** @throws {ScripError} INTERRUPTED when the signal aborts before the time is over */
export async function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    throw new ScripError('INTERRUPTED', 'Stopped while waiting', { cause: error });
  }
}
