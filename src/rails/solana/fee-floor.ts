/** The minimum balance that a fee payer must have before it signs. */

import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { formatSol } from '../../domain/sol.ts';
import type { Signer } from '../rail.ts';
import { isWithinBlock } from './recent-blockhashes.ts';
import type { SolanaRpc } from './rpc.ts';

/** 0.01 SOL: covers hundreds of payments in progress, and far exceeds the account's rent. */
const DEFAULT_FLOOR_LAMPORTS = 10_000_000n;
/** Retrying sooner is useless: the operator must send SOL first. */
const REFILL_RETRY_MS = 60_000;

export interface FeeFloor {
  readonly rpc: SolanaRpc;
  readonly feePayer: Signer;
  /** Below this balance the fee payer signs nothing; by default 0.01 SOL. */
  readonly floorLamports?: bigint | undefined;
  /** Receives why payments are refused; callers learn only that they are. */
  report?(error: ScripError): void;
}

/** Refuses while the fee payer has too little SOL. @throws {ScripError} FACILITATOR_UNAVAILABLE */
export async function checkFloor({
  rpc,
  feePayer: { address },
  floorLamports = DEFAULT_FLOOR_LAMPORTS,
  report,
}: FeeFloor): Promise<void> {
  const lamports = await rpc.balance(address);
  if (lamports >= floorLamports) return;
  const error = new ScripError(
    'FACILITATOR_UNAVAILABLE',
    t`No payments are accepted: the fee payer ${address} has ${formatSol(lamports)} SOL, less than its minimum of ${formatSol(floorLamports)}`,
    { details: { retryAfterMs: REFILL_RETRY_MS } },
  );
  report?.(error);
  throw error;
}

/** The same check for many payments: a balance that was enough is asked for again after a block. */
export function createFloorCheck(
  floor: FeeFloor & { readonly clock: Pick<Clock, 'now'> },
): () => Promise<void> {
  let enoughAtMs: number | undefined;
  return async () => {
    const atMs = floor.clock.now();
    if (enoughAtMs !== undefined && isWithinBlock(enoughAtMs, atMs)) return;
    await checkFloor(floor);
    enoughAtMs = atMs;
  };
}
