/**
 * Puts a journal that was written anew in the place of a damaged one. A file beside the folder says
 * so for as long as it takes: journals that see it sign nothing, and an interrupted repair leaves it in place.
 */

import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { kill, pid } from 'node:process';
import { errorCode } from '../domain/error-code.ts';
import { ScripError } from '../domain/errors.ts';
import type { Entry } from '../domain/journal.ts';
import { t } from '../domain/message.ts';
import type { Disk } from './durable-file.ts';
import { openJournal, repairMark } from './journal-files.ts';
import { makeDirectory, unusable } from './record-files.ts';

export interface Rebuild {
  readonly disk: Disk;
  /** Folder of the journal. */
  readonly home: string;
  /** Names of the folders that old records are moved to end in it. */
  readonly stamp: string;
}

/** What the mark says: who works, and where the new journal is written. */
interface Mark {
  readonly pid: number;
  readonly fresh: string;
}

/**
 * Begins: from here on nothing is signed. Ends first what a repair left that was cut off.
 * @returns the folder that the new journal is to be written to
 * @throws {ScripError} JOURNAL_UNUSABLE, also while another repair is at work
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

/** Gives up: everything is as it was. */
export function cancelRebuild({ disk, home, stamp }: Rebuild, fresh: string): void {
  if (existsSync(fresh)) renameSync(fresh, `${home}.abandoned-${stamp}`);
  disk.remove(repairMark(home));
}

/**
 * Puts the new journal in the old one's place. Cut off in between, the mark stays and the next repair
 * ends it: nothing is signed meanwhile.
 * @returns where the old one is, or null when there was none
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

/** Through the journal itself, in a folder of its own, so that every rule of writing holds. */
export async function writeEntries(
  { disk, home }: Rebuild,
  fresh: string,
  entries: readonly Entry[],
): Promise<void> {
  makeDirectory(disk, fresh, [dirname(home)]);
  const payer = basename(home);
  const journal = openJournal({ dir: fresh, payer, disk, home: fresh });
  for (const { intent, attempts, facts } of entries) {
    await journal.open(intent);
    for (const fact of facts.filter((one) => !('attempt' in one) || one.attempt === 0)) {
      await journal.addFact(intent, fact);
    }
    for (const attempt of attempts.toSorted((a, b) => a.number - b.number)) {
      await journal.addAttempt(intent, attempt);
      for (const fact of facts) {
        const isAbout = 'attempt' in fact && fact.attempt === attempt.number;
        if (isAbout) await journal.addFact(intent, fact);
      }
    }
  }
}

/** Cut off between the two moves, the new journal is whole; before them it may be half of one. */
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
    // A name that leads elsewhere is none of ours.
    const isName = typeof fresh === 'string' && /^[\w.-]+\.fresh-[0-9a-f-]{36}$/.test(fresh);
    return {
      pid: typeof worker === 'number' ? worker : 0,
      fresh: isName ? fresh : NO_WORKER.fresh,
    };
  } catch {
    return NO_WORKER;
  }
}

/** The mark was cut off while it was written. */
const NO_WORKER: Mark = { pid: 0, fresh: 'none' };

function isAlive(worker: number): boolean {
  if (worker <= 0 || worker === pid) return false;
  try {
    return kill(worker, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
