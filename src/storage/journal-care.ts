/** Care for the record files of one wallet's journal. */
import { join } from 'node:path';
import { factOf } from '../domain/journal.ts';
import type { JournalCare } from '../domain/journal-care.ts';
import { folderOf, readEntry } from './journal-files.ts';
import { recordName } from './journal-records.ts';
import { type Disk, realDisk, replaceRecord, sealRecord } from './record-files.ts';

export interface CareOptions {
  /** Folder of all journals. */
  readonly dir: string;
  /** Address of the wallet. */
  readonly payer: string;
  readonly disk?: Disk;
}

export function openJournalCare({ dir, payer, disk = realDisk }: CareOptions): JournalCare {
  const home = join(dir, payer);
  return {
    forgetGoods: async (key) => forgetGoods(disk, folderOf(home, key), payer),
  };
}

function forgetGoods(disk: Disk, folder: string, payer: string): void {
  const sealed = readEntry(folder, payer);
  const goods = sealed && factOf(sealed.entry, 'goods');
  if (sealed === undefined || goods === undefined) return;
  const record = { kind: 'fact', fact: { ...goods, sealed: '' } } as const;
  const name = recordName(record);
  // Nothing is chained to this record: another in its place leaves every seal whole.
  const previous = sealed.parentSeal(name);
  if (previous === undefined) return;
  replaceRecord(disk, folder, name, sealRecord(previous, JSON.stringify(record)));
}
