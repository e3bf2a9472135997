/** Prints what a command returns. Only this file prints, and it escapes every text from outside. */

import { escapeText } from '../../domain/message/message.ts';
import type { OutputStream } from '../terminal/ports.ts';
import { picked, plainValue, recordLine, valueAt } from './fields.ts';
import type { Output } from './format.ts';
import { toJson } from './json.ts';
import type { LocalListView, LocalView } from './local-view.ts';
import { heightOf, isForPaging, type Page } from './paging.ts';
import { paintFor } from './paint.ts';
import { writeRecord } from './record-text.ts';
import type { TextView } from './view.ts';
import { sentenceText, textWidth, wrapWords } from './wrap.ts';

/** Spaces between columns. */
const COLUMN_GAP = 2;

interface Streams {
  /** Shows a text in a pager; without it nothing is paged. */
  readonly page?: Page | undefined;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

/**
 * Writes data to stdout and notes to stderr.
 * @throws {ScripError} the view's own error, after its record was written
 */
export async function renderView(view: LocalView, streams: Streams, output: Output): Promise<void> {
  const isWritten = view.kind !== 'text' && view.isWritten === true;
  if (output.format === 'text') await writeForPeople(view, streams, output);
  else if (!isWritten) await writeRecords(view, streams.stdout, output);
  if (view.kind === 'text') return;
  if (view.kind === 'record') await view.after?.();
  if (view.error !== undefined) throw view.error;
}

async function writeForPeople(view: LocalView, streams: Streams, output: Output): Promise<void> {
  const { fields } = output;
  const shown = fields === undefined ? view : fieldView(view, fields);
  const isFile = view.kind === 'list' && view.isForFile === true && view.records.length > 0;
  if (isFile) await writeRecords(view, streams.stdout, { ...output, format: 'csv' });
  else if (shown.kind === 'record') await writeRecord(shown, streams, endOf(view, streams.stderr));
  else await writeText(shown, await viewText(shown, streams.stdout), streams);
  streams.stderr.write(endOf(view, streams.stderr));
}

/** The note, and a command that does the same again. */
function endOf(view: LocalView, stderr: OutputStream): string {
  const noteText = noteOf(view)
    .map((note) => sentenceText(note, stderr))
    .join('');
  if (view.kind !== 'record' || view.again === undefined) return noteText;
  const { label, command } = view.again;
  return `${noteText}${label}\n${indented(command, stderr)}`;
}

async function writeText(
  view: LocalListView | TextView,
  text: string,
  { stdout, page }: Streams,
): Promise<void> {
  const isShown = page !== undefined && isForPaging(view, text, stdout) ? await page(text) : false;
  if (!isShown) stdout.write(view.kind === 'list' ? await cutToFit(view, text, stdout) : text);
}

/** Shows as many rows as fit the screen, then a sentence on how to see the others. */
async function cutToFit(view: LocalListView, text: string, stdout: OutputStream): Promise<string> {
  const { whole, records, error, note = [] } = view;
  if (!stdout.isTerminal || whole === undefined) return text;
  const { rows, columns } = stdout;
  const failure =
    error === undefined ? '' : `error[${error.code}]: ${error.sentence}\n${error.hint}\n`;
  const below = (shown: number): string => sentenceText(whole(shown), stdout);
  const notes = note.map((one) => sentenceText(one, stdout)).join('');
  const height = (shown: string): number => heightOf(`${shown}${notes}${failure}`, columns);
  // Two spare lines: the prompt, and one because the terminal wraps at other places than we do.
  const room = rows - 2;
  if (height(text) <= room) return text;
  for (let shown = Math.min(records.length - 1, rows); shown > 0; shown -= 1) {
    const part = await listText({ ...view, records: records.slice(0, shown) }, stdout);
    const cut = `${part}${below(shown)}`;
    if (shown === 1 || height(cut) <= room) return cut;
  }
  return text;
}

/** The same view with only these fields: columns of a list, lines of a record. */
function fieldView(view: LocalView, fields: readonly string[]): LocalView {
  if (view.kind === 'text') return view;
  const cell = (record: unknown, field: string): string => plainValue(valueAt(record, field));
  if (view.kind === 'record') {
    const lines = fields.map((field) => [field, cell(view.record, field)] as const);
    const { picture: _, ...rest } = view;
    return { ...rest, lines, screen: [lines] };
  }
  const columns = fields.map((field) => ({
    header: field.toUpperCase(),
    cell: (record: unknown) => cell(record, field),
  }));
  return { ...view, columns };
}

/** Machine-readable output; a field that a record lacks is empty or null. */
async function writeRecords(view: LocalView, stdout: OutputStream, output: Output): Promise<void> {
  const { format, fields } = output;
  const isList = view.kind === 'list';
  if (format === 'json' && fields === undefined) {
    const data = isList ? view.records : view.record;
    stdout.write(toJson(data, stdout.isTerminal ? 2 : 0));
    return;
  }
  const records = isList ? view.records : [view.record];
  if (format === 'csv') return stdout.write((await import('./csv.ts')).toCsv(records, fields));
  if (format === 'template') {
    const { write } = (await import('./template.ts')).parseTemplate(output.template ?? '');
    return stdout.write(records.map(write).join(''));
  }
  if (format === 'ndjson') {
    return stdout.write(records.map((record) => recordLine(record, output)).join(''));
  }
  const data = records.map((record) => picked(record, fields ?? []));
  stdout.write(toJson(isList ? data : data[0], stdout.isTerminal ? 2 : 0));
}

function noteOf(view: LocalView): readonly string[] {
  if (view.kind === 'text') return [];
  const isEmpty = view.kind === 'list' && view.records.length === 0;
  return (isEmpty ? view.empty : undefined) ?? view.note ?? [];
}

async function viewText(view: LocalListView | TextView, stdout: OutputStream): Promise<string> {
  return view.kind === 'text' ? view.text : listText(view, stdout);
}

async function listText(view: LocalListView, stdout: OutputStream): Promise<string> {
  if (view.records.length === 0) return '';
  const rows = view.records.map((record) =>
    view.columns.map((column) => escapeText(column.cell(record))),
  );
  if (!stdout.isTerminal) return `${rows.map((row) => row.join('\t')).join('\n')}\n`;
  // Leave out columns that are empty in every row.
  const said = view.columns.filter((_, at) => rows.some((row) => row[at] !== ''));
  const { beside, below } = placed({ ...view, columns: said }, stdout.columns);
  const table = await tableText({ ...view, columns: beside }, stdout);
  if (below.length === 0) return table;
  const [headers = '', ...lines] = table.split('\n');
  const under = view.records.map((record) =>
    below.map((column) => indented(belowText(column, record), stdout)).join(''),
  );
  return `${headers}\n${under.map((text, at) => `${lines[at]}\n${text}`).join('')}`;
}

interface Placed {
  readonly beside: Columns;
  /** Columns printed below each row. */
  readonly below: Columns;
}

/** Moves as few columns below the rows as needed for the others to fit, optional ones left out. */
function placed(view: LocalListView, available: number): Placed {
  const { columns } = view;
  if (widthOf(view, columns) <= available) return { beside: columns, below: [] };
  const choices = BELOW.map((_, at) => {
    const kinds = BELOW.slice(0, at + 1);
    const below = columns.filter((column) => column.below && kinds.includes(column.below));
    return { beside: columns.filter((column) => !below.includes(column)), below };
  });
  const isNarrow = ({ beside }: Placed): boolean => {
    const stay = beside.filter(({ dropOrder }) => dropOrder === undefined);
    const least = stay.map((column) => ({ ...column, cell: column.narrow ?? column.cell }));
    return widthOf(view, least) <= available;
  };
  return choices.find(isNarrow) ?? choices.at(-1) ?? { beside: columns, below: [] };
}

/** In the order in which they move below. */
const BELOW = ['sentence', 'value', 'kept'] as const;

function belowText({ header, cell, below }: Columns[number], record: unknown): string {
  const text = cell(record);
  return text === '' || below === 'sentence' ? text : `${header}  ${text}`;
}

const INDENT = '  ';

function indented(text: string, { isTerminal, columns }: OutputStream): string {
  if (text === '') return '';
  const safe = escapeText(text);
  const parts = isTerminal ? wrapWords(safe, columns - INDENT.length) : [safe];
  return parts.map((part) => `${INDENT}${part}\n`).join('');
}

async function tableText(view: LocalListView, stdout: OutputStream): Promise<string> {
  const { renderTable } = await import('./table.ts');
  const columns = fittingColumns(view, stdout.columns);
  return renderTable(
    {
      headers: columns.map((column) => column.header),
      aligns: columns.map((column) => column.align ?? 'left'),
      whole: columns.map((column) => column.isWhole ?? false),
      rows: view.records.map((record) => columns.map(({ cell }) => escapeText(cell(record)))),
      tones: view.records.map((record) => columns.map(({ tone }) => tone?.(record))),
    },
    stdout.columns,
    await paintFor(stdout),
  );
}

type Columns = LocalListView['columns'];

/** Returns all columns if they fit; otherwise shortens cells, then drops columns. */
function fittingColumns(view: LocalListView, available: number): Columns {
  const { columns } = view;
  const narrow = columns.map((column) => ({ ...column, cell: column.narrow ?? column.cell }));
  const dropping = narrow
    .filter(({ dropOrder }) => dropOrder !== undefined)
    .toSorted((one, other) => (one.dropOrder ?? 0) - (other.dropOrder ?? 0));
  const choices = [
    columns,
    ...dropping.map((_, count) =>
      narrow.filter((column) => !dropping.slice(0, count).includes(column)),
    ),
    narrow.filter((column) => !dropping.includes(column)),
  ];
  // A list without optional or shorter columns is cut to the width instead.
  if (columns.every((column) => !(column.narrow || column.dropOrder))) return columns;
  return choices.find((some) => widthOf(view, some) <= available) ?? choices.at(-1) ?? columns;
}

/** The width that these columns need. */
function widthOf({ records }: LocalListView, columns: Columns): number {
  const least = (column: Columns[number]): number => {
    const texts = records.map((record) => textWidth(escapeText(column.cell(record))));
    const natural = texts.reduce((widest, width) => Math.max(widest, width), column.header.length);
    return Math.min(natural, column.usefulWidth ?? natural);
  };
  return columns.reduce((sum, column) => sum + least(column) + COLUMN_GAP, -COLUMN_GAP);
}
