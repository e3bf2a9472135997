/** Amounts that a person wrote with a point, which separates thousands in many countries. */

import { ScripError } from './errors.ts';
import { t } from './message.ts';

/**
 * Whether the point may separate thousands, as many countries write them: `1.000`, but not `0.125`, `1000.125`
 * or `1.0000`.
 */
export function mayBeThousands(text: string): boolean {
  return /^\s*[1-9]\d{0,2}\.\d{3}\s*$/.test(text);
}

/** Refuses what a person wrote if it may be thousands. @throws {ScripError} AMOUNT_INVALID */
export function checkThousands(text: string): void {
  if (!mayBeThousands(text)) return;
  const written = text.trim();
  const whole = written.replace('.', '');
  throw new ScripError(
    'AMOUNT_INVALID',
    t`"${written}" may mean ${whole}, or a value with three decimals`,
    {
      hint: t`Write ${whole}, or ${withoutThousands(written)} for the value with decimals.`,
    },
  );
}

/** Writes a decimal so that its point cannot be taken for thousands: `1.125` as `1.1250`. */
export function withoutThousands(text: string): string {
  return mayBeThousands(text) ? `${text}0` : text;
}
