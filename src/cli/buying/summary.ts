/** What is about to be agreed on, in labelled lines above the question. */
import type { Localize } from '../i18n/localize.ts';
import { escapeText } from '../output/escape.ts';
import { localLines } from '../output/local-view.ts';
import type { Line } from '../output/view.ts';
import { textWidth } from '../output/width.ts';

/** As wide as the labels of most summaries. */
const LABEL_WIDTH = 11;

export function linesText(lines: readonly Line[], localize: Localize): string {
  const said = localLines(lines, localize);
  const width = Math.max(LABEL_WIDTH, ...said.map(([label]) => textWidth(label)));
  return said.map(([label, value]) => `${label.padEnd(width)} ${escapeText(value)}\n`).join('');
}
