/** What a command returns. Commands print nothing themselves. */

import { lazy } from '../../contract/endpoint.ts';
import type { FundsAtRisk, ScripError } from '../../domain/errors.ts';
import type { Message, Said } from '../../domain/message.ts';
import type { Learned } from '../completion/remembered.ts';
import type { Tone } from './paint.ts';

/** Data stands in a view as strings, which stay; what is ours as messages. */
export interface Column<Row> {
  readonly header: Message;
  /** Text of a cell, escaped when printed. */
  readonly cell: (row: Row) => Said;
  readonly align?: 'left' | 'right';
  /** Never cut to fit a terminal: it is typed into the next command. */
  readonly isWhole?: boolean;
  /** A shorter text for a terminal that is too narrow for every column. */
  readonly narrow?: (row: Row) => Said;
  /** How what the row tells stands: its colour on a terminal. */
  readonly tone?: (row: Row) => Tone | undefined;
  /** Left out of a terminal that is too narrow even then; the lowest number goes first. */
  readonly dropOrder?: number;
  /** Where it does not fit without all of those either. */
  readonly shortest?: (row: Row) => Said;
  /** On a narrow terminal other columns give way before this one is cut below that width. */
  readonly usefulWidth?: number;
  /**
   * Where the table does not fit, it stands whole below its row: a sentence by itself, a value behind its
   * header. One that is `kept` goes there last, where the table would be too wide without all that may go.
   */
  readonly below?: 'sentence' | 'value' | 'kept';
}

/** What to say when standard output could not be written, though something was bought. */
export interface IfLost {
  readonly hint: Message;
  readonly fundsAtRisk: FundsAtRisk;
}

/** What completions may offer after it was seen. */
export interface Seen {
  readonly learned?: Learned;
}

/** A list: a table on a terminal, tab-separated in a pipe, an array in JSON. */
export interface ListView<Row = unknown> extends Seen {
  readonly kind: 'list';
  readonly records: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** Its lines were written as they came; nothing is added to them. */
  readonly isWritten?: boolean;
  /** Said on stderr after the table, such as what was cut. */
  readonly note?: Message;
  /** Said instead of an empty table. */
  readonly empty?: Message;
  /** Where nothing pages it: shown to the height of a terminal, and then the command that lists all. */
  readonly whole?: Message;
  /** For a file rather than a screen: comma-separated where no other form is asked for. */
  readonly isForFile?: boolean;
  /** Why this is no plain success; told on stderr after the records. */
  readonly error?: ScripError;
  readonly ifLost?: IfLost;
}

export type Line = readonly [label: Message, value: Said];

/** One thing: labelled lines on a terminal, an object in JSON. */
/** A drawing for people, such as a QR code: told on stderr, never in JSON. Ours alone. */
export interface Picture {
  /** Ends with a line break. */
  readonly drawing: string;
  /** Groups of the screen that stand below it: what it holds as text, and what comes next. */
  readonly groupsBelow: number;
  /** Said in its place where it does not fit the terminal: the command that shows it again. */
  readonly elsewhere: Message;
}

export interface RecordView extends Seen {
  readonly kind: 'record';
  readonly record: unknown;
  readonly title?: Said;
  readonly lines: readonly Line[];
  /**
   * What a terminal shows in place of the lines, which scripts read: groups, a blank line between. What has
   * no label stands alone and bold.
   */
  readonly screen?: readonly (readonly Line[])[];
  /** How some of them stand, by their labels: the colour of the first word on a terminal. */
  readonly tones?: Readonly<Record<string, Tone>>;
  /** Pages of the explorer by the values that have one: links on terminals that make them. */
  readonly links?: Readonly<Record<string, string>>;
  readonly note?: Message;
  /** A command that does the same again: told on stderr after the note, on a line of its own. */
  readonly again?: Message;
  readonly picture?: Picture;
  /** Its JSON was written line by line as it came; nothing is added to it. */
  readonly isWritten?: boolean;
  /** Why this is no plain success, such as a pending delivery; told on stderr after the record. */
  readonly error?: ScripError;
  readonly ifLost?: IfLost;
  /** What goes on after the view was printed, until its promise resolves: a server. */
  readonly after?: () => Promise<void>;
}

/** A text for another program, printed as it is; ours alone, nothing of it is escaped. */
export interface TextView {
  readonly kind: 'text';
  readonly text: string;
  /** The same in JSON. */
  readonly record: unknown;
}

export type View = ListView | RecordView | TextView;

/** A view in the user's language: texts alone. */
export type LocalView = LocalListView | LocalRecordView | TextView;

export type LocalColumn = Omit<Column<unknown>, 'header' | 'cell' | 'narrow' | 'shortest'> & {
  readonly header: string;
  readonly cell: (row: unknown) => string;
  readonly narrow?: (row: unknown) => string;
  readonly shortest?: (row: unknown) => string;
};

export type LocalListView = Omit<ListView, 'columns' | 'note' | 'empty' | 'whole'> & {
  readonly columns: readonly LocalColumn[];
  readonly note?: string;
  readonly empty?: string;
  readonly whole?: (shown: number) => string;
};

export type LocalLine = readonly [label: string, value: string];

export type LocalRecordView = Omit<
  RecordView,
  'title' | 'lines' | 'screen' | 'picture' | 'note' | 'again'
> & {
  readonly title?: string;
  readonly lines: readonly LocalLine[];
  readonly screen?: readonly (readonly LocalLine[])[];
  readonly note?: string;
  readonly again?: { readonly label: string; readonly command: string };
  readonly picture?: Omit<Picture, 'elsewhere'> & { readonly elsewhere: string };
};

/** Nothing but a note and an error: the records were printed as they came. */
export const PRINTED_ALREADY = {
  kind: 'record',
  record: {},
  lines: [],
  isWritten: true,
} as const satisfies RecordView;

/** A list whose rows are more than what JSON has of them: their documents. */
export function documentsView<Row extends { readonly document: object }>(
  view: Omit<ListView<Row>, 'kind' | 'records'> & { readonly rows: readonly Row[] },
): ListView {
  const { rows, columns, ...more } = view;
  // Made for the first cell: forms that programs read have none.
  const rowOf = lazy(() => new Map<object, Row>(rows.map((row) => [row.document, row])));
  const asked =
    <T>(read: (row: Row) => T) =>
    (document: object): T =>
      // Every record is the document of a row.
      read(rowOf().get(document) as Row);
  return listView<object>({
    ...more,
    records: rows.map(({ document }) => document),
    columns: columns.map(({ cell, narrow, shortest, tone, ...column }) => ({
      ...column,
      cell: asked(cell),
      ...(narrow && { narrow: asked(narrow) }),
      ...(shortest && { shortest: asked(shortest) }),
      ...(tone && { tone: asked(tone) }),
    })),
  });
}

/** Types the columns of a list by its records. */
export function listView<Row>(view: Omit<ListView<Row>, 'kind'>): ListView {
  // A column is only ever given a record of its own list.
  return { kind: 'list', ...view } as unknown as ListView;
}
