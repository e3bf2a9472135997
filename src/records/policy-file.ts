/** The user's policy file: read only if no other user could have changed it, replaced as a whole. */

import { dirname } from 'node:path';
import { type FileFault, type FileRules, readChecked } from '../disk/checked-file.ts';
import { replaceDurably } from '../disk/durable-file.ts';
import { commandText } from '../domain/command-text.ts';
import { ScripError } from '../domain/errors.ts';
import { type Message, t } from '../domain/message.ts';

const RULES: FileRules = {
  /** More than any policy needs. */
  maxBytes: 1_000_000,
  /** Others may read it, but not change it. */
  ownWithout: 0o022,
  /** Who may write to its folder may put another file in its place. */
  isFolderChecked: true,
};

const UNSAFE: Partial<Readonly<Record<FileFault, Message>>> = {
  link: t`is a link`,
  irregular: t`is not a file`,
  'too-large': t`is too large`,
  'not-own': t`belongs to another user`,
  exposed: t`can be changed by others`,
  'open-folder': t`is in a folder that others can write to`,
};

/**
 * Reads the policy file; undefined if there is none.
 * @throws {ScripError} POLICY_INVALID when it belongs to another user or others may change it
 */
export function readPolicyFile(path: string): string | undefined {
  const file = readChecked(path, RULES);
  if (file.fault === undefined) return file.bytes.toString('utf8');
  if (file.fault === 'missing') return undefined;
  const problem = UNSAFE[file.fault];
  if (problem !== undefined) {
    const isOpen = file.fault === 'open-folder';
    throw unsafe(path, problem, isOpen ? commandText`Run: chmod go-w ${dirname(path)}` : undefined);
  }
  throw new ScripError('POLICY_INVALID', t`${path} cannot be read`, { cause: file.cause });
}

function unsafe(
  path: string,
  problem: Message,
  hint: Message = t`Use a regular file that only you can read: chmod 600.`,
): ScripError {
  return new ScripError('POLICY_INVALID', t`The policy file ${path} ${problem}`, { hint });
}

/**
 * Replaces the policy, with mode 0600; a crash leaves either the old file or the new one.
 * @throws {ScripError} OUTPUT_UNWRITABLE
 */
export function writePolicyFile(path: string, text: string): void {
  try {
    replaceDurably(path, text);
  } catch (cause) {
    throw new ScripError('OUTPUT_UNWRITABLE', t`${path} cannot be written`, { cause });
  }
}
