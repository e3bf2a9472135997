/** The homes under test/kept, which scripts/keep-states.mjs wrote: put back on disk, one by one. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

export interface KeptState {
  readonly surface: 'checkout' | 'partner';
  /** The fail point at which the program was stopped. */
  readonly point: string;
  /** The idempotency key of the order. */
  readonly key: string;
  /** The words of the order, as they were typed, but for `flags`. */
  readonly order: readonly string[];
  /** What leads to a served shop; none for the embedded one. */
  readonly flags: readonly string[];
  readonly atMs: number;
  /** Paths in the home, and how long each file is. */
  readonly files: readonly (readonly [path: string, length: number])[];
}

export interface Keep {
  readonly version: string;
  /** The commit that the program was built from. */
  readonly rev: string;
  readonly wallet: string;
  /** The port that a host of these journals was served on. */
  readonly port: number;
  /** What each order costs. */
  readonly price_usdc: string;
  readonly states: readonly KeptState[];
  /** Writes the home of a state into a folder. */
  unpack(state: KeptState, dir: string): void;
}

const FOLDER = fileURLToPath(new URL('../kept/', import.meta.url));

/** One of each version whose states were kept. */
export function keptStates(): readonly Keep[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => readKeep(name.slice(0, -'.json'.length)));
}

function readKeep(version: string): Keep {
  const index: Omit<Keep, 'unpack'> = JSON.parse(
    readFileSync(join(FOLDER, `${version}.json`), 'utf8'),
  );
  const bytes = brotliDecompressSync(readFileSync(join(FOLDER, `${version}.br`)));
  const starts = new Map<KeptState, number>();
  let end = 0;
  for (const state of index.states) {
    starts.set(state, end);
    end += state.files.reduce((sum, [, length]) => sum + length, 0);
  }
  return {
    ...index,
    unpack: (state, dir) => {
      let start = starts.get(state) ?? 0;
      for (const [path, length] of state.files) {
        const file = join(dir, path);
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writeFileSync(file, bytes.subarray(start, start + length), { mode: 0o600 });
        start += length;
      }
    },
  };
}
