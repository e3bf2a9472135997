/** The trouble that an operator asks for on the command line, read into what the sandbox takes. */
import type { Clock } from '../../domain/clock.ts';
import type { SandboxOptions } from '../sandbox.ts';
import { createFaultPlan } from './fault-plan.ts';
import { parseFault } from './fault-spec.ts';
import { wrongClock } from './wall-clock.ts';

export interface Rehearsal {
  /** Each in the grammar of `parseFault`. */
  readonly faults?: readonly string[] | undefined;
  /** What faults are drawn from; drawn anew when left out. */
  readonly faultSeed?: number | undefined;
  /** As `wrongClock` reads it. */
  readonly wallClock?: string | undefined;
}

interface Means {
  readonly clock: Clock;
  random(length: number): Uint8Array;
}

/** @throws {ScripError} INPUT_INVALID */
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
