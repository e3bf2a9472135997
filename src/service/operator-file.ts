/** Describes the faults of an operator's file in sentences whose subject is the path. */
import type { z } from 'zod';
import { plainIssues as issuesOf, type PlainIssue } from '../contract/plain-issues.ts';
import { nearest } from '../domain/catalog-query.ts';
import { ScripError } from '../domain/errors.ts';
import type { Message } from '../domain/message.ts';

/** Returns why a schema rejects a value, with the nearest known value; empty if it accepts it. */
export function plainIssues(schema: z.ZodType, value: unknown): readonly PlainIssue[] {
  return issuesOf(schema, value, (known, typed) => nearest(known, typed, 1));
}

interface OperatorFile {
  readonly invalid: (path: string, problem: string) => Message;
  readonly hint: Message;
}

/**
 * Validates an operator's file, already parsed as JSON. Errors quote none of its values: it may
 * hold tokens.
 * @throws {ScripError} INPUT_INVALID naming the path of the first fault
 */
export function readOperatorFile<S extends z.ZodType>(
  schema: S,
  json: unknown,
  { invalid, hint }: OperatorFile,
): z.output<S> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = plainIssues(schema, json);
  const path = issue?.path.map(String).join('.') || 'the file';
  throw new ScripError('INPUT_INVALID', invalid(path, issue?.message ?? ''), { hint });
}
