/** Addresses in bech32 (BIP 173, BIP 350). */

import { bech32, bech32m } from '@scure/base';

/** Encodes a witness program of version 0: an address such as `bc1q…`. */
export function segwitAddress(prefix: string, program: Uint8Array): string {
  return bech32.encode(prefix, [0, ...bech32.toWords(program)]);
}

/** Whether the text is bech32 or bech32m: valid checksum, and not in mixed case. */
export function isBech32(text: string): boolean {
  return decoded(text) !== undefined;
}

/** Whether it is a segwit address of the network: version 0 by BIP 173, later versions by BIP 350. */
export function isSegwitAddress(text: string, network: string): boolean {
  const { form, prefix, words: [version, ...program] = [] } = decoded(text) ?? {};
  if (prefix !== network || version === undefined) return false;
  const bytes = bech32.fromWordsUnsafe(program)?.length ?? 0;
  if (version === 0) return form === 'bech32' && (bytes === 20 || bytes === 32);
  return form === 'bech32m' && version <= 16 && bytes >= 2 && bytes <= 40;
}

/** Decodes without the limit of 90 characters, which Lightning invoices exceed. */
function decoded(text: string) {
  const old = bech32.decodeUnsafe(text, false);
  if (old) return { form: 'bech32' as const, ...old };
  const modified = bech32m.decodeUnsafe(text, false);
  return modified ? { form: 'bech32m' as const, ...modified } : undefined;
}
