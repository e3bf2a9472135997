/** What is about to be agreed on, in labelled lines above the question. */
import type { Tell } from '../messages/translate.ts';
import { escapeText } from '../output/escape.ts';
import { toldLines } from '../output/told.ts';
import { textWidth } from '../output/width.ts';

/** As wide as the labels of most summaries. */
const LABEL_WIDTH = 11;

export function linesText(
  lines: readonly (readonly [label: string, value: string])[],
  tell: Tell,
): string {
  const told = toldLines(lines, tell);
  const width = Math.max(LABEL_WIDTH, ...told.map(([label]) => textWidth(label)));
  return told.map(([label, value]) => `${label.padEnd(width)} ${escapeText(value)}\n`).join('');
}
