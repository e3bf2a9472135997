/** Changes our own texts of a view, such as the commands that it proposes; data from outside stays. */

import { adapted, Message, type Said } from '../../domain/message.ts';
import type { Line, RecordView, View } from './view.ts';

type Adapt = (text: string) => string;

export function adaptedView(view: View, adapt: Adapt): View {
  if (view.kind === 'record') return adaptedRecord(view, adapt);
  if (view.kind === 'text' || view.note === undefined) return view;
  return { ...view, note: adapted(view.note, adapt) };
}

export function adaptedRecord(view: RecordView, adapt: Adapt): RecordView {
  const { lines, screen, note, again } = view;
  const said = (value: Said): Said => (value instanceof Message ? adapted(value, adapt) : value);
  const inGroup = (group: readonly Line[]): readonly Line[] =>
    group.map(([label, value]) => [label, said(value)] as const);
  return {
    ...view,
    lines: inGroup(lines),
    ...(screen && { screen: screen.map(inGroup) }),
    ...(note && { note: adapted(note, adapt) }),
    ...(again && { again: adapted(again, adapt) }),
  };
}
