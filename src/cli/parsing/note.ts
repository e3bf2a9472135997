/** The user's own note on a purchase: stored in the journal, never sent. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';

const MAX_LENGTH = 500;

/** Checks a note. @throws {ScripError} INPUT_INVALID when it is empty or longer than 500 characters */
export function checkNote(text: string): string {
  const note = text.trim();
  if (note !== '' && [...note].length <= MAX_LENGTH) return note;
  throw new ScripError('INPUT_INVALID', t`--note must have 1 to ${MAX_LENGTH} characters`);
}
