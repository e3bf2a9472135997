/** What goes on, as it is told: the step that is taken now, and those that are finished. */

import type { Message } from '../domain/message.ts';

/** Of a step that takes its time. */
export interface Waiting {
  /** How long it usually takes, as far as the merchant says. */
  readonly usualMs?: number | undefined;
  /** Stopping loses nothing: it can be gone on with. */
  readonly isSafe?: boolean;
}

export interface Progress {
  step(text: Message, waiting?: Waiting): void;
  /** Ends the step; a text tells what is finished by now. @param mark of how it ended, in place of a tick */
  done(text?: Message, mark?: string): void;
}
