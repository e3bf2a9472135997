/**
 * Reads journal entries and caches unchanged ones: a cart reads the whole journal before each of
 * its orders. Records are immutable, so a new record has a new name; the few that may be replaced
 * (forgotten codes, a repair) become another file.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../domain/journal.ts';
import { recordNames } from './record-files.ts';

interface Known {
  readonly entry: Entry;
  readonly stamp: string;
}

/** Creates a caching reader. @param read reads and checks the entry of a folder */
export function createEntryReader(
  read: (folder: string) => Entry | undefined,
): (folder: string) => Entry | undefined {
  const known = new Map<string, Known>();
  return (folder) => {
    // Taken before the files are read: a change in between causes another read next time.
    const stamp = stampOf(folder);
    const before = known.get(folder);
    if (before !== undefined && before.stamp === stamp) return before.entry;
    const entry = read(folder);
    if (entry !== undefined && stamp !== undefined) known.set(folder, { entry, stamp });
    return entry;
  };
}

/** Identifies an entry's files and their versions; undefined if they cannot be inspected. */
function stampOf(folder: string): string | undefined {
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
