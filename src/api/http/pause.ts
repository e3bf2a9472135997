/** Waiting that the user can end. */

import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';

/** @throws {ScripError} INTERRUPTED when the signal aborts before the time is over */
export async function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    throw stopped(t`Stopped while waiting`, error);
  }
}

/** The user's interruption, where nothing was sent that costs money; who sent such a thing says so. */
export function stopped(message: Message, cause: unknown): ScripError {
  return new ScripError('INTERRUPTED', message, {
    cause,
    fundsAtRisk: 'none',
    hint: t`Run the command again to continue.`,
  });
}
