/** Where the user is at home. */

import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';

/**
 * HOME may be set to nothing, or to a part of the folder one stands in: neither is where state goes.
 * @throws {ScripError} INPUT_INVALID where no other home is known: the executable's engine has HOME alone
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
