/** Everything that was answered, and what it comes to, in a frame. */

import { type Message, type Said, t } from '../../domain/message.ts';
import { type Answers, productTypeOf } from '../../domain/wizard-step.ts';
import type { With } from '../context.ts';
import { escapeText } from '../output/escape.ts';
import { localLines } from '../output/local-view.ts';
import type { Line, LocalLine } from '../output/view.ts';
import { textWidth, wrapText } from '../output/width.ts';
import type { OrderPreview } from './order-preview.ts';

const MAX_WIDTH = 76;
const LEAST_VALUE = 10;

const ELSEWHERE = t`by you, from another wallet: address and QR code follow`;

export function recapLines(
  { io: { localize } }: With<'io'>,
  answers: Answers,
  preview: OrderPreview,
): readonly LocalLine[] {
  return localLines(plainLines(answers, preview), localize);
}

function plainLines(answers: Answers, { way, summary, problem }: OrderPreview): readonly Line[] {
  const optional = (label: Message, value: Said | undefined): readonly Line[] =>
    value === undefined ? [] : [[label, value]];
  return [
    [productTypeOf(answers) === 'mobile_topup' ? t`Top-up` : t`Gift`, summary.title],
    ...summary.lines,
    ...(way === 'elsewhere' ? [[t`Paid`, ELSEWHERE] as const] : []),
    ...optional(t`Problem`, problem?.sentence),
    ...optional(t`What to do`, problem?.hint),
  ];
}

/** Fits 80 columns, and narrower terminals as well. */
export function drawCard(title: string, lines: readonly LocalLine[], columns: number): string {
  const width = Math.max(LEAST_VALUE * 3, Math.min(MAX_WIDTH, columns - 4));
  const labels = Math.max(...lines.map(([label]) => label.length));
  const room = Math.max(LEAST_VALUE, width - labels - 2);
  const rows = lines.flatMap(([label, value]) =>
    wrapText(escapeText(value), room).map((part, index) =>
      row(`${(index === 0 ? label : '').padEnd(labels)}  ${part}`, width),
    ),
  );
  const top = `╭─ ${title} ${'─'.repeat(Math.max(0, width - title.length - 1))}╮`;
  return `${[top, ...rows, `╰${'─'.repeat(width + 2)}╯`].join('\n')}\n`;
}

function row(text: string, width: number): string {
  return `│ ${text}${' '.repeat(Math.max(0, width - textWidth(text)))} │`;
}
