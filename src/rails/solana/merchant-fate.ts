/** The merchant's check of the chain for a payment that a remote facilitator countersigned. */
import type { PaymentPayload } from '../../contract/x402.ts';
import { ScripError } from '../../domain/errors.ts';
import type { PaymentFate } from '../rail.ts';
import { encodeBase58 } from './base58.ts';
import { paymentFate } from './fate.ts';
import { decodePayment } from './message.ts';
import { BLOCKHASH_LIFE_BLOCKS } from './recent-blockhashes.ts';
import { readFacts } from './requirement.ts';
import type { SolanaRpc } from './rpc.ts';

/** Maximum number of payments whose last block is remembered; beyond it the oldest starts its count again. */
const MAX_WATCHED = 10_000;
const PAYER_SIGNATURE = 1;

/**
 * Looks for a payment in the finalized history of the account it credits. The merchant already has
 * the payment when it first asks, so the blockhash expires at most 150 blocks later. A new process
 * starts the count again, which only delays the answer.
 */
export function createMerchantFate({
  rpc,
  network,
}: {
  readonly rpc: SolanaRpc;
  readonly network: string;
}): (payload: PaymentPayload) => Promise<PaymentFate> {
  const lastBlocks = new Map<string, number>();
  const lastBlockOf = async (messageHash: string): Promise<number> => {
    const known = lastBlocks.get(messageHash);
    if (known !== undefined) return known;
    const last = (await rpc.blockHeight('processed')) + BLOCKHASH_LIFE_BLOCKS;
    const [oldest] = lastBlocks.keys();
    if (oldest !== undefined && lastBlocks.size >= MAX_WATCHED) lastBlocks.delete(oldest);
    lastBlocks.set(messageHash, last);
    return last;
  };
  return async (payload) => {
    try {
      const watched = readWatched(payload);
      const lastValidBlockHeight = await lastBlockOf(watched.messageHash);
      const fate = await paymentFate({ rpc, network }, { ...watched, lastValidBlockHeight });
      if (fate.fate === 'landed' || fate.fate === 'dead') lastBlocks.delete(watched.messageHash);
      return fate;
    } catch (error) {
      if (!(error instanceof ScripError)) throw error;
      if (error.code === 'PAYMENT_MALFORMED') return { fate: 'dead', proof: error.sentence };
      if (error.code === 'CHAIN_UNREACHABLE') return { fate: 'unknown', reason: error.sentence };
      throw error;
    }
  };
}

function readWatched(payload: PaymentPayload) {
  const { messageHash, destination: sourceAccount } = readFacts(payload);
  const { signatures } = decodePayment(payload.payload.transaction);
  const signature = encodeBase58(signatures[PAYER_SIGNATURE] ?? new Uint8Array());
  // Only this session uses the account, so its whole history is read.
  return { messageHash, signature, baseline: { sourceAccount, signature: null, slot: 0 } };
}
