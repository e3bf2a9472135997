/** Where people look at a payment. */
import { isLoopbackHost } from '../../domain/loopback.ts';

const EXPLORER = 'https://explorer.solana.com/tx/';
/** What `explorerUrl` gives, and nothing else. */
export const EXPLORER_PAGE = /^https:\/\/explorer\.solana\.com\/tx\/[1-9A-HJ-NP-Za-km-z]{64,88}$/;
/** The id of a transaction of Solana: 64 bytes in base58. */
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/**
 * The page of a payment; undefined for the chain of a sandbox, which no explorer knows, and for an id
 * that is none.
 * @param host of the purchase, as the journal names it
 */
export function explorerUrl(host: string, transaction: string | null): string | undefined {
  if (transaction === null || !SIGNATURE.test(transaction)) return undefined;
  if (!URL.canParse(host) || host.startsWith('embedded:')) return undefined;
  return isLoopbackHost(new URL(host).hostname) ? undefined : `${EXPLORER}${transaction}`;
}
