/** What a command returns. Commands print nothing themselves. */

import { lazy } from '../../contract/endpoint.ts';
import type { FundsAtRisk, ScripError } from '../../domain/message/errors.ts';
import { type Message, type Said, t, verbatim } from '../../domain/message/message.ts';
import type { Check } from '../../domain/payment/requirement-checks.ts';
import type { Learned } from '../completion/remembered.ts';
import type { Tone } from './paint.ts';

/** A column of a list. Plain strings are data and stay; messages are translated. */
export interface Column<Row> {
  readonly header: Message;
  /** Text of a cell, escaped when printed. */
  readonly cell: (row: Row) => Said;
  readonly align?: 'left' | 'right';
  /** Whether the cell is never cut, because the user types it into the next command. */
  readonly isWhole?: boolean;
  /** A shorter text for a terminal too narrow for every column. */
  readonly narrow?: (row: Row) => Said;
  /** The meaning of the row's state: its colour on a terminal. */
  readonly tone?: (row: Row) => Tone | undefined;
  /** Dropped if the terminal is too narrow even then; the lowest number goes first. */
  readonly dropOrder?: number;
  /** Other columns give way before this one is cut below this width. */
  readonly usefulWidth?: number;
  /**
   * If the table does not fit, the cell moves below its row: a sentence as it is, a value after its header. A
   * `kept` column moves last, if the table is too wide even without its optional columns.
   */
  readonly below?: 'sentence' | 'value' | 'kept';
}

/** The hint if stdout cannot be written after a purchase. */
export interface IfLost {
  readonly hint: Message;
  readonly fundsAtRisk: FundsAtRisk;
}

/** Sentences, each on its own line: a command at the end of one can be copied. */
export type Note = Message | readonly Message[];

/** A list: a table on a terminal, tab-separated in a pipe, an array in JSON. */
export interface ListView<Row = unknown> {
  readonly kind: 'list';
  readonly records: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** Whether its lines were already printed; nothing is added to them. */
  readonly isWritten?: boolean;
  /** Printed on stderr after the table, such as what was cut. */
  readonly note?: Note;
  /** Printed instead of an empty table. */
  readonly empty?: Note;
  /** Without a pager: cuts the list to the screen and prints this, the command that lists all. */
  readonly whole?: Message;
  /** Whether it is meant for a file rather than the screen: CSV unless another format is chosen. */
  readonly isForFile?: boolean;
  /** Why it is no plain success; printed on stderr after the records. */
  readonly error?: ScripError;
  readonly ifLost?: IfLost;
  /** Values that completion may offer later. */
  readonly learned?: Learned;
}

export type Line = readonly [label: Message, value: Said];

/** A line for a value that may be missing or empty: then there is none. */
export function given(label: Message, value: Said | null | undefined): readonly Line[] {
  return value === undefined || value === null || value === '' ? [] : [[label, value]];
}

const MARKS = { pass: 'pass', fail: 'FAIL', skipped: '-' } as const;

/** A line for each check that was made. */
export function checkLines(checks: readonly Check[]): readonly Line[] {
  return checks.map(({ check, state, detail }) => [verbatim(check), t`${MARKS[state]}  ${detail}`]);
}

/** A drawing for people, such as a QR code: printed on stderr, never in JSON. Only our own drawings. */
export interface Picture {
  /** Ends with a line break. */
  readonly drawing: string;
  /**
   * Number of the screen's last groups that go below it: its content as text, then the next steps. On a low
   * screen the next steps go above it.
   */
  readonly groupsBelow: number;
  /** Printed instead if it does not fit the terminal: the command that shows it again. */
  readonly elsewhere: Message;
}

/** One record: labelled lines on a terminal, an object in JSON. */
export interface RecordView {
  readonly kind: 'record';
  readonly record: unknown;
  readonly title?: Said;
  readonly lines: readonly Line[];
  /**
   * What a terminal shows instead of `lines`, which scripts read: groups separated by blank lines. A value
   * without a label is printed alone and bold.
   */
  readonly screen?: readonly (readonly Line[])[];
  /** Colours of values, by label; only the first word is coloured. */
  readonly tones?: Readonly<Record<string, Tone>>;
  /** Explorer pages by value: shown as links on terminals that support them. */
  readonly links?: Readonly<Record<string, string>>;
  /** Ids to cut in the middle if they don't fit on a line; JSON has the full ids. */
  readonly longIds?: readonly string[];
  readonly note?: Note;
  /** A command that does the same again; printed on stderr on its own line, after the note. */
  readonly again?: Message;
  readonly picture?: Picture;
  /** Whether its JSON was already printed line by line; nothing is added to it. */
  readonly isWritten?: boolean;
  /** Why it is no plain success, such as a pending delivery; printed on stderr after the record. */
  readonly error?: ScripError;
  readonly ifLost?: IfLost;
  /** Values that completion may offer later. */
  readonly learned?: Learned;
  /** Runs after the view was printed, such as a server, until the promise resolves. */
  readonly after?: () => Promise<void>;
  /** Runs once standard output has all of it. @throws {ScripError} the command's error */
  readonly written?: () => Promise<void>;
}

/** A text for another program, printed unchanged. Only our own text: nothing is escaped. */
export interface TextView {
  readonly kind: 'text';
  readonly text: string;
  /** The same in JSON. */
  readonly record: unknown;
}

export type View = ListView | RecordView | TextView;

/** Only a note and an error: the records were already printed. */
export const PRINTED_ALREADY = {
  kind: 'record',
  record: {},
  lines: [],
  isWritten: true,
} as const satisfies RecordView;

/** A list whose rows have more data than their JSON documents. */
export function documentsView<Row extends { readonly document: object }>(
  view: Omit<ListView<Row>, 'kind' | 'records'> & { readonly rows: readonly Row[] },
): ListView {
  const { rows, columns, ...more } = view;
  // Built at the first cell: formats for programs have no cells.
  const rowOf = lazy(() => new Map<object, Row>(rows.map((row) => [row.document, row])));
  const asked =
    <T>(read: (row: Row) => T) =>
    (document: object): T =>
      // Safe: every record is the document of a row.
      read(rowOf().get(document) as Row);
  return listView<object>({
    ...more,
    records: rows.map(({ document }) => document),
    columns: columns.map(({ cell, narrow, tone, ...column }) => ({
      ...column,
      cell: asked(cell),
      ...(narrow && { narrow: asked(narrow) }),
      ...(tone && { tone: asked(tone) }),
    })),
  });
}

/** Checks the columns of a list against the type of its records. */
export function listView<Row>(view: Omit<ListView<Row>, 'kind'>): ListView {
  // Safe: a column only gets records of its own list.
  return { kind: 'list', ...view } as unknown as ListView;
}
