/**
 * Remembers which entries of a wallet ended paid, and when they were signed, so later purchases
 * need not read them. A file beside the entries keeps this; it is ignored if it does not match
 * them.
 */
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Entry, isFinal } from '../domain/journal.ts';
import { readDerived, writeDerived } from './derived-file.ts';

export interface FinalEntries {
  /** Returns the folders that must be read to find all events after the instant. */
  without(folders: readonly string[], sinceMs: number): readonly string[];
  /** Adds entries that are final by now; writes the file once there are enough of them. */
  add(entries: ReadonlyMap<string, Entry>, sinceMs: number): void;
}

/** Number of new final entries before the file is rewritten. */
const BATCH = 64;
const FILE = 'final.idx';

export function openFinalEntries(home: string): FinalEntries {
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
    without(folders, sinceMs) {
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
    add(entries, sinceMs) {
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
