/** Describes a schema's issues in sentences whose subject is the field. */
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Returns the known values most similar to an unknown one. */
type Nearest = (known: readonly string[], typed: string) => readonly string[];

/** One issue, with its path. */
export interface PlainIssue {
  readonly path: readonly PropertyKey[];
  /** What is wrong, such as `is missing`. */
  readonly message: string;
}

/**
 * Returns the issues of a value that a schema rejects; empty if it accepts it.
 * @param nearest finds what an unknown value was probably meant to be; without it, values are not
 * quoted
 */
export function plainIssues(
  schema: z.ZodType,
  value: unknown,
  nearest?: Nearest,
): readonly PlainIssue[] {
  // `reportInput` tells a missing field from one of the wrong type.
  const { error } = schema.safeParse(value, { reportInput: true });
  return (error?.issues ?? []).map((issue) => ({
    path: issue.path,
    message: sentence(issue, nearest),
  }));
}

/** Describes the first issue with its path, such as `items.0.value is missing`. */
export function firstFault(schema: z.ZodType, value: unknown): string {
  return faultText(plainIssues(schema, value)[0]);
}

/** Formats an issue with its path. @param issue undefined if the cause is unknown */
export function faultText({ path, message }: PlainIssue = UNKNOWN): string {
  return `${path.map(String).join('.') || 'the value'} ${message}`;
}

const UNKNOWN: PlainIssue = { path: [], message: 'is not readable' };

const KINDS: Readonly<Record<string, string>> = {
  string: 'must be text in quotes',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
};

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID',
  email: 'must be an e-mail address',
  url: 'must be an address such as https://host.example',
  datetime: 'must be a date and time such as 2026-01-31T12:00:00Z',
};

function sentence(issue: Issue, nearest: Nearest | undefined): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is missing';
      return KINDS[issue.expected] ?? `must be ${issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is missing' : unknownValue(issue, nearest);
    case 'unrecognized_keys':
      return `has an unknown field: ${issue.keys.join(', ')}`;
    case 'too_small':
      return isMeasured(issue.origin) ? tooShort(issue) : `must be at least ${issue.minimum}`;
    case 'too_big':
      return isMeasured(issue.origin)
        ? `is longer than ${issue.maximum}`
        : `must be at most ${issue.maximum}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? unformed(issue);
    case 'invalid_union':
    case 'not_multiple_of':
      return 'has an unknown form';
    default:
      return issue.message;
  }
}

function isMeasured(origin: string): boolean {
  return origin === 'string' || origin === 'array';
}

function tooShort({ minimum, origin }: Extract<Issue, { readonly code: 'too_small' }>): string {
  if (minimum <= 1) return 'must not be empty';
  return `must have at least ${minimum} ${origin === 'string' ? 'characters' : 'entries'}`;
}

/** Uses the schema's own message if it has one; the library's would print only the pattern. */
function unformed(issue: Extract<Issue, { readonly code: 'invalid_format' }>): string {
  const isOwn = issue.pattern === undefined || !issue.message.includes(issue.pattern);
  return isOwn ? issue.message : 'has the wrong format';
}

function unknownValue(
  { input, values }: Extract<Issue, { readonly code: 'invalid_value' }>,
  nearest: Nearest | undefined,
): string {
  const known = values.map(String);
  if (nearest === undefined) return `must be one of ${known.join(', ')}`;
  const near = typeof input === 'string' ? nearest(known, input) : [];
  const help =
    near.length > 0 ? `did you mean ${near.join(' or ')}?` : `it is one of ${known.join(', ')}`;
  return `${JSON.stringify(input)} is unknown; ${help}`;
}
