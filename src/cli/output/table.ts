/** Draws a list on a terminal, with columns fitted to its width. */
import type { Paint, Tone } from './paint.ts';
import type { Column } from './view.ts';
import { fitText, textWidth } from './wrap.ts';

type Align = NonNullable<Column<unknown>['align']>;

interface TableText {
  readonly headers: readonly string[];
  readonly aligns: readonly Align[];
  /** Columns that are never cut. */
  readonly whole: readonly boolean[];
  /** Escaped cells. */
  readonly rows: readonly (readonly string[])[];
  /** The colour of each cell. */
  readonly tones: readonly (readonly (Tone | undefined)[])[];
}

/** Above this, rows are padded by us: the table library takes quadratic time. */
const MAX_DRAWN_ROWS = 200;
const GAP = '  ';
/** Minimum width of a column. */
const MIN_COLUMN = 8;

export async function renderTable(
  table: TableText,
  terminalWidth: number,
  paint: Paint,
): Promise<string> {
  const widths = fitWidths(naturalWidths(table), table.whole, terminalWidth);
  const fitted = table.rows.map((row) => row.map((cell, at) => fitText(cell, widths[at] ?? 0)));
  return fitted.length > MAX_DRAWN_ROWS
    ? padTable({ ...table, rows: fitted }, widths, paint)
    : drawTable({ ...table, rows: fitted }, widths, paint);
}

function naturalWidths({ headers, rows }: TableText): number[] {
  const widths = headers.map(textWidth);
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, textWidth(cell));
  }
  return widths;
}

/** Narrows the widest column until the row fits, or no column can be narrowed. */
function fitWidths(
  natural: readonly number[],
  whole: readonly boolean[],
  available: number,
): readonly number[] {
  const widths = [...natural];
  const sum = (): number =>
    widths.reduce((total, width) => total + width + GAP.length, -GAP.length);
  while (sum() > available) {
    const widest = Math.max(...widths.map((width, at) => (whole[at] ? 0 : width)));
    if (widest <= MIN_COLUMN) break;
    const at = widths.findIndex((width, index) => width === widest && !whole[index]);
    widths[at] = widest - 1;
  }
  return widths;
}

async function drawTable(
  table: TableText,
  widths: readonly number[],
  { bold, tone }: Paint,
): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const drawn = new Table({
    head: table.headers.map((header, at) => bold(fitText(header, widths[at] ?? 0))),
    colAligns: [...table.aligns],
    chars: PLAIN_LINES,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  drawn.push(
    ...table.rows.map((row, line) => row.map((cell, at) => tone(cell, table.tones[line]?.[at]))),
  );
  return `${trimLines(drawn.toString())}\n`;
}

/** Two spaces between columns and one line under the headers. */
const PLAIN_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: GAP,
};

function padTable(table: TableText, widths: readonly number[], { bold, tone }: Paint): string {
  const line = (cells: readonly string[], paint: (cell: string, at: number) => string): string =>
    cells
      .map((cell, at) => paint(pad(cell, widths[at] ?? 0, table.aligns[at]), at))
      .join(GAP)
      .trimEnd();
  const body = table.rows.map((row, at) =>
    line(row, (cell, column) => tone(cell, table.tones[at]?.[column])),
  );
  return `${[line(table.headers, bold), ...body].join('\n')}\n`;
}

function pad(cell: string, width: number, align: Align | undefined): string {
  const blank = ' '.repeat(Math.max(0, width - textWidth(cell)));
  return align === 'right' ? blank + cell : cell + blank;
}

function trimLines(text: string): string {
  return text.replace(/ +$/gm, '');
}
