/**
 * Small text files of the user, such as settings, a draft or the policy: written completely or not at all,
 * readable only by their owner.
 */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { type FileRules, faultText, readChecked } from '../disk/checked-file.ts';
import { replaceDurably, syncFolder } from '../disk/files.ts';
import { commandText } from '../domain/message/command-text.ts';
import { codeInBrackets, errorCode, ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';

/** Larger than any of these files. */
const MAX_BYTES = 65_536;

/**
 * Creates access to a small file. Its methods throw ScripError STORE_UNUSABLE when the file cannot
 * be read or made durable.
 */
export function createSmallFile(path: string) {
  const replace = (text: string): void => {
    try {
      replaceDurably(path, text);
    } catch (cause) {
      throw unusable(t`${path} cannot be written${codeInBrackets(cause)}`, cause);
    }
  };
  return {
    /** Undefined if there is none. */
    read: async () => readIfThere(path),
    /** Durable when it resolves. */
    write: async (text: string) => replace(text),
    /** The same, but only if the file still holds `expected`. */
    replace: async (expected: string | undefined, text: string) => {
      checkUnchanged(path, expected);
      replace(text);
    },
    remove: async () => remove(path),
  };
}

function checkUnchanged(path: string, expected: string | undefined): void {
  if (readIfThere(path) === expected) return;
  throw new ScripError('STORE_UNUSABLE', t`${path} was changed by another program meanwhile`, {
    hint: t`Run the command again.`,
  });
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
    syncFolder(dirname(path));
  } catch (cause) {
    // The folder does not exist, so the file does not either.
    if (errorCode(cause) === 'ENOENT') return;
    throw unusable(t`${path} cannot be removed${codeInBrackets(cause)}`, cause);
  }
}

function readIfThere(path: string): string | undefined {
  const file = readChecked(path, { maxBytes: MAX_BYTES });
  if (file.fault === undefined) return file.bytes.toString('utf8');
  if (file.fault === 'missing') return undefined;
  throw unusable(t`${path} ${faultText(file)}`, file.cause);
}

function unusable(message: Message, cause: unknown): ScripError {
  return new ScripError('STORE_UNUSABLE', message, { cause });
}

const POLICY: FileRules = {
  /** More than any policy needs. */
  maxBytes: 1_000_000,
  /** Others may read it, but not change it. */
  ownWithout: 0o022,
  /** Who may write to its folder may put another file in its place. */
  isFolderChecked: true,
};

/**
 * Reads the policy file; undefined if there is none.
 * @throws {ScripError} POLICY_INVALID when it belongs to another user or others may change it
 */
export function readPolicyFile(path: string): string | undefined {
  const file = readChecked(path, POLICY);
  if (file.fault === undefined) return file.bytes.toString('utf8');
  if (file.fault === 'missing') return undefined;
  const hint =
    file.fault === 'open-folder'
      ? commandText`Run: chmod go-w ${dirname(path)}`
      : t`Use a regular file that only you can read: chmod 600.`;
  const message = t`The policy file ${path} ${faultText(file)}`;
  throw new ScripError('POLICY_INVALID', message, { hint, cause: file.cause });
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
