/** Maintains the record files of one wallet's journal. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Disk, realDisk } from '../disk/durable-file.ts';
import { ScripError } from '../domain/errors.ts';
import { eventOf } from '../domain/journal.ts';
import type { JournalCare } from '../domain/journal-care.ts';
import { folderOf, readEntry, repairMark } from './journal-files.ts';
import { beginRebuild, cancelRebuild, swapIn, writeEntries } from './journal-rebuild.ts';
import { recordName } from './journal-records.ts';
import { surveyJournal } from './journal-survey.ts';
import { replaceRecord, sealRecord } from './record-files.ts';
import { openSpendLog } from './spend-log-files.ts';

export interface CareOptions {
  /** Folder of all journals. */
  readonly dir: string;
  /** Address of the wallet. */
  readonly payer: string;
  /** Returns a suffix for the folder names of old records, such as the time. */
  readonly stamp: () => string;
  readonly disk?: Disk;
}

export function openJournalCare({ dir, payer, stamp, disk = realDisk }: CareOptions): JournalCare {
  const home = join(dir, payer);
  return {
    forgetGoods: async (key) => forgetGoods(disk, folderOf(home, key), payer),
    survey: async () => ({
      ...surveyJournal(home, payer),
      spendLogProblem: await spendLogProblem(dir, payer),
      isRepairPending: existsSync(repairMark(home)),
    }),
    rebuild: async (work) => {
      const rebuild = { disk, home, stamp: stamp() };
      const fresh = beginRebuild(rebuild);
      try {
        // The repaired journal has no reservations: its entries show what was spent.
        const read = surveyJournal(home, payer);
        const survey = { ...read, spendLogProblem: null, isRepairPending: false };
        await writeEntries(rebuild, fresh, await work(survey));
      } catch (error) {
        cancelRebuild(rebuild, fresh);
        throw error;
      }
      return swapIn(rebuild, fresh);
    },
  };
}

/** Reads the log to find its problem; it reserves nothing. */
async function spendLogProblem(dir: string, payer: string): Promise<string | null> {
  try {
    const owner = { pid: 0, started: '', space: '' };
    await openSpendLog({ dir, payer, owner, isGone: () => false }).read();
    return null;
  } catch (error) {
    if (error instanceof ScripError && error.details.path !== undefined) return error.message;
    throw error;
  }
}

function forgetGoods(disk: Disk, folder: string, payer: string): void {
  const sealed = readEntry(folder, payer);
  const goods = sealed && eventOf(sealed.entry, 'goods');
  if (sealed === undefined || goods === undefined) return;
  const record = { kind: 'fact', fact: { ...goods, sealed: '' } } as const;
  const name = recordName(record);
  // No record is chained to this one, so replacing it keeps every seal valid.
  const previous = sealed.parentSeal(name);
  if (previous === undefined) return;
  replaceRecord(disk, folder, name, sealRecord(previous, JSON.stringify(record)));
}
