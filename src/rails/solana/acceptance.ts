/** Whether the chain would accept a payment; its answer is good for one block. */
import type { Clock } from '../../domain/clock.ts';
import type { DecodedTransaction } from './message.ts';
import { type BlocksLeft, isWithinBlock } from './recent-blockhashes.ts';
import type { SolanaRpc } from './rpc.ts';

/** About 24 seconds: with fewer blocks left, the blockhash could expire before the outcome is known. */
export const MIN_BLOCKS_LEFT = 60;

/** Of payments and of accounts; with more, all are forgotten, and the chain is asked. */
const MOST_REMEMBERED = 1_000;

interface Paying {
  readonly messageHash: string;
  /** The token account that pays. */
  readonly source: string;
}

/** Which payments the chain accepted moments ago: settling one of these does not ask the chain again. */
export interface RecentChecks {
  /** Call before the chain is asked; call the result once it has accepted the payment. */
  start(payment: Paying): () => void;
  /**
   * Call when a payment is to be signed. Returns whether the chain accepted it moments ago and no
   * other payment of its account was to be signed since.
   */
  take(payment: Paying): boolean;
}

export function createRecentChecks(clock: Pick<Clock, 'now'>): RecentChecks {
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
    start: ({ messageHash }) => {
      const started = { atMs: clock.now(), count };
      return () => {
        forget();
        accepted.set(messageHash, started);
      };
    },
    take: ({ messageHash, source }) => {
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
