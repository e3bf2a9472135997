/** The options of a guided purchase. */

import { timeoutsOf } from '../../api/timeouts.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import type { Answers } from '../../domain/wizard-step.ts';
import type { With } from '../context.ts';
import { unasked } from '../ordering/asking.ts';
import type { PreviewTerms } from './order-preview.ts';

export interface GuideOptions {
  /** Answers given by options. */
  readonly ahead: Answers;
  readonly isResumed: boolean;
  readonly isPlain: boolean;
  readonly isAgreed: boolean;
  /** As typed, in the coin of the order. */
  readonly maxAmount: string | undefined;
  /** Whether codes may be printed to a pipe. */
  readonly isRevealed: boolean;
  /** Whether to allow the same purchase twice in a short time. */
  readonly isRepeatable: boolean;
  /** Whether to accept a phone number of another country than the product's. */
  readonly allowsOtherCountry: boolean;
  /** Idempotency key of this purchase. */
  readonly key: string | undefined;
  readonly isWaiting: boolean;
  readonly timeoutMs: number;
  /** The timeout as typed. */
  readonly timeout: string;
}

export type GuideContext = With<'version' | 'settings' | 'io' | 'parts' | 'keys' | 'files'>;

/** The default of `scrip order`. */
const DEFAULT_TIMEOUT = '10m';

/**
 * Checks the options.
 * @throws {ScripError} TERMINAL_REQUIRED, USAGE, before any input is read or request sent
 */
export function checkAsked(context: With<'settings' | 'io'>, options: GuideOptions): void {
  const { isPlain, isAgreed, isResumed, maxAmount, ahead } = options;
  const [flag] = Object.keys(ahead);
  if (isResumed && flag !== undefined) {
    throw new ScripError('USAGE', t`--resume uses the saved answers and takes no others`, {
      hint: t`Remove the other answers, or remove --resume to start over.`,
    });
  }
  if (context.settings.mayPrompt) return;
  if (!isPlain) {
    throw new ScripError('TERMINAL_REQUIRED', t`The wizard needs a terminal`, {
      hint: t`Add --plain: it reads the answers from standard input, one on a line.`,
    });
  }
  const missing = [
    ...(isAgreed ? [] : ['--yes']),
    ...(maxAmount === undefined ? ['--max-amount'] : []),
  ];
  if (missing.length > 0) throw unasked(context, missing);
}

/** The order's terms, other than products and people. */
export function termsOf(options: GuideOptions): PreviewTerms {
  const { isWaiting, isRevealed, isRepeatable, allowsOtherCountry, key, timeoutMs } = options;
  return {
    key,
    isAgreed: true,
    isDryRun: false,
    isRevealed,
    isWaiting,
    timeouts: timeoutsOf(isUsual(options) ? undefined : timeoutMs, isWaiting),
    allowsDuplicate: isRepeatable,
    allowsOtherCountry,
    opensAccount: false,
  };
}

export function isUsual({ timeout }: GuideOptions): boolean {
  return timeout === DEFAULT_TIMEOUT;
}
