/**
 * Cares for one wallet's journal: forgets codes, recovers what is left of damaged entries, and replaces a
 * damaged journal by a newly written one.
 */

import { randomUUID } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pid } from 'node:process';
import { type Disk, realDisk } from '../disk/files.ts';
import { isRunning } from '../disk/process-mark.ts';
import { parseJson } from '../domain/attempt.ts';
import {
  type Attempt,
  type Entry,
  eventOf,
  type Intent,
  type JournalEvent,
} from '../domain/journal/journal.ts';
import type { Found, JournalCare, Salvage, Survey } from '../domain/journal/journal-care.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import {
  entryFolders,
  folderOf,
  openJournal,
  readEntry,
  repairMark,
  sha256,
} from './journal-files.ts';
import { type JournalRecord, parseLine, placeOf, recordName } from './journal-records.ts';
import {
  CHAIN_START,
  makeDirectory,
  readBytes,
  recordNames,
  replaceRecord,
  sealRecord,
  unusable,
} from './record-files.ts';
import { openSpendLog } from './spend-log-files.ts';

interface CareOptions {
  /** Folder of all journals. */
  readonly dir: string;
  /** Address of the wallet. */
  readonly payer: string;
  /** Returns a suffix for the folder names of old records, such as the time. */
  readonly stamp: () => string;
  readonly disk?: Disk;
}

/** A mark file beside the folder exists during a repair: journals that see it sign nothing, and an interrupted one leaves it. */
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
        const entries = await work(survey);
        const isSame =
          entries.length === read.whole.length &&
          entries.every((entry, at) => entry === read.whole[at]);
        const isSound = read.damaged.length === 0 && isSame;
        if (isSound && (await spendLogProblem(dir, payer)) === null) {
          cancelRebuild(rebuild, fresh);
          return null;
        }
        await writeEntries(rebuild, fresh, entries);
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

interface Rebuild {
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
function beginRebuild({ disk, home, stamp }: Rebuild): string {
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
function cancelRebuild({ disk, home, stamp }: Rebuild, fresh: string): void {
  if (existsSync(fresh)) renameSync(fresh, `${home}.abandoned-${stamp}`);
  disk.remove(repairMark(home));
}

/**
 * Replaces the old journal by the new one. If interrupted, the mark stays, nothing is signed, and
 * the next repair finishes it.
 * @returns where the old journal is, or null if there was none
 * @throws {ScripError} JOURNAL_UNUSABLE
 */
function swapIn({ disk, home, stamp }: Rebuild, fresh: string): string | null {
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
async function writeEntries(
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
  // A mark may be only partly written.
  const mark: Partial<Record<string, unknown>> = Object(
    parseJson(Buffer.from(readBytes(path)).toString()),
  );
  const { pid: worker, fresh } = mark;
  // Ignore a name that could lead outside the folder.
  const isName = typeof fresh === 'string' && /^[\w.-]+\.fresh-[0-9a-f-]{36}$/.test(fresh);
  return { pid: typeof worker === 'number' ? worker : 0, fresh: isName ? fresh : 'none' };
}

function isAlive(worker: number): boolean {
  return worker > 0 && worker !== pid && isRunning(worker);
}

/**
 * Reads all entries of a wallet; a damaged one does not affect the others.
 * @throws {ScripError} JOURNAL_UNUSABLE
 */
function surveyJournal(home: string, payer: string): Pick<Survey, 'whole' | 'damaged'> {
  const whole: Entry[] = [];
  const damaged: Salvage[] = [];
  for (const folder of entryFolders(home)) {
    try {
      const sealed = readEntry(folder, payer);
      if (sealed !== undefined) whole.push(sealed.entry);
    } catch (error) {
      // An unreadable file is not damage: it may be readable later.
      if (!(error instanceof ScripError) || error.details.path === undefined) throw error;
      damaged.push(salvage(folder, payer, error.message));
    }
  }
  return { whole, damaged };
}

/** A file of an entry, as far as it can be read. */
interface Sheet {
  readonly record?: JournalRecord | undefined;
  /** Possible seals that later records may be chained to. */
  readonly seals: readonly string[];
  readonly isProven: boolean;
}

/** Whether an address pays for the wallet: that of its first key, or one for EVM networks beside it. */
function isOfWallet(address: string, wallet: string): boolean {
  return address === wallet || address.startsWith('0x');
}

function salvage(folder: string, payer: string, problem: string): Salvage {
  const sheets = readSheets(folder);
  const found = [...sheets.values()];
  const attempts = found.flatMap(({ record, isProven }): Found<Attempt>[] =>
    record?.kind === 'attempt' && isOfWallet(record.attempt.payer, payer)
      ? [{ value: record.attempt, isProven }]
      : [],
  );
  const events = found.flatMap(({ record, isProven }): Found<JournalEvent>[] =>
    record?.kind === 'fact' ? [{ value: record.fact, isProven }] : [],
  );
  return {
    folder: basename(folder),
    problem,
    intent: intentAmong(found, payer, basename(folder)),
    attempts,
    facts: events,
    lostAttempts: attemptNumbers(sheets).filter(
      (number) => !attempts.some(({ value }) => value.number === number),
    ),
  };
}

/** The intent's own record or, if damaged, the copy in an attempt. */
function intentAmong(sheets: readonly Sheet[], payer: string, folder: string): Intent | undefined {
  const copies = sheets.flatMap(({ record, isProven }) =>
    record === undefined || record.kind === 'fact' || record.intent === undefined
      ? []
      : [{ intent: record.intent, isProven }],
  );
  const own = copies.filter(({ intent }) => intent.payer === payer);
  // A copy without a valid seal must at least match the key that the folder is named after.
  const fitting = ({ intent }: { readonly intent: Intent }) => sha256(intent.key) === folder;
  return (own.find(({ isProven }) => isProven) ?? own.find(fitting))?.intent;
}

/** Numbers of attempts that have or had a record; events and later attempts also prove that one existed. */
function attemptNumbers(sheets: ReadonlyMap<string, Sheet>): readonly number[] {
  const told = [...sheets.keys()].map((name) =>
    Number(/^(?:attempt|fact)-(\d+)/.exec(name)?.[1] ?? 0),
  );
  return Array.from({ length: Math.max(0, ...told) }, (_, index) => index + 1);
}

function readSheets(folder: string): ReadonlyMap<string, Sheet> {
  const sheets = new Map<string, Sheet>();
  const places = recordNames(folder).flatMap((name) => {
    const place = placeOf(name);
    return place === undefined ? [] : [{ name, place }];
  });
  for (const { name, place } of places.toSorted((a, b) => a.place.depth - b.place.depth)) {
    const parent = place.parent === undefined ? FIRST : sheets.get(place.parent);
    sheets.set(name, readSheet(join(folder, name), parent));
  }
  return sheets;
}

/** The seal before an entry's first record is known. */
const FIRST: Sheet = { seals: [CHAIN_START], isProven: true };

function readSheet(path: string, parent: Sheet | undefined): Sheet {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(readBytes(path));
  const [line = '', seal = ''] = text.split('\n');
  const computed = (parent?.seals ?? []).map((previous) => sealRecord(previous, line).seal);
  const isProven = computed.includes(seal);
  const record = parseLine(line);
  const isOwn = record !== undefined && recordName(record) === basename(path);
  // After an intact record, a wrong seal means a changed record; after a damaged one it proves
  // nothing.
  const isReadable = isOwn && (isProven || parent?.isProven !== true);
  return {
    record: isReadable ? record : undefined,
    seals: isProven ? [seal] : [...new Set([seal, ...computed])],
    isProven,
  };
}
