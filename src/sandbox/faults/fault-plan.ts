/**
 * Decides which fault applies to which request. The same seed and order of requests give the same
 * faults: each fault draws from the seed, its index, and how many requests it could have hit.
 */
import { hash32, mix } from '../catalog/draw.ts';
import { type Fault, type FaultSpec, isAt, type RequestInfo } from './fault-spec.ts';

export type FaultOf<Kind extends Fault['kind']> = Extract<Fault, { readonly kind: Kind }>;

export type FaultPlan = ReturnType<typeof createFaultPlan>;

const RANGE = 2 ** 32;

/** @param seed any whole number */
export function createFaultPlan(specs: readonly FaultSpec[], seed: number) {
  const key = hash32(String(seed));
  const faults = specs.map((spec, index) => createStriker(spec, mix(key, index + 1)));
  let drawn = 0;
  return {
    seed,
    /** Returns the first fault of these kinds that hits the request, if any. */
    strike<Kind extends Fault['kind']>(
      kinds: readonly Kind[],
      request: RequestInfo,
    ): FaultOf<Kind> | undefined {
      const wanted: readonly string[] = kinds;
      const struck = faults.find(
        ({ spec, strikes }) =>
          wanted.includes(spec.fault.kind) && isAt(spec.endpoint, request) && strikes(),
      );
      // Safe: `find` only accepts the kinds asked for.
      return struck?.spec.fault as FaultOf<Kind> | undefined;
    },
    /** Returns a number from 0 to below 1, for values that a fault leaves open. */
    draw: () => {
      drawn += 1;
      return mix(mix(key, 0), drawn) / RANGE;
    },
  };
}

function createStriker(spec: FaultSpec, key: number) {
  let chances = 0;
  let struck = 0;
  return {
    spec,
    /** Call it once per request that the fault could hit: each call draws. */
    strikes: (): boolean => {
      if (struck >= spec.count) return false;
      chances += 1;
      if (mix(key, chances) / RANGE >= spec.probability) return false;
      struck += 1;
      return true;
    },
  };
}
