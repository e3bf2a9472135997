/**
 * Arguments of agents, as their clients send them: wrapped in `body` by tools that were generated
 * from OpenAPI, numbers and objects as text, text as numbers, `null` for what is left out. The form
 * alone is mended; what a value says stays, and the schema has the last word.
 */
import { z } from 'zod';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Digits beyond these are not told apart by a number: the text would not be what was meant. */
const EXACT_DIGITS = 15;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** The arguments in the form of the schema, as far as they can be brought into it. */
export function lenientInput(schema: z.ZodType, args: unknown): unknown {
  const input = unwrapped(schema, args ?? {});
  const { error } = schema.safeParse(input, { reportInput: true });
  return (error?.issues ?? []).flatMap((issue) => leaves(issue)).reduce(mended, input);
}

/** What stands in `body` beside what stands around it; as it is where one speaks against the other. */
function unwrapped(schema: z.ZodType, args: unknown): unknown {
  if (!isObject(args) || !Object.hasOwn(args, 'body') || hasField(schema, 'body')) return args;
  const { body, ...around } = args;
  const inner = typeof body === 'string' ? (parsed(body) ?? body) : (body ?? {});
  if (!isObject(inner)) return args;
  return Object.keys(around).some((name) => Object.hasOwn(inner, name))
    ? args
    : { ...around, ...inner };
}

function hasField(schema: z.ZodType, name: string): boolean {
  return schema instanceof z.ZodObject && Object.hasOwn(schema.shape, name);
}

interface Leaf {
  readonly path: Path;
  readonly expected: string;
  readonly input: unknown;
}

/** The places of an issue, those in the forms of a union among them. */
function leaves(issue: Issue, above: Path = []): readonly Leaf[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    return issue.errors.flat().flatMap((inner) => leaves(inner, path));
  }
  const expected = issue.code === 'invalid_type' ? issue.expected : '';
  return [{ path, expected, input: issue.input }];
}

function mended(input: unknown, { path, expected, input: wrong }: Leaf): unknown {
  const value = valueFor(expected, wrong);
  return value === wrong ? input : withValue(input, path, value);
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

function withValue(into: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(into)) {
    return into.map((element, at) => (at === name ? withValue(element, rest, value) : element));
  }
  if (!isObject(into)) return into;
  return { ...into, [name]: withValue(into[String(name)], rest, value) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
