/** A value brought into the types of a schema where it says the same: a number as text, `null` as nothing. */
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Digits beyond these are not told apart by a number: the text would not be what was meant. */
const EXACT_DIGITS = 15;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** @param issues what the schema has against the value, with what it was given (`reportInput`) */
export function mended(value: unknown, issues: readonly Issue[]): unknown {
  const faults = issues.flatMap((issue) => faultsOf(issue));
  return faults.length === 0 ? value : withMended(value, faults);
}

/** A place, and what is expected there; empty where only `null` can be mended. */
interface Fault {
  readonly path: Path;
  readonly expected: string;
}

/** Those in the forms of a union are its own. */
function faultsOf(issue: Issue, above: Path = []): readonly Fault[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    return issue.errors.flat().flatMap((inner) => faultsOf(inner, path));
  }
  return [{ path, expected: issue.code === 'invalid_type' ? issue.expected : '' }];
}

/** One pass, however many faults there are. */
function withMended(value: unknown, faults: readonly Fault[]): unknown {
  const own = faults.filter(({ path }) => path.length === 0);
  const whole = own.reduce((left, { expected }) => valueFor(expected, left), value);
  if (whole !== value || typeof value !== 'object' || value === null) return whole;
  const below = byFirst(faults);
  if (Array.isArray(value)) {
    return value.map((element, at) => withMended(element, below.get(at) ?? []));
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, withMended(field, below.get(name) ?? [])]),
  );
}

function byFirst(faults: readonly Fault[]): ReadonlyMap<PropertyKey, readonly Fault[]> {
  const found = new Map<PropertyKey, Fault[]>();
  for (const { path, expected } of faults) {
    const [first, ...rest] = path;
    if (first === undefined) continue;
    const known = found.get(first) ?? [];
    known.push({ path: rest, expected });
    found.set(first, known);
  }
  return found;
}

/** The value as what is expected; itself where it is none. Undefined leaves it out. */
function valueFor(expected: string, value: unknown): unknown {
  if (value === null) return undefined;
  if (expected === 'string') return textOf(value);
  if (typeof value !== 'string') return value;
  if (expected === 'number' || expected === 'int') return isExact(value) ? Number(value) : value;
  if (expected === 'boolean' && /^(true|false)$/.test(value)) return value === 'true';
  return ['object', 'array', 'record'].includes(expected) ? (parsed(value) ?? value) : value;
}

function textOf(value: unknown): unknown {
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' && isExact(String(value)) ? String(value) : value;
}

function isExact(text: string): boolean {
  return NUMBER.test(text) && text.replace(/\D/g, '').length <= EXACT_DIGITS;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
