/** The recap: all answers and the resulting order. */

import { type Message, type Said, t } from '../../domain/message.ts';
import type { Summary } from '../ordering/summary.ts';
import type { Line } from '../output/view.ts';
import type { OrderPreview } from './order-preview.ts';

/** The order's summary, plus the problem, if any. */
export function recapOf({ summary, problem }: OrderPreview): Summary {
  const optional = (label: Message, value: Said | undefined): readonly Line[] =>
    value === undefined ? [] : [[label, value]];
  return {
    title: summary.title,
    lines: [
      ...summary.lines,
      ...optional(t`Problem`, problem?.sentence),
      ...optional(t`What to do`, problem?.hint),
    ],
  };
}
