/** How long a blockhash is still good for, from the chain's own list of the last 150. */
import { encodeBase58 } from './base58.ts';
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
  const sysvar = await rpc.accountInfo(RECENT_BLOCKHASHES_SYSVAR);
  if (sysvar === null) return undefined;
  const age = readBlockhashes(sysvar.data).indexOf(blockhash);
  return age < 0 ? 0 : BLOCKHASH_LIFE_BLOCKS - age;
}

function readBlockhashes(data: Uint8Array): readonly string[] {
  const count = Math.max(0, Math.floor((data.length - HEAD_BYTES) / ENTRY_BYTES));
  return Array.from({ length: count }, (_, index) => {
    const start = HEAD_BYTES + index * ENTRY_BYTES;
    return encodeBase58(data.subarray(start, start + HASH_BYTES));
  });
}
