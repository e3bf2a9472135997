/**
 * Converts a value to a schema's types where the meaning stays the same: text to a number, `null`
 * to absent. Merchants' replies and agents' arguments come in such forms.
 */
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** A number keeps only so many digits exactly; longer text would change its value. */
const EXACT_DIGITS = 15;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * Returns the converted value.
 * @param issues the schema's issues with the value, including its input (`reportInput`)
 */
export function mended(value: unknown, issues: readonly Issue[]): unknown {
  const faults = issues.flatMap((issue) => faultsOf(issue));
  return faults.length === 0 ? value : withMended(value, faults);
}

/** A path and the type expected there; empty if only `null` can be converted. */
interface Fault {
  readonly path: Path;
  readonly expected: string;
}

/** Lists the faults of an issue; those inside the options of a union count too. */
function faultsOf(issue: Issue, above: Path = []): readonly Fault[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    return issue.errors.flat().flatMap((inner) => faultsOf(inner, path));
  }
  return [{ path, expected: issue.code === 'invalid_type' ? issue.expected : '' }];
}

/** Converts all faults in one pass. */
function withMended(value: unknown, faults: readonly Fault[]): unknown {
  const own = faults.filter(({ path }) => path.length === 0);
  const whole = own.reduce((left, { expected }) => valueFor(expected, left), value);
  if (whole !== value || typeof value !== 'object' || value === null) return whole;
  const below = byFirst(faults);
  if (Array.isArray(value)) {
    return value.map((element, at) => withMended(element, below.get(at) ?? []));
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const kept = withMended(field, below.get(name) ?? []);
      return kept === undefined ? [] : [[name, kept]];
    }),
  );
}

/** Returns the value without the fields at the issues' paths; keeps array elements, since their positions matter. */
export function without(value: unknown, issues: readonly Issue[]): unknown {
  const fields = issues.filter(({ path }) => typeof path.at(-1) === 'string');
  return withMended(
    value,
    fields.map(({ path }) => ({ path, expected: NOTHING })),
  );
}

const NOTHING = 'nothing';

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

/** Converts a value to the expected type, or returns it unchanged if it cannot. Undefined removes it. */
function valueFor(expected: string, value: unknown): unknown {
  if (value === null || expected === NOTHING) return undefined;
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

/**
 * Converts agents' arguments to the schema's form, as far as possible: also wrapped in `body`, as
 * tools generated from OpenAPI send them. The schema still validates the result.
 */
export function lenientInput(schema: z.ZodType, args: unknown): unknown {
  const input = unwrapped(schema, args ?? {});
  const { error } = schema.safeParse(input, { reportInput: true });
  return error === undefined ? input : mended(input, error.issues);
}

/** Merges `body` with the fields beside it; unchanged if both have a field of the same name. */
function unwrapped(schema: z.ZodType, args: unknown): unknown {
  const isKnown = 'shape' in schema && Object.hasOwn(Object(schema.shape), 'body');
  if (isKnown || !isObject(args) || !Object.hasOwn(args, 'body')) return args;
  const { body, ...around } = args;
  const inner = typeof body === 'string' ? parsed(body) : (body ?? {});
  if (!isObject(inner)) return args;
  return Object.keys(around).some((name) => Object.hasOwn(inner, name))
    ? args
    : { ...around, ...inner };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
