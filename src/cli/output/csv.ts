/** Comma-separated values (RFC 4180), with a line of headers. */
import { escapeText } from './escape.ts';
import { fieldsOf, plainValue, valueAt } from './fields.ts';
import type { RowText } from './format.ts';

/** A spreadsheet runs a cell that begins so; a number may begin with a sign. */
const FORMULA = /^\s*(?:[=@＝＠＋－]|[+-](?!\d*\.?\d*$))/u;
/** The same behind a separator of other places, where a spreadsheet would begin a cell of its own. */
const INNER_FORMULA = /([;|\t])(?=[\s"']*[=@+＝＠＋－-])/gu;
/** Most cells: nothing to escape, quote or defuse. */
const PLAIN = /^\w(?:[\w .:/-]*\w)?$/;
const LINE_END = '\r\n';

/** A line per record; the columns are the fields named, or all that the records have. */
export function toCsv(records: readonly unknown[], fields?: readonly string[]): string {
  const text = createCsv(fields);
  text.add(records);
  return text.end().join('');
}

/**
 * The same of records that come some at a time. Lines wait for the end, since a later record may
 * bring another column.
 */
export function createCsv(fields?: readonly string[]): RowText {
  const columns = new Set(fields);
  const parts: { readonly lines: string; readonly width: number }[] = [];
  return {
    add(records) {
      if (fields === undefined) for (const name of fieldsOf(records)) columns.add(name);
      const names = [...columns];
      parts.push({ lines: linesOf(records, names), width: names.length });
      return '';
    },
    end() {
      if (columns.size === 0) return [];
      const headers = `${[...columns].map(quoted).join(',')}${LINE_END}`;
      return [headers, ...parts.map(({ lines, width }) => widened(lines, width, columns.size))];
    },
  };
}

function linesOf(records: readonly unknown[], columns: readonly string[]): string {
  const lines = records.map((record) => {
    const cells = columns.map((field) => cellOf(valueAt(record, field)));
    return cells.join(',') + LINE_END;
  });
  return lines.join('');
}

/** Lines with as many cells more, all empty; an end of a line is never within a cell. */
function widened(lines: string, width: number, columns: number): string {
  if (width === columns) return lines;
  const commas = ','.repeat(columns - Math.max(1, width));
  return lines.replaceAll(LINE_END, commas + LINE_END);
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
