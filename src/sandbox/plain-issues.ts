/** Faults of an operator's file as sentences, of which the path is the subject. */
import type { z } from 'zod';
import { plainIssues as issuesOf, type PlainIssue } from '../contract/plain-issues.ts';
import { nearest } from '../domain/catalog-query.ts';

/** The faults of a value that a schema does not take, with what was probably meant; none where it does. */
export function plainIssues(schema: z.ZodType, value: unknown): readonly PlainIssue[] {
  return issuesOf(schema, value, (known, typed) => nearest(known, typed, 1));
}
