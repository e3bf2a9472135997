/** How a folder stands: who may use it, and how much room there is. */
import { statfsSync, statSync } from 'node:fs';
import { geteuid } from 'node:process';
import { ScripError } from '../domain/errors.ts';

export interface FolderState {
  readonly isFolder: boolean;
  /** Permission bits. */
  readonly mode: number;
  readonly isOwn: boolean;
  readonly freeBytes: number;
}

/** Undefined where there is nothing. @throws {ScripError} STORE_UNUSABLE when it cannot be looked at */
export function readFolderState(path: string): FolderState | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const { bavail, bsize } = statfsSync(path);
    return {
      isFolder: stats.isDirectory(),
      mode: stats.mode & 0o777,
      isOwn: geteuid === undefined || stats.uid === geteuid(),
      freeBytes: bavail * bsize,
    };
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw new ScripError('STORE_UNUSABLE', `${path} cannot be looked at${code}`, { cause });
  }
}
