/**
 * Which fault strikes which request. The same seed and the same order of requests give the same
 * faults: each fault draws from the seed, its place among the faults, and how often it could strike.
 */
import { hash32, mix } from '../catalog/draw.ts';
import type { RequestInfo } from './endpoints.ts';
import type { Fault, FaultSpec } from './fault-spec.ts';

export type FaultOf<Kind extends Fault['kind']> = Extract<Fault, { readonly kind: Kind }>;

export interface FaultPlan {
  readonly seed: number;
  /** The fault of one of these kinds that strikes a request, if any; the first named comes first. */
  strike<Kind extends Fault['kind']>(
    kinds: readonly Kind[],
    request: RequestInfo,
  ): FaultOf<Kind> | undefined;
  /** The same where there is no request: at the supplier. */
  strikeSupplier(calls: readonly string[]): FaultOf<'supplier'> | undefined;
  /** A number from 0 up to, but without, 1; for what a fault leaves open. */
  draw(): number;
}

const RANGE = 2 ** 32;

/** @param seed any whole number */
export function createFaultPlan(specs: readonly FaultSpec[], seed: number): FaultPlan {
  const key = hash32(String(seed));
  const faults = specs.map((spec, index) => createStriker(spec, mix(key, index + 1)));
  let drawn = 0;
  return {
    seed,
    strike: (kinds, request) => {
      const wanted: readonly string[] = kinds;
      const struck = faults.find(
        ({ spec, strikes }) =>
          wanted.includes(spec.fault.kind) && spec.endpoint.matches(request) && strikes(),
      );
      // Its kind is one of those asked for.
      return struck?.spec.fault as FaultOf<(typeof kinds)[number]> | undefined;
    },
    strikeSupplier: (calls) => {
      const struck = faults.find(
        ({ spec: { fault }, strikes }) =>
          fault.kind === 'supplier' && calls.includes(fault.trouble) && strikes(),
      );
      return struck?.spec.fault.kind === 'supplier' ? struck.spec.fault : undefined;
    },
    draw: () => {
      drawn += 1;
      return mix(mix(key, 0), drawn) / RANGE;
    },
  };
}

interface Striker {
  readonly spec: FaultSpec;
  /** Asked once for each request that it could strike. */
  strikes(): boolean;
}

function createStriker(spec: FaultSpec, key: number): Striker {
  let chances = 0;
  let struck = 0;
  return {
    spec,
    strikes: () => {
      if (struck >= spec.count) return false;
      chances += 1;
      if (mix(key, chances) / RANGE >= spec.probability) return false;
      struck += 1;
      return true;
    },
  };
}
