/** The recap: all answers and the resulting order. */

import { type Message, type Said, t } from '../../domain/message.ts';
import type { Summary } from '../ordering/summary.ts';
import type { Line } from '../output/view.ts';
import type { OrderPreview } from './order-preview.ts';

const ELSEWHERE = t`by you, from another wallet: address and QR code follow`;

/** The order's summary, plus an unusual way of paying and the problem, if any. */
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
