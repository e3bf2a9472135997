/** Reads a response by its schema, tolerantly: one invalid optional field must not hide a paid code. */

import type { Endpoint } from '../../contract/endpoint.ts';
import { mended, without } from '../../contract/mended.ts';
import { faultText, plainIssues } from '../../contract/plain-issues.ts';
import { parseJson } from '../../domain/attempt.ts';

type Schema<T> = ReturnType<Endpoint<unknown, T>['output']>;

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
  const third = schema.safeParse(without(typed, second.error.issues));
  if (third.success) return { isValid: true, value: third.data };
  const [issue] = plainIssues(schema, json);
  return { isValid: false, problem: faultText(issue) };
}

const MOST_FIELDS = 20;
const MOST_CHARACTERS = 2_000;
const MOST_LEVELS = 4;
const MOST_NAME_CHARACTERS = 64;

/** Returns the texts and numbers in a value by name; nested names are joined with dots. */
export function otherFieldsOf(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  const found = new Map<string, string>();
  const take = (value: unknown, path: readonly string[]): void => {
    if (found.size === MOST_FIELDS) return;
    if (typeof value === 'string' || typeof value === 'number') {
      const text = String(value);
      if (text !== '') found.set(freeName(nameOf(path), found), cut(text));
    } else if (typeof value === 'object' && value !== null && path.length < MOST_LEVELS) {
      for (const [name, inner] of Object.entries(value)) take(inner, [...path, name]);
    }
  };
  take(fields, []);
  return Object.fromEntries(found);
}

/** Makes a merchant's field name safe to use anywhere. */
function nameOf(path: readonly string[]): string {
  return path
    .join('.')
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^(?![A-Za-z_])/, '_')
    .slice(0, MOST_NAME_CHARACTERS);
}

function freeName(name: string, taken: ReadonlyMap<string, string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}_${number}`;
  return free;
}

function cut(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

/** Matches numbers that may have more digits than a JavaScript number holds exactly. */
const LONG_NUMBER = /[\d.]{16}/;
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const EXACT_DIGITS = 15;

/** Parses JSON, keeping numbers with too many digits as texts; undefined when invalid. */
export function parseExactly(text: string): unknown {
  return parseJson(LONG_NUMBER.test(text) ? text.replace(TEXT_OR_NUMBER, quotedIfLong) : text);
}

function quotedIfLong(part: string): string {
  if (part.startsWith('"')) return part;
  return part.replace(/[eE].*|\D/g, '').length > EXACT_DIGITS ? `"${part}"` : part;
}
