/** The policy file of the user: read only if no other user could have changed it, replaced whole. */

import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { geteuid } from 'node:process';
import { ScripError } from '../domain/errors.ts';
import { type Message, t } from '../domain/message.ts';
import { errorCode, replaceDurably } from './durable-file.ts';

/** More than any policy needs. */
const MAX_BYTES = 1_000_000;

/**
 * The text of the policy file; undefined where there is none.
 * @throws {ScripError} POLICY_INVALID when it is not the user's own or others may change it
 */
export function readPolicyFile(path: string): string | undefined {
  const file = openIfThere(path);
  if (file === undefined) return undefined;
  try {
    checkOwnership(path, file);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined;
    if (errorCode(cause) === 'ELOOP') throw unsafe(path, t`is a link`);
    throw new ScripError('POLICY_INVALID', t`${path} cannot be read`, { cause });
  }
}

function checkOwnership(path: string, file: number): void {
  const stats = fstatSync(file);
  const owner = geteuid?.();
  if (!stats.isFile()) throw unsafe(path, t`is no file`);
  if (stats.size > MAX_BYTES) throw unsafe(path, t`is too large`);
  if (owner === undefined) return;
  if (stats.uid !== owner) throw unsafe(path, t`belongs to another user`);
  if ((stats.mode & 0o022) !== 0) throw unsafe(path, t`can be changed by others`);
}

function unsafe(path: string, problem: Message): ScripError {
  return new ScripError('POLICY_INVALID', t`the policy file ${path} ${problem}`, {
    hint: t`Make it a plain file of your own: chmod 600.`,
  });
}

/**
 * Puts a new policy in the place of the old one, mode 0600; a crash leaves one of the two, whole.
 * @throws {ScripError} OUTPUT_UNWRITABLE
 */
export function writePolicyFile(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    replaceDurably(path, text);
  } catch (cause) {
    throw new ScripError('OUTPUT_UNWRITABLE', t`${path} cannot be written`, { cause });
  }
}
