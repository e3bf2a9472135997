/** Finds purchases that may be paid and are unfinished; it checks file names before reading records. */
import { basename, join } from 'node:path';
import { ScripError } from '../domain/errors.ts';
import { type Entry, nextStep } from '../domain/journal.ts';
import { entryFolders, journalWallets, readEntry } from './journal-files.ts';
import { recordNames } from './record-files.ts';

/** Checking more folders would delay the first screen. */
const MAX_FOLDERS = 2_000;

/**
 * Returns the unfinished entries of all wallets; none if a journal is damaged or under repair,
 * which other commands report.
 */
export function unfinishedEntries(dir: string): readonly Entry[] {
  try {
    const homes = journalWallets(dir).map((wallet) => join(dir, wallet));
    const folders = homes.flatMap(entryFolders).slice(0, MAX_FOLDERS);
    return folders.filter(mayBeOpen).flatMap((folder) => {
      const entry = readEntry(folder, walletOf(folder))?.entry;
      const step = entry && nextStep(entry);
      return entry && (step === 'settle' || step === 'follow') ? [entry] : [];
    });
  } catch (error) {
    if (error instanceof ScripError) return [];
    throw error;
  }
}

function walletOf(folder: string): string {
  return basename(join(folder, '..'));
}

/** Whether an attempt was signed and no delivery recorded. */
function mayBeOpen(folder: string): boolean {
  const names = recordNames(folder);
  return (
    names.some((name) => name.startsWith('attempt-')) &&
    !names.some((name) => name.endsWith('-goods.rec'))
  );
}
