/** Writes what a command returns. This one place prints, and escapes every text that is not ours. */
import type { OutputStream } from '../context.ts';
import { escapeText } from './escape.ts';
import { toJson } from './json.ts';
import { paintFor } from './paint.ts';
import type { ListView, RecordView, View } from './view.ts';
import { textWidth } from './width.ts';

/** Spaces between columns. */
const COLUMN_GAP = 2;

interface Streams {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

/**
 * Writes data to stdout and notes to stderr.
 * @throws {ScripError} the view's own error, after its record was written
 */
export async function renderView(view: View, streams: Streams, isJson: boolean): Promise<void> {
  if (isJson) {
    if (view.kind !== 'record' || view.isWritten !== true) {
      const data = view.kind === 'list' ? view.records : view.record;
      streams.stdout.write(toJson(data, streams.stdout.isTerminal ? 2 : 0));
    }
  } else {
    streams.stdout.write(await viewText(view, streams.stdout));
    if (view.kind === 'record' && view.picture !== undefined) streams.stderr.write(view.picture);
    const note = noteOf(view);
    if (note !== undefined) streams.stderr.write(`${escapeText(note)}\n`);
  }
  if (view.kind === 'text') return;
  if (view.kind === 'record') await view.after?.();
  if (view.error !== undefined) throw view.error;
}

function noteOf(view: View): string | undefined {
  if (view.kind === 'text') return undefined;
  const isEmpty = view.kind === 'list' && view.records.length === 0;
  return isEmpty ? (view.empty ?? view.note) : view.note;
}

async function viewText(view: View, stdout: OutputStream): Promise<string> {
  if (view.kind === 'text') return view.text;
  return view.kind === 'list' ? listText(view, stdout) : recordText(view, stdout);
}

async function listText(view: ListView, stdout: OutputStream): Promise<string> {
  if (view.records.length === 0) return '';
  const rows = view.records.map((record) =>
    view.columns.map((column) => escapeText(column.cell(record))),
  );
  if (!stdout.isTerminal) return `${rows.map((row) => row.join('\t')).join('\n')}\n`;
  const { renderTable } = await import('./table.ts');
  const columns = fittingColumns(view, stdout.columns);
  return renderTable(
    {
      headers: columns.map((column) => column.header),
      aligns: columns.map((column) => column.align ?? 'left'),
      whole: columns.map((column) => column.isWhole ?? false),
      rows: view.records.map((record) => columns.map(({ cell }) => escapeText(cell(record)))),
    },
    stdout.columns,
  );
}

type Columns = ListView['columns'];

/** Every column; where they do not fit, in their shorter form; then without those that may go. */
function fittingColumns({ columns, records }: ListView, available: number): Columns {
  const least = (column: Columns[number]): number => {
    const texts = records.map((record) => textWidth(escapeText(column.cell(record))));
    const natural = texts.reduce((widest, width) => Math.max(widest, width), column.header.length);
    return Math.min(natural, column.usefulWidth ?? natural);
  };
  const widthOf = (some: Columns): number =>
    some.reduce((sum, column) => sum + least(column) + COLUMN_GAP, -COLUMN_GAP);
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
  // A list of which no column may give way is cut as it is.
  if (dropping.length === 0) return columns;
  return choices.find((some) => widthOf(some) <= available) ?? choices.at(-1) ?? columns;
}

async function recordText(view: RecordView, stdout: OutputStream): Promise<string> {
  const lines = view.lines.map(([label, value]) => [escapeText(label), escapeText(value)] as const);
  if (!stdout.isTerminal) return lines.map(([label, value]) => `${label}\t${value}\n`).join('');
  const width = Math.max(0, ...lines.map(([label]) => textWidth(label)));
  const { bold } = await paintFor(stdout);
  const title = view.title === undefined ? [] : [bold(escapeText(view.title))];
  const body = lines.map(([label, value]) => `${label.padEnd(width)}  ${value}`.trimEnd());
  return [...title, ...body].map((line) => `${line}\n`).join('');
}
