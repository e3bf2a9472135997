/** What takes long and is the same for every file is done by the first worker of a run that asks. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SHARED_FOLDER } from './memory-folder.ts';

const LONGEST_MS = 120_000;
const LOOK_EVERY_MS = 100;

/**
 * The text that `make` gave, in this worker or another.
 * @param make given a folder that stays until the run is over
 */
export async function onceInRun(
  name: string,
  make: (folder: string) => string | Promise<string>,
): Promise<string> {
  const shared = process.env[SHARED_FOLDER];
  if (shared === undefined) throw new Error('no folder for a run: run by vitest');
  const folder = join(shared, name);
  const result = join(folder, 'result');
  const failure = join(folder, 'failure');
  if (isFirst(folder)) {
    try {
      writeFileSync(`${result}.begun`, await make(folder));
    } catch (error) {
      writeFileSync(failure, String(error));
      throw error;
    }
    renameSync(`${result}.begun`, result);
  }
  for (let waitedMs = 0; !existsSync(result); waitedMs += LOOK_EVERY_MS) {
    if (existsSync(failure)) throw new Error(`${name}: ${readFileSync(failure, 'utf8')}`);
    if (waitedMs > LONGEST_MS) throw new Error(`${name}: another worker has not made it`);
    await setTimeout(LOOK_EVERY_MS);
  }
  return readFileSync(result, 'utf8');
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
