/** Detects secrets on a command line, where other users can read them and shells save them. */

import { ScripError } from './message/errors.ts';
import { t } from './message/message.ts';

const PHRASE_WORDS = 12;

/** Whether it looks like a key, a seed phrase or a partner's secret. File names rarely do; a `./` prefix sets them apart. */
export function looksLikeSecret(word: string): boolean {
  const text = word.trim();
  if (/^\[\s*\d/.test(text) || text.startsWith('scrip_partner_')) return true;
  const words = text.split(/\s+/);
  if (words.length >= PHRASE_WORDS) return words.every((one) => /^[a-z]{3,8}$/i.test(one));
  return /^[1-9A-HJ-NP-Za-km-z]{43,90}$/.test(text);
}

/** Refuses command lines with a secret, without repeating it. @throws {ScripError} INPUT_INVALID */
export function refuseSecretWord(words: readonly string[]): void {
  if (!looksLikeSecret(words.join(' ')) && !words.some(looksLikeSecret)) return;
  throw new ScripError(
    'INPUT_INVALID',
    t`That looks like a secret key; other users can read a command line, and the shell saves it`,
    {
      hint: t`If it was a key, treat it as exposed. Name a file, or - for standard input; write ./<name> for a file with such a name.`,
    },
  );
}

/** Compares a secret in constant time, so that timing does not reveal how much of it matches. */
export function isSameText(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let at = 0; at < expected.length; at += 1) {
    difference |= given.charCodeAt(at) ^ expected.charCodeAt(at);
  }
  return difference === 0;
}
