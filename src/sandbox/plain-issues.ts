/** Faults of an operator's file as sentences, of which the path is the subject. */
import type { z } from 'zod';
import { nearest } from '../domain/catalog-query.ts';

/** One fault, at its place. */
export interface PlainIssue {
  readonly path: readonly PropertyKey[];
  /** What is wrong, such as `is missing`. */
  readonly message: string;
}

/** The faults of a value that a schema does not take; none where it does. */
export function plainIssues(schema: z.ZodType, value: unknown): readonly PlainIssue[] {
  // Reported, so that what is missing can be told from what is of another kind.
  const { error } = schema.safeParse(value, { reportInput: true });
  return (error?.issues ?? []).map((issue) => ({ path: issue.path, message: sentence(issue) }));
}

type Issue = z.core.$ZodIssue;

const KINDS: Readonly<Record<string, string>> = {
  string: 'must be text in quotes',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
};

function sentence(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is missing';
      return KINDS[issue.expected] ?? `must be ${issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is missing' : unknownValue(issue);
    case 'unrecognized_keys':
      return `has an unknown field: ${issue.keys.join(', ')}`;
    case 'too_small':
      return isMeasured(issue.origin) ? 'must not be empty' : `must be at least ${issue.minimum}`;
    case 'too_big':
      return isMeasured(issue.origin)
        ? `is longer than ${issue.maximum}`
        : `must be at most ${issue.maximum}`;
    case 'invalid_format':
      return issue.format === 'uuid' ? 'must be a UUID' : issue.message;
    default:
      return issue.message;
  }
}

function isMeasured(origin: string): boolean {
  return origin === 'string' || origin === 'array';
}

function unknownValue({
  input,
  values,
}: Extract<Issue, { readonly code: 'invalid_value' }>): string {
  const known = values.map(String);
  const near = typeof input === 'string' ? nearest(known, input, 1) : [];
  const help =
    near.length > 0 ? `did you mean ${near.join(' or ')}?` : `it is one of ${known.join(', ')}`;
  return `${JSON.stringify(input)} is unknown; ${help}`;
}
