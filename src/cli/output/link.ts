/** OSC 8 links, only to pages of the explorer, so that a link always leads where its text says. */

import { EXPLORER_PAGE } from '../orders/explorer.ts';
import type { OutputStream } from '../terminal/ports.ts';

/**
 * Makes a text a link, if the terminal supports it.
 * @param text the visible text
 * @param url created by us, never a merchant's
 */
export function linked(
  text: string,
  url: string | undefined,
  { hasLinks }: Pick<OutputStream, 'hasLinks'>,
): string {
  if (!hasLinks || url === undefined || !EXPLORER_PAGE.test(url)) return text;
  return `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\`;
}
