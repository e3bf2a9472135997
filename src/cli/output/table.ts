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

const GAP = '  ';
/** Minimum width of a column. */
const MIN_COLUMN = 8;

export function renderTable(table: TableText, terminalWidth: number, paint: Paint): string {
  const widths = fitWidths(naturalWidths(table), table.whole, terminalWidth);
  const line = (row: readonly string[], painted: (cell: string, at: number) => string): string =>
    row
      .map((text, at) => {
        const width = widths[at] ?? 0;
        const cell = fitText(text, width);
        const blank = ' '.repeat(Math.max(0, width - textWidth(cell)));
        const shown = painted(cell, at);
        return table.aligns[at] === 'right' ? blank + shown : shown + blank;
      })
      .join(GAP)
      .trimEnd();
  const body = table.rows.map((row, at) =>
    line(row, (cell, column) => paint.tone(cell, table.tones[at]?.[column])),
  );
  return `${[line(table.headers, paint.bold), ...body].join('\n')}\n`;
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
