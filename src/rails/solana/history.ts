/** The history of an address, to its end: strangers can add any number of transactions to it. */

import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { asList, field } from '../rpc-transport.ts';
import { associatedTokenAddress } from './address.ts';
import type { SolanaRpc } from './rpc.ts';
import { asLamports, inJson, keysOf, type SignatureEntry } from './rpc-answers.ts';

const PAGE_SIZE = 1_000;
/** Transactions of a history that are asked for together. */
export const READ_AT_ONCE = 100;

type Page = Parameters<SolanaRpc['signaturesForAddress']>[1];

/**
 * Yields the pages of a history, newest first, down to `until`.
 * @throws {ScripError} CHAIN_UNREACHABLE, also when a node gives the same page again
 */
export async function* historyPages(
  rpc: SolanaRpc,
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

/** Lamports of accounts at some time; 0 where an account did not exist. */
type Balances = ReadonlyMap<unknown, bigint>;

/**
 * Whether nothing can have been paid before the oldest listed transaction: neither the wallet nor its USDC
 * account existed then. Lamports alone prove nothing, as a facilitated payment needs none.
 * @param entries all that the node lists of the owner's history, newest first
 */
export async function isFromBeginning(
  rpc: SolanaRpc,
  entries: readonly SignatureEntry[],
  { owner, mint }: { readonly owner: string; readonly mint: string },
): Promise<boolean> {
  const addresses = [owner, associatedTokenAddress(owner, mint)];
  const oldest = entries.slice(-READ_AT_ONCE).reverse();
  const past = await balancesBefore(rpc, oldest);
  // A node may list what it has dropped.
  if (past.some((balances) => balances === undefined)) return false;
  const isAll = oldest.length === entries.length;
  const states = [...past, ...(isAll ? [await balancesNow(rpc, addresses)] : [])];
  // Opening and closing the USDC account both name its owner: what the first transaction to name the
  // account found is what was there since before the oldest one.
  return addresses.every(
    (address) => states.find((balances) => balances?.has(address))?.get(address) === 0n,
  );
}

async function balancesBefore(
  rpc: SolanaRpc,
  entries: readonly SignatureEntry[],
): Promise<readonly (Balances | undefined)[]> {
  const asked = entries.map(({ signature }) => inJson(signature));
  const found = await rpc.requestAll('getTransaction', asked);
  return found.map((transaction) => {
    if (transaction === null || transaction === undefined) return undefined;
    const before = asList(field(field(transaction, 'meta'), 'preBalances'), t`balances`);
    return new Map(
      keysOf(transaction).map((key, index) => [key, asLamports(before[index], t`a balance`)]),
    );
  });
}

async function balancesNow(rpc: SolanaRpc, addresses: readonly string[]): Promise<Balances> {
  const accounts = await Promise.all(addresses.map((address) => rpc.accountInfo(address)));
  return new Map(addresses.map((address, index) => [address, accounts[index]?.lamports ?? 0n]));
}
