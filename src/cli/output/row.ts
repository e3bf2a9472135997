/** A line of a list that grows while it is printed: its columns cannot be measured beforehand. */
import type { OutputStream } from '../terminal/ports.ts';
import { escapeText } from './escape.ts';
import type { Output } from './format.ts';

/** Tab-separated in a pipe, like lists; escapes the cells. */
export function rowText(
  cells: readonly string[],
  { isTerminal }: Pick<OutputStream, 'isTerminal'>,
) {
  return `${cells.map((cell) => escapeText(cell)).join(isTerminal ? '  ' : '\t')}\n`;
}

/** Whether each record is printed as it comes; in the other forms all of them stand together at the end. */
export function isGrowing({ format, fields }: Output): boolean {
  return format === 'ndjson' || (format === 'text' && fields === undefined);
}
