/** Checks who may change files in one of our folders: one rule for writing and for diagnosis. */

import { commandText } from '../message/command-text.ts';
import { type Message, t } from '../message/message.ts';

export interface FolderAccess {
  readonly owner: 'self' | 'root' | 'other';
  /** Permission bits. */
  readonly mode: number;
}

/**
 * Returns why other users could change records in a folder; undefined when they cannot. A user who can remove
 * a record can cause a second payment. Folders owned by root are trusted: a container's volume belongs to
 * root and is open to the user inside.
 */
export function folderFault(path: string, { owner, mode }: FolderAccess) {
  if (owner === 'other') {
    const fix = commandText`Run: chown -R "$(id -un)" ${path}`;
    return { problem: t`${path} belongs to another user`, fix };
  }
  if (owner === 'root' || !isOpen(mode)) return undefined;
  return { problem: openTo(path, mode), fix: closing(path) };
}

/** Whether users other than the owner may write. */
export function isOpen(mode: number): boolean {
  return (mode & 0o022) !== 0;
}

export function openTo(path: string, mode: number): Message {
  return t`others may write to ${path} (mode ${octal(mode)})`;
}

export function closing(path: string): Message {
  return commandText`Run: chmod 700 ${path}`;
}

export function octal(mode: number): string {
  return mode.toString(8).padStart(3, '0');
}
