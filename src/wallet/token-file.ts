/** Tokens that identify this program to others: each alone in a file that only its owner may read. */

import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import { readPrivateFile } from './private-file.ts';

/** Reads a token for the Authorization header. @throws {ScripError} INPUT_INVALID, WALLET_UNSAFE */
export function readToken(path: string): string {
  const file = { what: t`token file`, missing: 'INPUT_INVALID' } as const;
  return checkToken(readPrivateFile(path, file).toString('utf8'), path);
}

/** @param place is named in the error, which never has the token */
export function checkToken(text: string, place: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new ScripError('INPUT_INVALID', t`${place} does not hold one token`, {
    hint: t`Write the token alone into it: visible characters without spaces.`,
  });
}
