/** Options of the command line that simulate failures. */
import type { Clock } from '../../domain/clock.ts';
import type { SandboxOptions } from '../sandbox.ts';
import { createFaultPlan } from './fault-plan.ts';
import { parseFault } from './fault-spec.ts';
import { wrongClock } from './wall-clock.ts';

export interface Rehearsal {
  /** Each in the grammar of `parseFault`. */
  readonly faults?: readonly string[] | undefined;
  /** Seed of the faults' draws; random if omitted. */
  readonly faultSeed?: number | undefined;
  /** In the format of `wrongClock`. */
  readonly wallClock?: string | undefined;
}

interface Means {
  readonly clock: Clock;
  random(length: number): Uint8Array;
}

/** Converts the options to those of the sandbox. @throws {ScripError} INPUT_INVALID */
export function readRehearsal(
  { faults = [], faultSeed, wallClock }: Rehearsal,
  { clock, random }: Means,
): Pick<SandboxOptions, 'faults' | 'wallClock'> {
  const specs = faults.map(parseFault);
  const seed = faultSeed ?? new DataView(random(4).buffer).getUint32(0);
  return {
    ...(specs.length === 0 ? {} : { faults: createFaultPlan(specs, seed) }),
    ...(wallClock === undefined ? {} : { wallClock: wrongClock(wallClock, clock) }),
  };
}
