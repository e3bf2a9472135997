/** Comma-separated values (RFC 4180) with a header line. */
import { escapeText } from '../../domain/message/message.ts';
import { fieldsOf, plainValue, valueAt } from './fields.ts';

/** A spreadsheet evaluates a cell that starts like this; a number may start with a sign. */
const FORMULA = /^\s*(?:[=@＝＠＋－]|[+-](?!\d*\.?\d*$))/u;
/** The same after a separator of other locales, at which a spreadsheet would start a new cell. */
const INNER_FORMULA = /([;|\t])(?=[\s"']*[=@+＝＠＋－-])/gu;
/** Most cells: nothing to escape, quote or defuse. */
const PLAIN = /^\w(?:[\w .:/-]*\w)?$/;
const LINE_END = '\r\n';

/** One line per record; the columns are the given fields, or all that the records have. */
export function toCsv(records: readonly unknown[], fields?: readonly string[]): string {
  const columns = fields ?? [...new Set(fieldsOf(records))];
  if (columns.length === 0) return '';
  const lines = records.map((record) =>
    lineOf(columns.map((field) => cellOf(valueAt(record, field)))),
  );
  return lineOf(columns.map(quoted)) + lines.join('');
}

function lineOf(cells: readonly string[]): string {
  return cells.join(',') + LINE_END;
}

function cellOf(value: unknown): string {
  const plain = plainValue(value);
  if (PLAIN.test(plain)) return plain;
  const text = escapeText(plain, Number.POSITIVE_INFINITY).replace(INNER_FORMULA, "$1'");
  return quoted(FORMULA.test(text) ? `'${text}` : text);
}

function quoted(text: string): string {
  return /[",]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
