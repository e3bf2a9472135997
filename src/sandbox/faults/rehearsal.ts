/** Options of the command line that simulate failures. */

import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { SandboxOptions } from '../sandbox.ts';
import { createFaultPlan } from './fault-plan.ts';
import { parseFault } from './fault-spec.ts';

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

// Gives the service a wrong clock (`--clock`). The chain's clock and all waits stay correct.

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
/** 100 years: clients may not parse dates further away. */
const FURTHEST_MS = 36_525 * 86_400_000;

/**
 * Returns a clock that is off by an offset, or stopped at an instant.
 * @param spec `+2h`, `-10m`, `+3650d`; or the instant it is stopped at, `2030-01-01T00:00:00Z`
 * @throws {ScripError} INPUT_INVALID
 */
export function wrongClock(spec: string, clock: Clock): Clock {
  const [, sign, digits, unit = ''] = /^([+-])(\d{1,9})([smhd])$/.exec(spec) ?? [];
  if (sign !== undefined) {
    const offsetMs = Number(`${sign}${digits}`) * (UNITS[unit] ?? 0);
    if (Math.abs(offsetMs) <= FURTHEST_MS) return { ...clock, now: () => clock.now() + offsetMs };
  }
  const stoppedAtMs = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(spec) ? Date.parse(spec) : Number.NaN;
  if (!Number.isNaN(stoppedAtMs)) return { ...clock, now: () => stoppedAtMs };
  throw new ScripError(
    'INPUT_INVALID',
    t`--clock ${JSON.stringify(spec.slice(0, 40))} is not a valid time or offset`,
    {
      hint: t`Use an offset such as --clock +2h or --clock -10m, or a fixed time such as --clock 2030-01-01T00:00:00Z.`,
    },
  );
}
