/** The explorer page of a payment. */
import { isLoopbackHost } from '../../domain/loopback.ts';

const EXPLORER = 'https://explorer.solana.com/tx/';
/** Matches only URLs from `explorerUrl`. */
export const EXPLORER_PAGE = /^https:\/\/explorer\.solana\.com\/tx\/[1-9A-HJ-NP-Za-km-z]{64,88}$/;
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
