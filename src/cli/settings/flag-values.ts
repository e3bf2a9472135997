/** What flags are called, and the shape of their values. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { webhookProblem } from '../../domain/webhook-address.ts';

/** `maxTotal` as it is typed: `--max-total`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** @throws {ScripError} INPUT_INVALID */
export function checkKey(key: string): string {
  if (/^[\x21-\x7e]{1,128}$/.test(key)) return key;
  throw new ScripError(
    'INPUT_INVALID',
    t`An idempotency key must be 1 to 128 printable characters without spaces`,
  );
}

/** An address that the merchant tells of changes; which of them it takes is the merchant's to say. @throws {ScripError} INPUT_INVALID */
export function checkCallbackUrl(url: string): string {
  const problem = webhookProblem(url, { isPrivateAllowed: true });
  if (problem === undefined) return url;
  throw new ScripError('INPUT_INVALID', t`--callback-url is ${problem}`);
}
