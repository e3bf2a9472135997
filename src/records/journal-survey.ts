/** Recovers what is left of damaged entries: records with a valid seal, and others that may be intact. */
import { basename, join } from 'node:path';
import { ScripError } from '../domain/errors.ts';
import type { Attempt, Entry, Intent, JournalEvent } from '../domain/journal.ts';
import type { Found, Salvage, Survey } from '../domain/journal-care.ts';
import { entryFolders, readEntry, sha256 } from './journal-files.ts';
import {
  type JournalRecord,
  type Place,
  parseLine,
  placeOf,
  recordName,
} from './journal-records.ts';
import { CHAIN_START, readBytes, recordNames, sealRecord } from './record-files.ts';

/**
 * Reads all entries of a wallet; a damaged one does not affect the others.
 * @throws {ScripError} JOURNAL_UNUSABLE
 */
export function surveyJournal(home: string, payer: string): Pick<Survey, 'whole' | 'damaged'> {
  const readings = entryFolders(home).map((folder) => readOrSalvage(folder, payer));
  return {
    whole: readings.flatMap(({ entry }) => entry ?? []),
    damaged: readings.flatMap(({ left }) => left ?? []),
  };
}

interface Reading {
  readonly entry?: Entry | undefined;
  readonly left?: Salvage;
}

function readOrSalvage(folder: string, payer: string): Reading {
  try {
    return { entry: readEntry(folder, payer)?.entry };
  } catch (error) {
    // An unreadable file is not damage: it may be readable later.
    if (!(error instanceof ScripError) || error.details.path === undefined) throw error;
    return { left: salvage(folder, payer, error.message) };
  }
}

/** A file of an entry, as far as it can be read. */
interface Sheet {
  readonly name: string;
  readonly place: Place;
  readonly record: JournalRecord | undefined;
  /** Possible seals that later records may be chained to. */
  readonly seals: readonly string[];
  readonly isProven: boolean;
}

interface Read {
  readonly record: JournalRecord;
  readonly isProven: boolean;
}

function salvage(folder: string, payer: string, problem: string): Salvage {
  const sheets = readSheets(folder);
  const records = [...sheets.values()].flatMap(({ record, isProven }) =>
    record === undefined ? [] : [{ record, isProven }],
  );
  const attempts = records.flatMap(({ record, isProven }): Found<Attempt>[] =>
    record.kind === 'attempt' && record.attempt.payer === payer
      ? [{ value: record.attempt, isProven }]
      : [],
  );
  const events = records.flatMap(({ record, isProven }): Found<JournalEvent>[] =>
    record.kind === 'fact' ? [{ value: record.fact, isProven }] : [],
  );
  return {
    folder: basename(folder),
    problem,
    intent: intentAmong(records, payer, basename(folder)),
    attempts,
    facts: events,
    lostAttempts: attemptNumbers(sheets).filter(
      (number) => !attempts.some(({ value }) => value.number === number),
    ),
  };
}

/** The intent's own record or, if damaged, the copy in an attempt. */
function intentAmong(records: readonly Read[], payer: string, folder: string): Intent | undefined {
  const copies = records.flatMap(({ record, isProven }) =>
    record.kind === 'fact' || record.intent === undefined
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
    sheets.set(name, readSheet(join(folder, name), { name, place, parent }));
  }
  return sheets;
}

/** The seal before an entry's first record is known. */
const FIRST = { seals: [CHAIN_START], isProven: true };

function readSheet(
  path: string,
  {
    name,
    place,
    parent,
  }: Pick<Sheet, 'name' | 'place'> & {
    readonly parent: Pick<Sheet, 'seals' | 'isProven'> | undefined;
  },
): Sheet {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(readBytes(path));
  const [line = '', seal = ''] = text.split('\n');
  const computed = (parent?.seals ?? []).map((previous) => sealRecord(previous, line).seal);
  const isProven = computed.includes(seal);
  const record = parseLine(line);
  const isOwn = record !== undefined && recordName(record) === name;
  // After an intact record, a wrong seal means a changed record; after a damaged one it proves
  // nothing.
  const isReadable = isOwn && (isProven || parent?.isProven !== true);
  return {
    name,
    place,
    record: isReadable ? record : undefined,
    seals: isProven ? [seal] : [...new Set([seal, ...computed])],
    isProven,
  };
}
