/** The history of an address, to its end: strangers can add any number of transactions to it. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import type { SolanaRpc } from './rpc.ts';
import type { SignatureEntry } from './rpc-answers.ts';

const PAGE_SIZE = 1_000;
/** Transactions of a history that are asked for together. */
export const READ_AT_ONCE = 100;

type Page = Parameters<SolanaRpc['signaturesForAddress']>[1];

/**
 * Yields the pages of a history, newest first, down to `until`.
 * @throws {ScripError} CHAIN_UNREACHABLE, also when a node gives the same page again
 */
export async function* historyPages(
  rpc: Pick<SolanaRpc, 'signaturesForAddress'>,
  address: string,
  range: Pick<Page, 'commitment' | 'until' | 'minContextSlot'>,
): AsyncGenerator<readonly SignatureEntry[]> {
  let before: string | undefined;
  for (;;) {
    const page = { ...range, limit: PAGE_SIZE, before };
    const entries = await rpc.signaturesForAddress(address, page);
    const oldest = entries.at(-1)?.signature;
    // Nodes may cap a page below its limit: only an empty page is the end.
    if (oldest === undefined) return;
    if (oldest === before) {
      throw new ScripError('CHAIN_UNREACHABLE', t`The RPC repeats the history of ${address}`);
    }
    yield entries;
    before = oldest;
  }
}

/** All entries of a history down to the first that is too old, oldest first. */
export async function oldestFirst(
  pages: AsyncIterable<readonly SignatureEntry[]>,
  isTooOld: (entry: SignatureEntry) => boolean = () => false,
): Promise<readonly SignatureEntry[]> {
  const entries: SignatureEntry[] = [];
  for await (const page of pages) {
    const young = page.filter((entry) => !isTooOld(entry));
    entries.push(...young);
    if (young.length < page.length) break;
  }
  return entries.reverse();
}
