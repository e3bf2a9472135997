/** How long a blockhash stays valid, from the chain's list of the last 150. */
import type { Clock } from '../../domain/clock.ts';
import { decodeBase58 } from './address.ts';
import type { SolanaRpc } from './rpc.ts';

export const RECENT_BLOCKHASHES_SYSVAR = 'SysvarRecentB1ockHashes11111111111111111111';
export const BLOCKHASH_LIFE_BLOCKS = 150;
/** One block: a node's answers about its confirmed bank are that old anyway. */
export const BLOCK_MS = 400;
/** Layout: a count of eight bytes, then entries of blockhash and eight-byte fee rate, newest first. */
const HEAD_BYTES = 8;
const ENTRY_BYTES = 40;
const HASH_BYTES = 32;

/**
 * Returns how many more blocks may use a blockhash, at most one too many; undefined if the node does
 * not serve the list, 0 if the blockhash is not on it.
 * @throws {ScripError} CHAIN_UNREACHABLE
 */
export type BlocksLeft = (blockhash: string) => Promise<number | undefined>;

/** The list is read once a block, and for each blockhash that it lacks. */
export function createBlocksLeft(rpc: SolanaRpc, clock: Pick<Clock, 'now'>): BlocksLeft {
  let known: { readonly list: Buffer; readonly atMs: number } | undefined;
  return async (blockhash) => {
    const hash = decodeBase58(blockhash);
    const atMs = clock.now();
    const isFresh = known !== undefined && isWithinBlock(known.atMs, atMs);
    const age = isFresh && known ? ageOf(hash, known.list) : undefined;
    if (age !== undefined) return BLOCKHASH_LIFE_BLOCKS - age;
    const sysvar = await rpc.accountInfo(RECENT_BLOCKHASHES_SYSVAR, 'processed');
    if (sysvar === null) return undefined;
    known = { list: Buffer.from(sysvar.data), atMs };
    const newAge = ageOf(hash, known.list);
    return newAge === undefined ? 0 : BLOCKHASH_LIFE_BLOCKS - newAge;
  };
}

/** Whether an answer is still as good as the chain's own; false once the clock was set back. */
export function isWithinBlock(askedAtMs: number, nowMs: number): boolean {
  const ageMs = nowMs - askedAtMs;
  return ageMs >= 0 && ageMs < BLOCK_MS;
}

/** Position in the list: 0 is the newest. */
function ageOf(blockhash: Uint8Array, list: Buffer): number | undefined {
  for (let start = HEAD_BYTES; start + HASH_BYTES <= list.length; start += ENTRY_BYTES) {
    const entry = list.subarray(start, start + HASH_BYTES);
    if (entry.equals(blockhash)) return (start - HEAD_BYTES) / ENTRY_BYTES;
  }
  return undefined;
}
