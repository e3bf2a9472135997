/** A file for what must not be read by others, such as a code. */

import { errorCode } from '../domain/error-code.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import { createDurably } from './durable-file.ts';

/**
 * Writes a new file, mode 0600, on disk when it returns. What was begun and failed is removed.
 * @throws {ScripError} OUTPUT_UNWRITABLE, also when there is a file of that name
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
    isTaken ? t`there is already a file at ${path}` : t`${path} cannot be written (${code})`,
    {
      cause,
      ...(isTaken ? { hint: t`Name a file that does not exist yet.` } : {}),
      details: { path },
    },
  );
}
