/** Comma-separated values (RFC 4180), with a line of headers. */
import { escapeText } from './escape.ts';
import { fieldsOf, plainValue, valueAt } from './fields.ts';

/** A spreadsheet runs a cell that begins so; a number may begin with a sign. */
const FORMULA = /^(?:[=@]|[+-](?!\d*\.?\d*$))/;

/** A line per record; the columns are the fields named, or all that the records have. */
export function toCsv(records: readonly unknown[], fields?: readonly string[]): string {
  const columns = fields ?? fieldsOf(records);
  if (columns.length === 0) return '';
  const rows = records.map((record) => columns.map((field) => cellOf(valueAt(record, field))));
  return [columns.map(quoted), ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}

function cellOf(value: unknown): string {
  const text = escapeText(plainValue(value), Number.POSITIVE_INFINITY);
  return quoted(FORMULA.test(text) ? `'${text}` : text);
}

function quoted(text: string): string {
  return /[",]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
