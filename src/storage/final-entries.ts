/**
 * Which entries of a wallet ended paid, and when they were signed: no later purchase has to read them.
 * Worked out from the entries and kept in a file beside them; one that no longer fits them is none.
 */
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Entry, isFinal } from '../domain/journal.ts';
import { readDerived, writeDerived } from './derived-file.ts';

export interface FinalEntries {
  /** Of these folders, those that have to be read for what may have happened after the instant. */
  without(folders: readonly string[], sinceMs: number): readonly string[];
  /** Adds what was read and is final by now, once there is enough of it. */
  add(entries: ReadonlyMap<string, Entry>, sinceMs: number): void;
}

/** So many more are read before the file is written anew. */
const BATCH = 64;
const FILE = 'final.idx';

export function openFinalEntries(home: string): FinalEntries {
  const path = join(home, FILE);
  let known: ReadonlyMap<string, number> = new Map();
  let stamp: string | undefined;

  /** Read again when another process has written it. */
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
      // An entry that is gone: the file is of another journal, or the journal is not whole.
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
