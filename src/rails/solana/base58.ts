/** Base58 in the Bitcoin alphabet: Solana's encoding of addresses, signatures and blockhashes. */

import { base58 } from '@scure/base';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';

/** Longer than any signature (88 characters); bounded because decoding takes quadratic time. */
const MAX_LENGTH = 128;

export function encodeBase58(bytes: Uint8Array): string {
  return base58.encode(bytes);
}

/**
 * Decodes base58.
 * @throws {ScripError} INPUT_INVALID on a character outside the alphabet, or too many characters
 */
export function decodeBase58(text: string, maxLength = MAX_LENGTH): Uint8Array {
  if (text.length > maxLength) {
    throw new ScripError(
      'INPUT_INVALID',
      t`${text.length} characters are too many for this base58 value`,
    );
  }
  const stray = /[^1-9A-HJ-NP-Za-km-z]/u.exec(text)?.[0];
  if (stray !== undefined) {
    throw new ScripError('INPUT_INVALID', t`"${stray}" is not a base58 character`);
  }
  return base58.decode(text);
}
