/** How long a blockhash stays valid, from the chain's list of the last 150. */
import { decodeBase58 } from './base58.ts';
import type { SolanaRpc } from './rpc.ts';

export const RECENT_BLOCKHASHES_SYSVAR = 'SysvarRecentB1ockHashes11111111111111111111';
export const BLOCKHASH_LIFE_BLOCKS = 150;
/** Layout: a count of eight bytes, then entries of blockhash and eight-byte fee rate, newest first. */
const HEAD_BYTES = 8;
const ENTRY_BYTES = 40;
const HASH_BYTES = 32;

/**
 * Returns how many more blocks may use this blockhash; undefined if the node does not serve the
 * list, 0 if the blockhash is not on it.
 * @throws {ScripError} CHAIN_UNREACHABLE
 */
export async function blocksLeft(rpc: SolanaRpc, blockhash: string): Promise<number | undefined> {
  const sysvar = await rpc.accountInfo(RECENT_BLOCKHASHES_SYSVAR, 'processed');
  if (sysvar === null) return undefined;
  const age = ageOf(decodeBase58(blockhash), Buffer.from(sysvar.data));
  return age === undefined ? 0 : BLOCKHASH_LIFE_BLOCKS - age;
}

/** Position in the list: 0 is the newest. */
function ageOf(blockhash: Uint8Array, list: Buffer): number | undefined {
  for (let start = HEAD_BYTES; start + HASH_BYTES <= list.length; start += ENTRY_BYTES) {
    const entry = list.subarray(start, start + HASH_BYTES);
    if (entry.equals(blockhash)) return (start - HEAD_BYTES) / ENTRY_BYTES;
  }
  return undefined;
}
