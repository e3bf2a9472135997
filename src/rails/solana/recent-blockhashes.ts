/** How long a blockhash is still good for, from the chain's own list of the last 150. */
import { decodeBase58 } from './base58.ts';
import type { SolanaRpc } from './rpc.ts';

export const RECENT_BLOCKHASHES_SYSVAR = 'SysvarRecentB1ockHashes11111111111111111111';
export const BLOCKHASH_LIFE_BLOCKS = 150;
/** A count of eight bytes, then entries of a blockhash and eight bytes of fee rate, newest first. */
const HEAD_BYTES = 8;
const ENTRY_BYTES = 40;
const HASH_BYTES = 32;

/**
 * Blocks that may still take a transaction over this blockhash; undefined when the node does not
 * serve the list, 0 when the blockhash is not on it.
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
