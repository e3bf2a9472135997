/** Progress messages: the current step, and completed ones. */

import type { Message } from '../domain/message/message.ts';

/** Details of a step that takes time. */
export interface Waiting {
  /** How long it usually takes, if the merchant says. */
  readonly usualMs?: number | undefined;
  /** Whether stopping is safe, because the step can be continued later. */
  readonly isSafe?: boolean;
}

export interface Progress {
  step(text: Message, waiting?: Waiting): void;
  /**
   * Ends the step; `text` says what is complete.
   * @param mark shown instead of the tick
   */
  done(text?: Message, mark?: string): void;
}
