/** Writes secrets, such as voucher codes, to files that only their owner may read. */

import { errorCode } from '../domain/error-code.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import { createDurably } from './durable-file.ts';

/**
 * Writes a new file with mode 0600, durable when it returns. Removes what a failed attempt left.
 * @throws {ScripError} OUTPUT_UNWRITABLE, also if the name is taken
 */
export function writeSecretFile(path: string, text: string): void {
  try {
    createDurably(path, text);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

function unwritable(path: string, cause: unknown): ScripError {
  const code = errorCode(cause) ?? t`unknown error`;
  const isTaken = code === 'EEXIST';
  return new ScripError(
    'OUTPUT_UNWRITABLE',
    isTaken ? t`There is already a file at ${path}` : t`${path} cannot be written (${code})`,
    {
      cause,
      ...(isTaken ? { hint: t`Choose a file that does not exist yet.` } : {}),
      details: { path },
    },
  );
}
