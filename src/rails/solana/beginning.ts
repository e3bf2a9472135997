/** Whether a wallet is younger than the history that a node keeps. */

import { t } from '../../domain/message.ts';
import { associatedTokenAddress } from './address.ts';
import { READ_AT_ONCE } from './history.ts';
import { asLamports, asList, field } from './json.ts';
import type { SolanaRpc } from './rpc.ts';
import { keysOf, type SignatureEntry } from './rpc-answers.ts';

/** Lamports of accounts at some time; 0 where an account did not exist. */
type Balances = ReadonlyMap<unknown, bigint>;

/**
 * Whether nothing can have been paid before the oldest listed transaction: neither the wallet nor its USDC
 * account existed then. Lamports alone prove nothing, as a facilitated payment needs none.
 * @param entries all that the node lists of the owner's history, newest first
 */
export async function isFromBeginning(
  rpc: Pick<SolanaRpc, 'requestAll' | 'accountInfo'>,
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
  rpc: Pick<SolanaRpc, 'requestAll'>,
  entries: readonly SignatureEntry[],
): Promise<readonly (Balances | undefined)[]> {
  const config = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 };
  const asked = entries.map(({ signature }) => [signature, config]);
  const found = await rpc.requestAll('getTransaction', asked);
  return found.map((transaction) => {
    if (transaction === null || transaction === undefined) return undefined;
    const before = asList(field(field(transaction, 'meta'), 'preBalances'), t`balances`);
    return new Map(
      keysOf(transaction).map((key, index) => [key, asLamports(before[index], t`a balance`)]),
    );
  });
}

async function balancesNow(
  rpc: Pick<SolanaRpc, 'accountInfo'>,
  addresses: readonly string[],
): Promise<Balances> {
  const accounts = await Promise.all(addresses.map((address) => rpc.accountInfo(address)));
  return new Map(addresses.map((address, index) => [address, accounts[index]?.lamports ?? 0n]));
}
