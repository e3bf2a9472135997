/**
 * What a journal need not read again: entries whose files are unchanged, and those that ended paid long ago.
 */
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Entry, isFinal } from '../domain/journal/journal.ts';
import { readDerived, writeDerived } from './cache-files.ts';
import { recordNames } from './record-files.ts';

/** Number of new final entries before the file is rewritten. */
const BATCH = 64;
const FILE = 'final.idx';

/**
 * Remembers which entries of a wallet ended paid, and when they were signed, so later purchases
 * need not read them. A file beside the entries keeps this; it is ignored if it does not match
 * them.
 */
export function openFinalEntries(home: string) {
  const path = join(home, FILE);
  let known: ReadonlyMap<string, number> = new Map();
  let stamp: string | undefined;

  /** Reads the file again if another process has written it. */
  function current(): ReadonlyMap<string, number> {
    const now = stampOf(path);
    if (now === stamp) return known;
    known = parse(readDerived(path));
    stamp = now;
    return known;
  }

  return {
    /** Returns the folders that must be read to find all events after the instant. */
    without(folders: readonly string[], sinceMs: number): readonly string[] {
      const final = current();
      const there = new Set(folders.map((folder) => basename(folder)));
      // A known entry is missing: the file belongs to another journal, or the journal is
      // incomplete.
      if ([...final.keys()].some((name) => !there.has(name))) {
        known = new Map();
        return folders;
      }
      return folders.filter((folder) => {
        const signedMs = final.get(basename(folder));
        return signedMs === undefined || signedMs > sinceMs;
      });
    },
    /** Adds entries that are final by now; writes the file once there are enough of them. */
    add(entries: ReadonlyMap<string, Entry>, sinceMs: number): void {
      const more = [...entries].flatMap(([folder, entry]): [string, number][] => {
        const atMs = newestMs(entry);
        const name = basename(folder);
        return !isFinal(entry) || atMs > sinceMs || known.has(name) ? [] : [[name, atMs]];
      });
      if (more.length < BATCH) return;
      const lines = [...known, ...more].map(([name, atMs]) => `${name} ${atMs}`);
      writeDerived(path, lines);
    },
  };
}

function newestMs({ intent, attempts }: Entry): number {
  return Math.max(intent.createdAtMs, ...attempts.map(({ createdAtMs }) => createdAtMs));
}

function parse(lines: readonly string[] | undefined): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const line of lines ?? []) {
    const [, name, atMs] = /^([0-9a-f]{64}) (\d+)$/.exec(line) ?? [];
    if (name === undefined) return new Map();
    found.set(name, Number(atMs));
  }
  return found;
}

function stampOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.size} ${stats.ctimeNs}`;
}

/**
 * Creates a reader that caches unchanged entries: a cart reads the whole journal before each of its orders.
 * Records are immutable, so a new record has a new name; the few that may be replaced (forgotten codes, a
 * repair) become another file.
 * @param read reads and checks the entry of a folder
 */
export function createEntryReader(
  read: (folder: string) => Entry | undefined,
): (folder: string) => Entry | undefined {
  const known = new Map<string, { readonly entry: Entry; readonly stamp: string }>();
  return (folder) => {
    // Taken before the files are read: a change in between causes another read next time.
    const stamp = filesOf(folder);
    const before = known.get(folder);
    if (before !== undefined && before.stamp === stamp) return before.entry;
    const entry = read(folder);
    if (entry !== undefined && stamp !== undefined) known.set(folder, { entry, stamp });
    return entry;
  };
}

/** Identifies an entry's files and their versions; undefined if they cannot be inspected. */
function filesOf(folder: string): string | undefined {
  try {
    const marks = recordNames(folder).map((name) => {
      const { ino, size, ctimeNs } = statSync(join(folder, name), { bigint: true });
      return `${name} ${ino} ${size} ${ctimeNs}`;
    });
    return marks.toSorted().join('\n');
  } catch {
    // Reading the files will report the cause.
    return undefined;
  }
}
