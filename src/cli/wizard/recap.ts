/** Everything that was answered and what it comes to, as every question before a purchase shows it. */

import { type Message, type Said, t } from '../../domain/message.ts';
import type { Summary } from '../ordering/summary.ts';
import type { Line } from '../output/view.ts';
import type { OrderPreview } from './order-preview.ts';

const ELSEWHERE = t`by you, from another wallet: address and QR code follow`;

/** What is agreed on; how it is paid where that is unusual, and what keeps it from being bought. */
export function recapOf({ way, summary, problem }: OrderPreview): Summary {
  const optional = (label: Message, value: Said | undefined): readonly Line[] =>
    value === undefined ? [] : [[label, value]];
  return {
    title: summary.title,
    lines: [
      ...summary.lines,
      ...(way === 'elsewhere' ? [[t`Paid`, ELSEWHERE] as const] : []),
      ...optional(t`Problem`, problem?.sentence),
      ...optional(t`What to do`, problem?.hint),
    ],
  };
}
