/** Names of flags, and checks of some values. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { webhookProblem } from '../../domain/webhook-address.ts';

/** Turns `maxTotal` into `--max-total`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Checks an idempotency key. @throws {ScripError} INPUT_INVALID */
export function checkKey(key: string): string {
  if (/^[\x21-\x7e]{1,128}$/.test(key)) return key;
  throw new ScripError(
    'INPUT_INVALID',
    t`An idempotency key must be 1 to 128 printable characters without spaces`,
  );
}

/**
 * Checks the URL to which the merchant sends webhooks; the merchant may refuse more.
 * @throws {ScripError} INPUT_INVALID
 */
export function checkCallbackUrl(url: string): string {
  const problem = webhookProblem(url, { isPrivateAllowed: true });
  if (problem === undefined) return url;
  throw new ScripError('INPUT_INVALID', t`--callback-url is ${problem}`);
}
