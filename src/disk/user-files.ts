/** Reads text files that the user names, or that hold settings. */

import { readFileSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorCode } from '../domain/error-code.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';

/** Returns undefined if there is no file. @throws {ScripError} INPUT_INVALID */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined;
    throw new ScripError('INPUT_INVALID', t`${path} cannot be read`, { cause });
  }
}

/** Reads a named file; undefined if no name is given. @throws {ScripError} INPUT_INVALID */
export function readNamed(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const text = readIfThere(resolve(file));
  if (text === undefined) throw new ScripError('INPUT_INVALID', t`There is no file ${file}`);
  return text;
}

/** Resolves links; for a missing file, returns only the absolute path. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
