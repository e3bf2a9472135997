/** Whether the chain would accept a payment; its answer is good for one block. */

import type { Clock } from '../../domain/clock.ts';
import { decodeBase58 } from './address.ts';
import type { DecodedTransaction } from './message.ts';
import type { SolanaRpc } from './rpc.ts';
import { BLOCKHASH_LIFE } from './seal.ts';

/** About 24 seconds: with fewer blocks left, the blockhash could expire before the outcome is known. */
export const MIN_BLOCKS_LEFT = 60;

/** Of payments and of accounts; with more, all are forgotten, and the chain is asked. */
const MOST_REMEMBERED = 1_000;

interface Paying {
  readonly messageHash: string;
  /** The token account that pays. */
  readonly source: string;
}

export type RecentChecks = ReturnType<typeof createRecentChecks>;

/** Which payments the chain accepted moments ago: settling one of these does not ask the chain again. */
export function createRecentChecks(clock: Pick<Clock, 'now'>) {
  /** Counts what was signed: times could be equal. */
  let count = 0;
  /** What was signed up to here is forgotten, so checks that began before prove nothing. */
  let forgotten = 0;
  const accepted = new Map<string, { readonly atMs: number; readonly count: number }>();
  const signed = new Map<string, number>();
  const forget = (): void => {
    if (accepted.size < MOST_REMEMBERED && signed.size < MOST_REMEMBERED) return;
    accepted.clear();
    signed.clear();
    forgotten = count;
  };
  return {
    /** Call before the chain is asked; call the result once it has accepted the payment. */
    start: ({ messageHash }: Paying) => {
      const started = { atMs: clock.now(), count };
      return () => {
        forget();
        accepted.set(messageHash, started);
      };
    },
    /**
     * Call when a payment is to be signed. Returns whether the chain accepted it moments ago and no
     * other payment of its account was to be signed since.
     */
    take: ({ messageHash, source }: Paying): boolean => {
      const known = accepted.get(messageHash);
      const last = signed.get(source) ?? forgotten;
      count += 1;
      forget();
      signed.set(source, count);
      if (known === undefined || known.count < last) return false;
      return isWithinBlock(known.atMs, clock.now());
    },
  };
}

/** Returns why the chain would refuse the payment now. */
export async function refuseByChain(
  { rpc, blocksLeft }: { readonly rpc: SolanaRpc; readonly blocksLeft: BlocksLeft },
  transaction: DecodedTransaction,
): Promise<string | undefined> {
  const { recentBlockhash, wire } = transaction;
  const left = await blocksLeft(recentBlockhash);
  // A blockhash that the list has for long enough is valid.
  if (left === undefined || left < MIN_BLOCKS_LEFT) {
    if (!(await rpc.isBlockhashValid(recentBlockhash, 'processed'))) {
      return 'invalid_exact_svm_payload_blockhash_expired';
    }
    if (left !== undefined) return 'invalid_exact_svm_payload_blockhash_too_old';
  }
  const { error } = await rpc.simulate(wire);
  return error === null ? undefined : 'invalid_exact_svm_transaction_simulation_failed';
}

// How long a blockhash stays valid, from the chain's list of the last 150.

export const RECENT_BLOCKHASHES_SYSVAR = 'SysvarRecentB1ockHashes11111111111111111111';
/** One block: a node's answers about its confirmed bank are that old anyway. */
export const BLOCK_MS = 400;
/** Layout: a count of eight bytes, then entries of blockhash and eight-byte fee rate, newest first. */
const HEAD_BYTES = 8;
const ENTRY_BYTES = 40;
const HASH_BYTES = 32;

export type BlocksLeft = ReturnType<typeof createBlocksLeft>;

/**
 * Says how many more blocks may use a blockhash, at most one too many; undefined if the node does not serve the
 * list, 0 if the blockhash is not on it. The list is read once a block, and for each blockhash that it lacks.
 */
export function createBlocksLeft(rpc: SolanaRpc, clock: Pick<Clock, 'now'>) {
  let known: { readonly list: Buffer; readonly atMs: number } | undefined;
  /** @throws {ScripError} CHAIN_UNREACHABLE */
  return async (blockhash: string): Promise<number | undefined> => {
    const hash = decodeBase58(blockhash);
    const atMs = clock.now();
    const isFresh = known !== undefined && isWithinBlock(known.atMs, atMs);
    const age = isFresh && known ? ageOf(hash, known.list) : undefined;
    if (age !== undefined) return BLOCKHASH_LIFE - age;
    const sysvar = await rpc.accountInfo(RECENT_BLOCKHASHES_SYSVAR, 'processed');
    if (sysvar === null) return undefined;
    known = { list: Buffer.from(sysvar.data), atMs };
    const newAge = ageOf(hash, known.list);
    return newAge === undefined ? 0 : BLOCKHASH_LIFE - newAge;
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
