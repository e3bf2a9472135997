/** A view in the user's language: what it says of itself, and never what others wrote. */
import type { Tell } from '../messages/translate.ts';
import type { Column, ListView, RecordView, View } from './view.ts';

/** Headers, labels, title and notes, and the values that are marked as ours; records stay. */
export function toldView(view: View, tell: Tell): View {
  if (view.kind === 'text') return view;
  const note = view.note === undefined ? {} : { note: tell(view.note) };
  return view.kind === 'list'
    ? { ...view, ...note, ...toldList(view, tell) }
    : { ...view, ...note, ...toldRecord(view, tell) };
}

function toldList({ columns, empty }: ListView, tell: Tell): Partial<ListView> {
  return {
    columns: columns.map((column) => ({
      ...column,
      header: tell(column.header),
      ...toldCells(column, tell),
    })),
    ...(empty === undefined ? {} : { empty: tell(empty) }),
  };
}

function toldCells(
  { isTold, cell, narrow }: Column<unknown>,
  tell: Tell,
): Partial<Column<unknown>> {
  if (isTold !== true) return {};
  return {
    cell: (row) => tell(cell(row)),
    ...(narrow === undefined ? {} : { narrow: (row) => tell(narrow(row)) }),
  };
}

function toldRecord({ lines, title, told = [] }: RecordView, tell: Tell): Partial<RecordView> {
  return {
    lines: lines.map(([label, value]) => [tell(label), told.includes(label) ? tell(value) : value]),
    ...(title === undefined ? {} : { title: tell(title) }),
  };
}
