/** A remark of the user's own on a purchase: kept in the journal, sent to nobody. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';

const MAX_LENGTH = 500;

/** @throws {ScripError} INPUT_INVALID when it is empty or longer than 500 characters */
export function checkNote(text: string): string {
  const note = text.trim();
  if (note !== '' && [...note].length <= MAX_LENGTH) return note;
  throw new ScripError('INPUT_INVALID', t`--note is 1 to ${MAX_LENGTH} characters`);
}
