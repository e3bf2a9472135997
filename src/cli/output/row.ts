/** Prints one row of a list that is printed while it grows, so column widths are not known. */
import type { OutputStream } from '../terminal/ports.ts';
import { escapeText } from './escape.ts';
import type { Output } from './format.ts';

/** Two spaces between cells on a terminal, tabs in a pipe. Escapes the cells. */
export function rowText(
  cells: readonly string[],
  { isTerminal }: Pick<OutputStream, 'isTerminal'>,
) {
  return `${cells.map((cell) => escapeText(cell)).join(isTerminal ? '  ' : '\t')}\n`;
}

/** Whether records are printed as they come; other formats print all of them at the end. */
export function isGrowing({ format, fields }: Output): boolean {
  return format === 'ndjson' || (format === 'text' && fields === undefined);
}
