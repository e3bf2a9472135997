/** Purchases that were paid, or may have been, and are not finished: looked for by the names of their files first. */
import { basename, join } from 'node:path';
import { ScripError } from '../domain/errors.ts';
import { type Entry, nextStep } from '../domain/journal.ts';
import { entryFolders, journalWallets, readEntry } from './journal-files.ts';
import { recordNames } from './record-files.ts';

/** Reading the names of more would take longer than a screen may. */
const MAX_FOLDERS = 2_000;

/** Those of all wallets. A journal that is damaged, or being repaired, is told by the commands that read it. */
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

/** Something was signed, and no goods came. */
function mayBeOpen(folder: string): boolean {
  const names = recordNames(folder);
  return (
    names.some((name) => name.startsWith('attempt-')) &&
    !names.some((name) => name.endsWith('-goods.rec'))
  );
}
