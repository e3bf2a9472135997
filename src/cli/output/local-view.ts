/** Translates a view: our own messages are translated, data from outside stays. */

import { adapted, Message, type Said, t } from '../../domain/message/message.ts';
import { type Localize, localSaid } from '../i18n/localize.ts';
import type { Line, ListView, Note, RecordView, View } from './view.ts';

/** A translated view: messages are plain strings. */
export type LocalView = ReturnType<typeof localView>;
export type LocalListView = ReturnType<typeof localList>;
export type LocalRecordView = ReturnType<typeof localRecord>;
export type LocalLine = readonly [label: string, value: string];

export function localView(view: View, localize: Localize) {
  if (view.kind === 'text') return view;
  return view.kind === 'list' ? localList(view, localize) : localRecord(view, localize);
}

function localList(view: ListView, localize: Localize) {
  const { columns, note, empty, whole, ...rest } = view;
  const total = rest.records.length;
  return {
    ...rest,
    columns: columns.map(({ header, cell, narrow, ...column }) => ({
      ...column,
      header: localize(header),
      cell: (row: unknown) => localSaid(cell(row), localize),
      ...(narrow && { narrow: (row: unknown) => localSaid(narrow(row), localize) }),
    })),
    ...(note && { note: localNote(note, localize) }),
    ...(empty && { empty: localNote(empty, localize) }),
    ...(whole && {
      whole: (shown: number) => localize(t`${shown} of ${total} lines. All of them: ${whole}`),
    }),
  };
}

export function localRecord(view: RecordView, localize: Localize) {
  const { lines, screen, title, tones = {}, picture, note, again, ...rest } = view;
  const labels = new Map(lines.concat(...(screen ?? [])).map(([label]) => [String(label), label]));
  const labelIn = (english: string): string => {
    const label = labels.get(english);
    return label === undefined ? english : localize(label);
  };
  return {
    ...rest,
    lines: localLines(lines, localize),
    ...(screen && { screen: screen.map((group) => localLines(group, localize)) }),
    tones: Object.fromEntries(Object.entries(tones).map(([label, tone]) => [labelIn(label), tone])),
    ...(title !== undefined && { title: localSaid(title, localize) }),
    ...(picture && { picture: { ...picture, elsewhere: localize(picture.elsewhere) } }),
    ...(note && { note: localNote(note, localize) }),
    ...(again && {
      again: { label: localize(t`The same order in one command:`), command: localize(again) },
    }),
  };
}

function localNote(note: Note, localize: Localize): readonly string[] {
  return [note].flat().map(localize);
}

export function localLines(lines: readonly Line[], localize: Localize): readonly LocalLine[] {
  return lines.map(([label, value]) => [localize(label), localSaid(value, localize)]);
}

/** Changes our own texts of a view, such as the commands that it proposes; data from outside stays. */
export function adaptedRecord(view: RecordView, adapt: (text: string) => string): RecordView {
  const { lines, screen, note, again } = view;
  const all = (notes: Note): Note => [notes].flat().map((one) => adapted(one, adapt));
  const said = (value: Said): Said => (value instanceof Message ? adapted(value, adapt) : value);
  const inGroup = (group: readonly Line[]): readonly Line[] =>
    group.map(([label, value]) => [label, said(value)] as const);
  return {
    ...view,
    lines: inGroup(lines),
    ...(screen && { screen: screen.map(inGroup) }),
    ...(note && { note: all(note) }),
    ...(again && { again: adapted(again, adapt) }),
  };
}
