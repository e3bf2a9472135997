/** Base58 in the Bitcoin alphabet, as Solana writes addresses, signatures and blockhashes. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGITS = new Map([...ALPHABET].map((character, digit) => [character, digit]));
/** Longer than any signature (88 characters); the conversion is quadratic, so its input is bounded. */
const MAX_LENGTH = 128;

export function encodeBase58(bytes: Uint8Array): string {
  const digits: number[] = [];
  for (const byte of bytes) {
    let carry = byte;
    for (let index = 0; index < digits.length; index += 1) {
      carry += (digits[index] ?? 0) << 8;
      digits[index] = carry % 58;
      carry = (carry / 58) | 0;
    }
    for (; carry > 0; carry = (carry / 58) | 0) digits.push(carry % 58);
  }
  const text = digits.map((digit) => ALPHABET.charAt(digit)).reverse();
  return '1'.repeat(countLeading(bytes, 0)) + text.join('');
}

/** @throws {ScripError} INPUT_INVALID on a character outside the alphabet, or too many of them */
export function decodeBase58(text: string, maxLength = MAX_LENGTH): Uint8Array {
  if (text.length > maxLength) {
    throw new ScripError(
      'INPUT_INVALID',
      t`${text.length} characters are too many for base58 here`,
    );
  }
  const bytes: number[] = [];
  for (const character of text) {
    let carry = DIGITS.get(character) ?? refuse(character);
    for (let index = 0; index < bytes.length; index += 1) {
      carry += (bytes[index] ?? 0) * 58;
      bytes[index] = carry & 0xff;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff);
  }
  const zeros = countLeading([...text], '1');
  return Uint8Array.from([...Array<number>(zeros).fill(0), ...bytes.reverse()]);
}

function countLeading<T>(items: Iterable<T>, leading: T): number {
  let count = 0;
  for (const item of items) {
    if (item !== leading) break;
    count += 1;
  }
  return count;
}

function refuse(character: string): never {
  throw new ScripError('INPUT_INVALID', t`"${character}" is not a base58 character`);
}
