/** Reads a response by its schema, tolerantly: one invalid optional field must not hide a paid code. */
import type { Endpoint } from '../../contract/endpoint.ts';
import { mended } from '../../contract/mended.ts';
import { faultText, plainIssues } from '../../contract/plain-issues.ts';

type Schema<T> = ReturnType<Endpoint<unknown, T>['output']>;
type Path = readonly PropertyKey[];

export type Reading<T> =
  | { readonly isValid: true; readonly value: T }
  /** The first required field that is invalid, and why. */
  | { readonly isValid: false; readonly problem: string };

/**
 * Reads JSON by a schema. Drops unknown fields and converts between numbers and texts. Fields that are still
 * invalid count as absent, so only a missing or invalid required field makes the response invalid.
 */
export function readTolerantly<T>(schema: Schema<T>, json: unknown): Reading<T> {
  const first = schema.safeParse(json, { reportInput: true });
  if (first.success) return { isValid: true, value: first.data };
  const typed = mended(json, first.error.issues);
  const second = schema.safeParse(typed);
  if (second.success) return { isValid: true, value: second.data };
  const paths = second.error.issues.map((issue) => issue.path);
  const third = schema.safeParse(without(typed, paths));
  if (third.success) return { isValid: true, value: third.data };
  const [issue] = plainIssues(schema, json);
  return { isValid: false, problem: faultText(issue) };
}

/** Returns the value without the fields at the paths; keeps array elements, since their positions matter. */
function without(value: unknown, paths: readonly Path[]): unknown {
  const below = byFirst(paths);
  if (below.size === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((element, index) => without(element, below.get(index) ?? []));
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const rests = below.get(name) ?? [];
      return rests.some(({ length }) => length === 0) ? [] : [[name, without(field, rests)]];
    }),
  );
}

/** Groups paths by their first key, so that each array is copied only once. */
function byFirst(paths: readonly Path[]): ReadonlyMap<PropertyKey, readonly Path[]> {
  const found = new Map<PropertyKey, Path[]>();
  for (const [first, ...rest] of paths) {
    if (first === undefined) continue;
    const known = found.get(first);
    if (known === undefined) found.set(first, [rest]);
    else known.push(rest);
  }
  return found;
}
