import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';

/**
 * Returns the user's home folder. HOME may be empty or relative; state must not go there.
 * @throws {ScripError} INPUT_INVALID if the system knows no other home; the standalone executable
 * reads only HOME
 */
export function homeFolder(): string {
  const said = homedir();
  if (isAbsolute(said)) return said;
  const { homedir: known } = userInfo();
  if (isAbsolute(known)) return known;
  throw new ScripError('INPUT_INVALID', t`HOME is not an absolute path: ${said}`, {
    hint: t`Set it to your home folder.`,
  });
}

/** Name of the user who runs this program, as the system knows it. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that no user has.
    return 'unknown';
  }
}
