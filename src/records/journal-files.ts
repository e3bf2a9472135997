/**
 * The purchase journal as record files: `<dir>/<payer>/<sha256(key)>/` holds `intent.rec`,
 * `attempt-<n>.rec` and `fact-<n>-<kind>.rec`. The content determines the name, so of two processes
 * that record the same event only one writes it. Seals are chained: intent, attempt 1, its proof of
 * death, attempt 2, and so on.
 */
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { type Disk, realDisk } from '../disk/files.ts';
import { attempt } from '../domain/attempt.ts';
import { type Attempt, type Entry, type Journal, nextStep } from '../domain/journal/journal.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t, verbatim } from '../domain/message/message.ts';
import { createEntryReader, openFinalEntries } from './journal-cache.ts';
import {
  attemptName,
  INTENT_NAME,
  type JournalRecord,
  type Place,
  parseLine,
  placeOf,
  recordName,
} from './journal-records.ts';
import {
  CHAIN_START,
  damaged,
  listDirectory,
  listWhole,
  makeDirectory,
  putRecord,
  readRecord,
  recordNames,
  sealRecord,
} from './record-files.ts';

interface JournalOptions {
  /** Folder of all journals. */
  readonly dir: string;
  /** Address of the wallet. */
  readonly payer: string;
  readonly disk?: Disk;
  /** Folder of this journal; by default the wallet's. */
  readonly home?: string;
}

/** Opens the journal of one wallet; creates nothing before the first intent. */
export function openJournal({
  dir,
  payer,
  disk = realDisk,
  home = join(dir, payer),
}: JournalOptions): Journal {
  const read = createEntryReader((folder) => readEntry(folder, payer)?.entry);
  const final = openFinalEntries(home);
  const readAll = (folders: readonly string[]): ReadonlyMap<string, Entry> =>
    new Map(
      folders.flatMap((folder) => {
        const entry = read(folder);
        return entry === undefined ? [] : [[folder, entry] as const];
      }),
    );
  return {
    open: async (intent) => {
      if (intent.payer !== payer) {
        throw new ScripError(
          'INTERNAL',
          verbatim(`The journal of ${payer} is not that of ${intent.payer}`),
        );
      }
      checkNoRepair(home);
      const folder = folderOf(home, intent.key);
      // Sync existing folders too: their creator may have crashed before syncing.
      makeDirectory(disk, folder, [dir, home]);
      put(disk, folder, CHAIN_START, { kind: 'intent', intent });
      return mustRead(folder, payer).entry;
    },
    byKey: async (key) => readEntry(folderOf(home, key), payer)?.entry,
    all: async () => {
      checkNoRepair(home);
      return [...readAll(entryFolders(home)).values()].toSorted(byAge);
    },
    recent: async (sinceMs) => {
      checkNoRepair(home);
      const entries = readAll(final.without(entryFolders(home), sinceMs));
      final.add(entries, sinceMs);
      return [...entries.values()].toSorted(byAge);
    },
    addAttempt: async (intent, signed) => {
      const record = { kind: 'attempt', attempt: signed, intent } as const;
      const written = addAttempt(disk, folderOf(home, intent.key), payer, record);
      // Check after writing: a repair that began before did not see the attempt, one that begins
      // later will.
      checkNoRepair(home);
      return written;
    },
    addFact: async (intent, fact) =>
      append(disk, folderOf(home, intent.key), payer, { kind: 'fact', fact }),
  };
}

/**
 * Lists the wallets that have a journal in a folder. Names with a dot are leftovers of a repair; a
 * repair's mark means that a journal is being replaced.
 * @throws {ScripError} JOURNAL_UNUSABLE
 */
export function journalWallets(dir: string): readonly string[] {
  const names = listDirectory(dir).map((name) => name.replace(/\.repair$/, ''));
  return [...new Set(names)].filter((name) => !name.includes('.')).toSorted();
}

/** Folder of one key's records within a wallet's folder. */
export function folderOf(home: string, key: string): string {
  return join(home, sha256(key));
}

/** An entry with the seals that later records are chained to. */
export interface SealedEntry {
  readonly entry: Entry;
  /** Returns the seal that a record of this file name is chained to; undefined if that record is missing. */
  parentSeal(name: string): string | undefined;
}

/** Lists the folders of a wallet's entries, complete or not. */
export function entryFolders(home: string): readonly string[] {
  return listDirectory(home)
    .filter((name) => /^[0-9a-f]{64}$/.test(name))
    .map((name) => join(home, name));
}

/** Sorts oldest first. */
function byAge({ intent: left }: Entry, { intent: right }: Entry): number {
  return left.createdAtMs - right.createdAtMs || (left.intentId < right.intentId ? -1 : 1);
}

/** Path of the mark file that exists while a journal's records are being replaced. */
export function repairMark(home: string): string {
  return `${home}.repair`;
}

/** Refuses while a repair is pending. @throws {ScripError} JOURNAL_UNUSABLE */
function checkNoRepair(home: string): void {
  if (!listDirectory(dirname(home)).includes(basename(repairMark(home)))) return;
  throw new ScripError(
    'JOURNAL_UNUSABLE',
    t`The journal is being repaired, or a repair was interrupted`,
    {
      fundsAtRisk: 'possible',
      hint: t`Wait for the repair to end, or run it again: scrip doctor --repair`,
    },
  );
}

/** Returns the attempt on record, which is that of another process if it was first. */
function addAttempt(
  disk: Disk,
  folder: string,
  payer: string,
  record: Extract<JournalRecord, { readonly kind: 'attempt' }>,
): Attempt {
  append(disk, folder, payer, record);
  const { number } = record.attempt;
  const { attempts } = mustRead(folder, payer).entry;
  const winner = attempts.find((one) => one.number === number);
  if (winner === undefined) throw damaged(join(folder, attemptName(number)), t`it is gone`);
  return winner;
}

/** Chains a record onto the one before it, which must be there. */
function append(disk: Disk, folder: string, payer: string, record: JournalRecord): void {
  const name = recordName(record);
  const previous = mustRead(folder, payer).parentSeal(name);
  if (previous === undefined) {
    // This rule keeps two payments of one intent from both being able to land.
    throw new ScripError(
      'INTERNAL',
      verbatim(`${name} may not follow: no attempt before it, or none that is proven dead`),
    );
  }
  put(disk, folder, previous, record);
}

function put(disk: Disk, folder: string, previous: string, record: JournalRecord): void {
  putRecord(disk, folder, recordName(record), sealRecord(previous, JSON.stringify(record)));
}

function mustRead(folder: string, payer: string): SealedEntry {
  const sealed = readEntry(folder, payer);
  if (sealed === undefined) throw damaged(join(folder, INTENT_NAME), t`it is gone`);
  return sealed;
}

/**
 * Reads the records of one entry and checks their seals; undefined if its intent was never written.
 * @throws {ScripError} JOURNAL_UNUSABLE
 */
export function readEntry(folder: string, payer: string): SealedEntry | undefined {
  const places = listWhole(folder, placeOf, (found) => {
    const parents = [...found.values()].flatMap(({ parent }) => parent ?? []);
    return parents.find((parent) => !found.has(parent));
  });
  return places.size === 0 ? undefined : readRecords(folder, payer, places);
}

function readRecords(
  folder: string,
  payer: string,
  places: ReadonlyMap<string, Place>,
): SealedEntry {
  const seals = new Map<string, string>();
  const inOrder = [...places].toSorted(([, left], [, right]) => left.depth - right.depth);
  const records = inOrder.map(([name, { parent }]) => {
    const path = join(folder, name);
    const sealed = readRecord(path, parent === undefined ? CHAIN_START : (seals.get(parent) ?? ''));
    if (sealed === undefined) throw damaged(path, t`it is gone`);
    seals.set(name, sealed.seal);
    const record = parseLine(sealed.line);
    if (record === undefined || recordName(record) !== name) {
      throw damaged(path, t`its content does not match its name`);
    }
    return record;
  });
  const entry = entryOf(records);
  if (entry?.intent.payer !== payer || basename(folder) !== sha256(entry.intent.key)) {
    throw damaged(join(folder, INTENT_NAME), t`it belongs to another purchase or wallet`);
  }
  const parentSeal: SealedEntry['parentSeal'] = (name) => {
    const parent = placeOf(name)?.parent;
    return parent === undefined ? undefined : seals.get(parent);
  };
  return { entry, parentSeal };
}

function entryOf(records: readonly JournalRecord[]): Entry | undefined {
  const intent = records.flatMap((record) => (record.kind === 'intent' ? [record.intent] : []))[0];
  if (intent === undefined) return undefined;
  return {
    intent,
    attempts: records.flatMap((record) => (record.kind === 'attempt' ? [record.attempt] : [])),
    facts: records.flatMap((record) => (record.kind === 'fact' ? [record.fact] : [])),
  };
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Checking more folders would delay the first screen. */
const MAX_FOLDERS = 2_000;

/**
 * Returns the unfinished entries of all wallets; none if a journal is damaged or under repair,
 * which other commands report.
 */
export function unfinishedEntries(dir: string): readonly Entry[] {
  return attempt(
    () => {
      const homes = journalWallets(dir).map((wallet) => join(dir, wallet));
      const folders = homes.flatMap((home) => entryFolders(home)).slice(0, MAX_FOLDERS);
      return folders.filter(mayBeOpen).flatMap((folder) => {
        const entry = readEntry(folder, basename(dirname(folder)))?.entry;
        const step = entry && nextStep(entry);
        return entry && (step === 'settle' || step === 'follow') ? [entry] : [];
      });
    },
    () => [],
  );
}

/** Whether an attempt was signed and no delivery recorded. */
function mayBeOpen(folder: string): boolean {
  const names = recordNames(folder);
  return (
    names.some((name) => name.startsWith('attempt-')) &&
    !names.some((name) => name.endsWith('-goods.rec'))
  );
}
