/** The explorer page of a payment, and OSC 8 links, which lead to such pages alone: a link always leads where its text says. */

import { isLoopbackHost } from '../../domain/address/loopback.ts';
import type { OutputStream } from '../terminal/ports.ts';

const EXPLORER = 'https://explorer.solana.com/tx/';
/** Matches only URLs from `explorerUrl`. */
const EXPLORER_PAGE = /^https:\/\/explorer\.solana\.com\/tx\/[1-9A-HJ-NP-Za-km-z]{64,88}$/;
/** A Solana transaction id: 64 bytes in base58. */
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/**
 * Returns the explorer page of a payment; undefined for a sandbox's chain, which no explorer shows, and for
 * an invalid id.
 * @param host of the purchase, as in the journal
 */
export function explorerUrl(host: string, transaction: string | null): string | undefined {
  if (transaction === null || !SIGNATURE.test(transaction)) return undefined;
  if (!URL.canParse(host) || host.startsWith('embedded:')) return undefined;
  return isLoopbackHost(new URL(host).hostname) ? undefined : `${EXPLORER}${transaction}`;
}

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
