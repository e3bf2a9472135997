/** Waits that the user can interrupt. */

import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';

/** Waits. @throws {ScripError} INTERRUPTED when the signal aborts before the time is up */
export async function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    throw stopped(t`Stopped while waiting`, error);
  }
}

/**
 * Returns the error for the user's interruption while no money is at risk; after sending a payment, callers
 * raise their own.
 */
export function stopped(message: Message, cause: unknown): ScripError {
  return new ScripError('INTERRUPTED', message, {
    cause,
    fundsAtRisk: 'none',
    hint: t`Run the command again to continue.`,
  });
}

/** Longer than any request: a larger jump means that the clock was set or the machine slept. */
const LONGEST_MOVE_MS = 90_000;

export function startStopwatch(clock: Clock) {
  let elapsedMs = 0;
  let readAtMs = clock.now();
  const moved = (): number => {
    const nowMs = clock.now();
    const moveMs = nowMs - readAtMs;
    readAtMs = nowMs;
    return moveMs >= 0 && moveMs <= LONGEST_MOVE_MS ? moveMs : 0;
  };
  return {
    elapsedMs: (): number => {
      elapsedMs += moved();
      return elapsedMs;
    },
    /** Counts a wait with its requested length, because the clock may have jumped. */
    waited: (ms: number): void => {
      moved();
      elapsedMs += ms;
    },
  };
}
