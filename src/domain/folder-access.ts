/** Who may change what is in a folder of ours: one rule for what writes there and for what examines it. */

import { commandText } from './command-text.ts';
import { type Message, t } from './message.ts';

export interface FolderAccess {
  readonly owner: 'self' | 'root' | 'other';
  /** Permission bits. */
  readonly mode: number;
}

export interface FolderFault {
  readonly problem: Message;
  /** What to do about it. */
  readonly fix: Message;
}

/**
 * Why other users could change records in a folder; undefined where they cannot. A user who can take a record
 * away can have a payment made twice. What root owns is as root wants it: volumes of containers are
 * root's, and open to the user inside.
 */
export function folderFault(path: string, { owner, mode }: FolderAccess): FolderFault | undefined {
  if (owner === 'other') {
    const fix = commandText`Run: chown -R "$(id -un)" ${path}`;
    return { problem: t`${path} belongs to another user`, fix };
  }
  if (owner === 'root' || !isOpen(mode)) return undefined;
  return { problem: openTo(path, mode), fix: closing(path) };
}

/** Others than the owner may write. */
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
