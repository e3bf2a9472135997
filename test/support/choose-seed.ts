/**
 * The seed of the inputs that properties are tried with, so that a run fails for a change and not by chance:
 * always the same one, the one of `SCRIP_SEED`, or with `SCRIP_FULL=1` one that is drawn and printed.
 */
import { randomInt } from 'node:crypto';
import { IS_FULL } from './fuzz.ts';

const USUAL_SEED = 20_261;

/** Called by vitest before the first file; workers have the environment of this process. */
export function setup(): void {
  const asked = process.env.SCRIP_SEED;
  if (asked !== undefined && !/^-?\d{1,9}$/.test(asked)) {
    throw new RangeError(`SCRIP_SEED is no whole number of at most nine digits: ${asked}`);
  }
  const seed = asked ?? String(IS_FULL ? randomInt(1_000_000_000) : USUAL_SEED);
  if (IS_FULL) process.stdout.write(`Properties are tried with SCRIP_SEED=${seed}\n`);
  process.env.SCRIP_SEED = seed;
}
