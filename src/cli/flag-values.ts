/** What flags are called, and the shape of their values. */
import { ScripError } from '../domain/errors.ts';

/** `maxTotal` as it is typed: `--max-total`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** @throws {ScripError} INPUT_INVALID */
export function checkKey(key: string): string {
  if (/^[\x21-\x7e]{1,128}$/.test(key)) return key;
  throw new ScripError(
    'INPUT_INVALID',
    'an idempotency key is 1 to 128 printable characters without spaces',
  );
}
