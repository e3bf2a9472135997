/** What a command returns. Commands print nothing themselves. */

export interface Column<Row> {
  readonly header: string;
  /** Text of a cell; whatever it holds is escaped where it is printed. */
  readonly cell: (row: Row) => string;
  readonly align?: 'left' | 'right';
}

/** A list: a table on a terminal, tab-separated in a pipe, an array in JSON. */
export interface ListView<Row = unknown> {
  readonly kind: 'list';
  readonly records: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** Said on stderr after the table, such as what was cut. */
  readonly note?: string;
  /** Said instead of an empty table. */
  readonly empty?: string;
}

/** One thing: labelled lines on a terminal, an object in JSON. */
export interface RecordView {
  readonly kind: 'record';
  readonly record: unknown;
  readonly title?: string;
  readonly lines: readonly (readonly [label: string, value: string])[];
  readonly note?: string;
  /** Exit code where the outcome is not plain success, such as a pending delivery. */
  readonly exit?: number;
}

export type View = ListView | RecordView;

/** Types the columns of a list by its records. */
export function listView<Row>(view: Omit<ListView<Row>, 'kind'>): View {
  return { kind: 'list', ...view } as unknown as View;
}
