/** Reads what is left of a damaged entry: every record that proves itself, and those that may be sound. */
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

/** Every entry of a wallet; a damaged one costs no other. @throws {ScripError} JOURNAL_UNUSABLE */
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
    // A file that cannot be read at all is no damage: it may be read tomorrow.
    if (!(error instanceof ScripError) || error.details.path === undefined) throw error;
    return { left: salvage(folder, payer, error.message) };
  }
}

/** A file of an entry as far as it can be read. */
interface Sheet {
  readonly name: string;
  readonly place: Place;
  readonly record: JournalRecord | undefined;
  /** What records chained to this one may have been sealed onto. */
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
  const facts = records.flatMap(({ record, isProven }): Found<JournalEvent>[] =>
    record.kind === 'fact' ? [{ value: record.fact, isProven }] : [],
  );
  return {
    folder: basename(folder),
    problem,
    intent: intentAmong(records, payer, basename(folder)),
    attempts,
    facts,
    lostAttempts: attemptNumbers(sheets).filter(
      (number) => !attempts.some(({ value }) => value.number === number),
    ),
  };
}

/** The record itself or, where that is damaged, a copy that an attempt carries. */
function intentAmong(records: readonly Read[], payer: string, folder: string): Intent | undefined {
  const copies = records.flatMap(({ record, isProven }) =>
    record.kind === 'fact' || record.intent === undefined
      ? []
      : [{ intent: record.intent, isProven }],
  );
  const own = copies.filter(({ intent }) => intent.payer === payer);
  // What nothing proves has at least to name the key that the folder is called after.
  const fitting = ({ intent }: { readonly intent: Intent }) => sha256(intent.key) === folder;
  return (own.find(({ isProven }) => isProven) ?? own.find(fitting))?.intent;
}

/** Attempts that have, or had, a record of their own: facts and successors tell of them as well. */
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

/** What the first record of an entry is sealed onto is known. */
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
  // Onto a sound record a wrong seal means wrong bytes; onto a damaged one it is unknown.
  const isReadable = isOwn && (isProven || parent?.isProven !== true);
  return {
    name,
    place,
    record: isReadable ? record : undefined,
    seals: isProven ? [seal] : [...new Set([seal, ...computed])],
    isProven,
  };
}
