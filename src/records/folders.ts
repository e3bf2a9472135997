/** The user's home folder; a folder's access rights and free space. */
import { type Stats, statfsSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { geteuid } from 'node:process';
import { codeInBrackets, ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import type { FolderAccess } from '../domain/operator/folder-access.ts';

export interface FolderState extends FolderAccess {
  readonly isFolder: boolean;
  readonly freeBytes: number;
}

const ROOT = 0;
/** For systems without owners and modes, such as Windows. */
const PRIVATE: FolderAccess = { owner: 'self', mode: 0o700 };

export function accessOf({ uid, mode }: Stats): FolderAccess {
  if (geteuid === undefined) return PRIVATE;
  const owner = uid === geteuid() ? 'self' : uid === ROOT ? 'root' : 'other';
  return { owner, mode: mode & 0o777 };
}

/**
 * Returns undefined if the folder does not exist.
 * @throws {ScripError} STORE_UNUSABLE when it cannot be inspected
 */
export function readFolderState(path: string): FolderState | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const { bavail, bsize } = statfsSync(path);
    return {
      isFolder: stats.isDirectory(),
      ...accessOf(stats),
      freeBytes: bavail * bsize,
    };
  } catch (cause) {
    const code = codeInBrackets(cause);
    throw new ScripError('STORE_UNUSABLE', t`${path} cannot be inspected${code}`, { cause });
  }
}

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
