/** Links of OSC 8, around pages of the explorer alone: they lead where their text says. */

import { EXPLORER_PAGE } from '../orders/explorer.ts';
import type { OutputStream } from '../terminal/ports.ts';

/** @param text as it is shown; @param url made here, never one of a merchant's */
export function linked(
  text: string,
  url: string | undefined,
  { hasLinks }: Pick<OutputStream, 'hasLinks'>,
): string {
  if (!hasLinks || url === undefined || !EXPLORER_PAGE.test(url)) return text;
  return `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\`;
}
