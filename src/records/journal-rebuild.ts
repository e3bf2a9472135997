/**
 * Replaces a damaged journal by a newly written one. A mark file beside the folder exists
 * meanwhile: journals that see it sign nothing, and an interrupted repair leaves it in place.
 */

import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { kill, pid } from 'node:process';
import type { Disk } from '../disk/durable-file.ts';
import { errorCode } from '../domain/error-code.ts';
import { ScripError } from '../domain/errors.ts';
import type { Entry } from '../domain/journal.ts';
import { t } from '../domain/message.ts';
import { openJournal, repairMark } from './journal-files.ts';
import { makeDirectory, unusable } from './record-files.ts';

export interface Rebuild {
  readonly disk: Disk;
  /** Folder of the journal. */
  readonly home: string;
  /** Suffix of the folders that old records are moved to. */
  readonly stamp: string;
}

/** Content of the mark: the repairing process, and the folder of the new journal. */
interface Mark {
  readonly pid: number;
  readonly fresh: string;
}

/**
 * Begins a repair: from now on nothing is signed. Finishes an interrupted repair first.
 * @returns the folder for the new journal
 * @throws {ScripError} JOURNAL_UNUSABLE, also while another repair is running
 */
export function beginRebuild({ disk, home, stamp }: Rebuild): string {
  const path = repairMark(home);
  const left = readMark(path);
  if (left !== undefined && isAlive(left.pid)) {
    throw new ScripError('JOURNAL_UNUSABLE', t`Another repair is running (process ${left.pid})`, {
      hint: t`Wait for it to end.`,
    });
  }
  const fresh = `${home}.fresh-${randomUUID()}`;
  try {
    disk.makeDirectory(dirname(home));
    if (left !== undefined) {
      finishOrAbandon({ disk, home, stamp }, left);
      disk.remove(path);
    }
    disk.create(path, JSON.stringify({ pid, fresh: basename(fresh) } satisfies Mark));
    disk.syncDirectory(dirname(home));
  } catch (error) {
    throw unusable(t`${path} cannot be written`, error);
  }
  return fresh;
}

/** Cancels the repair; the journal is unchanged. */
export function cancelRebuild({ disk, home, stamp }: Rebuild, fresh: string): void {
  if (existsSync(fresh)) renameSync(fresh, `${home}.abandoned-${stamp}`);
  disk.remove(repairMark(home));
}

/**
 * Replaces the old journal by the new one. If interrupted, the mark stays, nothing is signed, and
 * the next repair finishes it.
 * @returns where the old journal is, or null if there was none
 * @throws {ScripError} JOURNAL_UNUSABLE
 */
export function swapIn({ disk, home, stamp }: Rebuild, fresh: string): string | null {
  try {
    const aside = existsSync(home) ? `${home}.damaged-${stamp}` : null;
    if (aside !== null) disk.replace(home, aside);
    disk.replace(fresh, home);
    disk.syncDirectory(dirname(home));
    disk.remove(repairMark(home));
    disk.syncDirectory(dirname(home));
    return aside;
  } catch (error) {
    throw unusable(t`${home} cannot be replaced`, error);
  }
}

/** Writes entries through a journal in its own folder, so all rules of writing apply. */
export async function writeEntries(
  { disk, home }: Rebuild,
  fresh: string,
  entries: readonly Entry[],
): Promise<void> {
  makeDirectory(disk, fresh, [dirname(home)]);
  const payer = basename(home);
  const journal = openJournal({ dir: fresh, payer, disk, home: fresh });
  for (const { intent, attempts, facts: events } of entries) {
    await journal.open(intent);
    for (const event of events.filter((one) => !('attempt' in one) || one.attempt === 0)) {
      await journal.addFact(intent, event);
    }
    for (const attempt of attempts.toSorted((a, b) => a.number - b.number)) {
      await journal.addAttempt(intent, attempt);
      for (const event of events) {
        const isOfAttempt = 'attempt' in event && event.attempt === attempt.number;
        if (isOfAttempt) await journal.addFact(intent, event);
      }
    }
  }
}

/** If interrupted between the two moves, the new journal is complete; before them it may be partial. */
function finishOrAbandon({ disk, home, stamp }: Rebuild, { fresh }: Mark): void {
  const left = join(dirname(home), fresh);
  if (!existsSync(left)) return;
  disk.replace(left, existsSync(home) ? `${home}.abandoned-${stamp}` : home);
}

function readMark(path: string): Mark | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const mark: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof mark !== 'object' || mark === null) return NO_WORKER;
    const { pid: worker, fresh } = { pid: 0, fresh: '', ...mark };
    // Ignore a name that could lead outside the folder.
    const isName = typeof fresh === 'string' && /^[\w.-]+\.fresh-[0-9a-f-]{36}$/.test(fresh);
    return {
      pid: typeof worker === 'number' ? worker : 0,
      fresh: isName ? fresh : NO_WORKER.fresh,
    };
  } catch {
    return NO_WORKER;
  }
}

/** For a mark that was only partly written. */
const NO_WORKER: Mark = { pid: 0, fresh: 'none' };

function isAlive(worker: number): boolean {
  if (worker <= 0 || worker === pid) return false;
  try {
    return kill(worker, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
