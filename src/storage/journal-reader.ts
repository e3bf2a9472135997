/**
 * Reads entries of a journal, and those that have not changed since no second time: a cart looks at
 * the whole journal before each of its orders. Records are immutable, so that a new one is a new
 * name; the few that may be replaced (codes forgotten, a repair) are then another file.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../domain/journal.ts';
import { recordNames } from './record-files.ts';

interface Known {
  readonly entry: Entry;
  readonly stamp: string;
}

/** @param read reads the entry of a folder from its files, and checks it */
export function createEntryReader(
  read: (folder: string) => Entry | undefined,
): (folder: string) => Entry | undefined {
  const known = new Map<string, Known>();
  return (folder) => {
    // Taken before the files are read: what changes meanwhile is read once more the next time.
    const stamp = stampOf(folder);
    const before = known.get(folder);
    if (before !== undefined && before.stamp === stamp) return before.entry;
    const entry = read(folder);
    if (entry !== undefined && stamp !== undefined) known.set(folder, { entry, stamp });
    return entry;
  };
}

/** Which files an entry has, and that they are the same ones; undefined when that cannot be told. */
function stampOf(folder: string): string | undefined {
  try {
    const marks = recordNames(folder).map((name) => {
      const { ino, size, ctimeNs } = statSync(join(folder, name), { bigint: true });
      return `${name} ${ino} ${size} ${ctimeNs}`;
    });
    return marks.toSorted().join('\n');
  } catch {
    // Reading the files reports the cause.
    return undefined;
  }
}
