/** A view in the user's language: what it says of itself, and never what others wrote. */
import { type Tell, tellingCommands } from '../messages/translate.ts';
import type { ListView, RecordView, View } from './view.ts';

/** Labels whose values are sentences of ours. Names, ids, codes and what a merchant says stay. */
export const TOLD_LABELS: readonly string[] = [
  '24 hours',
  'About',
  'Allowed',
  'Asked for',
  'At most',
  'Codes',
  'Drift',
  'Encrypted',
  'Face value',
  'Faults',
  'Host',
  'Left',
  'Left after',
  'Lines',
  'Meaning',
  'Merchant',
  'Mismatch',
  'Money',
  'Order',
  'Orders',
  'Paid',
  'Payment',
  'Payments',
  'Price',
  'Problem',
  'Range',
  'Reason',
  'Refunds to',
  'Spent',
  'Undecided',
  'Under way',
  'Open payments',
  'State',
  'This month',
  'To do',
  'Transaction',
  'Transfers',
  'Wallet',
  'What to do',
];

/** Headers of columns whose cells are. */
export const TOLD_HEADERS: readonly string[] = [
  'ERROR',
  'FROM',
  'IN STOCK',
  'IN USE',
  'MONEY',
  'RETRY',
  'SOLD',
  'SUSPENDED',
  'VALUE',
  'WHAT TO DO',
  'what',
];

/** Headers, labels, title and notes, and the values that are ours; records stay. */
export function toldView(view: View, tell: Tell): View {
  if (view.kind === 'text') return view;
  const note = view.note === undefined ? {} : { note: tellingCommands(tell)(view.note) };
  return view.kind === 'list'
    ? { ...view, ...note, ...toldList(view, tell) }
    : { ...view, ...note, ...toldRecord(view, tell) };
}

function toldList({ columns, empty }: ListView, tell: Tell): Partial<ListView> {
  return {
    columns: columns.map((column) => {
      const { header, cell } = column;
      const told = TOLD_HEADERS.includes(header) ? { cell: (row: unknown) => tell(cell(row)) } : {};
      return { ...column, ...told, header: tell(header) };
    }),
    ...(empty === undefined ? {} : { empty: tellingCommands(tell)(empty) }),
  };
}

function toldRecord(view: RecordView, tell: Tell): Partial<RecordView> {
  const { lines, screen, title, tones = {} } = view;
  return {
    lines: toldLines(lines, tell),
    ...(screen && { screen: screen.map((group) => toldLines(group, tell)) }),
    tones: Object.fromEntries(Object.entries(tones).map(([label, tone]) => [tell(label), tone])),
    ...(title === undefined ? {} : { title: tell(title) }),
  };
}

export function toldLines(lines: RecordView['lines'], tell: Tell): RecordView['lines'] {
  return lines.map(([label, value]) => [
    // Names of rules, checks and fields begin with a small letter, and are typed as they are.
    /^\p{Ll}/u.test(label) ? label : tell(label),
    TOLD_LABELS.includes(label) ? tellingCommands(tell)(value) : value,
  ]);
}
