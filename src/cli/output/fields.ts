/** Fields of records, by name or path: `status`, `deliveries.0.voucher_code`. */

import { commandText, wordList } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { escapeText, Message, t } from '../../domain/message/message.ts';
import type { OutputStream } from '../terminal/ports.ts';
import type { Output } from './format.ts';
import { toJson } from './json.ts';

/** Returns the value at a path; undefined if there is none. */
export function valueAt(record: unknown, path: string): unknown {
  if (!path.includes('.')) return fieldOf(record, path);
  return path.split('.').reduce(fieldOf, record);
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** Returns only these fields, in this order; null for a missing one. */
export function picked(record: unknown, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, valueAt(record, field) ?? null]));
}

/** Returns a record as one line of `--ndjson`. */
export function recordLine(record: unknown, { fields }: Pick<Output, 'fields'>): string {
  return toJson(fields === undefined ? record : picked(record, fields));
}

/** Returns every field that any record has, in order of first appearance. */
export function fieldsOf(records: readonly unknown[]): readonly string[] {
  const names = new Set<string>();
  for (const record of records) {
    if (typeof record !== 'object' || record === null) continue;
    for (const name of Object.keys(record)) names.add(name);
  }
  return [...names];
}

export function unknownField(field: string, known: readonly string[]): ScripError {
  return new ScripError('USAGE', t`There is no field "${field}"`, {
    details: { field, fields: known },
    hint: commandText`Fields: ${wordList(known)}.`,
  });
}

/** A value on one line: text unchanged, other types as JSON, empty for none. */
export function plainValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (value instanceof Message) return String(value);
  return typeof value === 'string'
    ? value
    : JSON.stringify(value, (_key, field) => (typeof field === 'bigint' ? String(field) : field));
}

/** Two spaces between cells on a terminal, tabs in a pipe. Escapes the cells. */
export function rowText(
  cells: readonly string[],
  { isTerminal }: Pick<OutputStream, 'isTerminal'>,
) {
  return `${cells.map((cell) => escapeText(cell)).join(isTerminal ? '  ' : '\t')}\n`;
}

/** Whether records are printed as they come; other formats print all of them at the end. */
export function isGrowing({ format, fields }: Output): boolean {
  return format === 'ndjson' || (format === 'text' && fields === undefined);
}
