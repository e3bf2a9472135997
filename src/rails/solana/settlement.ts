/** Completes a claimed transaction: broadcasts it until the chain has decided. */

import { expected } from '../../domain/attempt.ts';
import type { Claim, Outcome } from '../../domain/payment/claim.ts';
import { followUntilDecided, type LandedAt, type Settling, type Until } from '../settling.ts';
import { askAll, nodesOf } from '../witness.ts';
import { EXPIRY_MARGIN_BLOCKS } from './fate.ts';
import type { SolanaRpc } from './rpc.ts';
import type { SignatureStatus } from './rpc-answers.ts';

export interface SettlementParts extends Settling {
  readonly rpc: SolanaRpc;
  /** A node of another operator: both must agree on a decision. */
  readonly witness?: SolanaRpc | undefined;
}

export function followClaim(
  parts: SettlementParts,
  claim: Claim,
  until: Until = {},
): Promise<Outcome | undefined> {
  return followUntilDecided(parts, claim, until, {
    look: (landedAt) =>
      readOutcome(parts, claim, landedAt).catch(expected(() => 'open', 'CHAIN_UNREACHABLE')),
    send: () => parts.rpc.send(Buffer.from(claim.wire, 'base64')),
  });
}

/** What the chain shows of a transaction now; `absent` and `open` are undecided. */
export async function readOutcome(
  parts: Nodes,
  claim: Watched,
  landedAt: LandedAt,
): Promise<Outcome | 'absent' | 'open'> {
  const statuses = await statusesOf(parts, claim);
  if (statuses.every((status) => status === null)) {
    return (await isExpired(parts, claim)) ? EXPIRED : 'absent';
  }
  if (statuses.every((status) => hasLanded(status, landedAt))) {
    return { state: 'landed', reason: null };
  }
  // Only a finalized failure is final: on another fork the transaction could still succeed.
  return statuses.every((status) => status?.error != null && status.commitment === 'finalized')
    ? { state: 'failed', reason: JSON.stringify(statuses[0]?.error) }
    : 'open';
}

function hasLanded(status: SignatureStatus | null, landedAt: LandedAt): boolean {
  if (status === null || status.error !== null) return false;
  return status.commitment === 'finalized' || status.commitment === landedAt;
}

type Nodes = Pick<SettlementParts, 'rpc' | 'witness'>;
type Watched = Pick<Claim, 'transaction' | 'validUntil'>;

function statusesOf(parts: Nodes, { transaction }: Watched) {
  return askAll(
    nodesOf(parts),
    async (node) => (await node.signatureStatuses([transaction]))[0] ?? null,
  );
}

const EXPIRED: Outcome = { state: 'expired', reason: 'the blockhash expired before it was taken' };

/**
 * Whether the last valid block is finalized and the transaction still absent. Check in this order:
 * the other would miss a late block.
 */
async function isExpired(parts: Nodes, claim: Watched): Promise<boolean> {
  const heights = await askAll(nodesOf(parts), (node) => node.blockHeight('finalized'));
  const lastHeight = claim.validUntil + EXPIRY_MARGIN_BLOCKS;
  if (heights.some((height) => height <= lastHeight)) return false;
  return (await statusesOf(parts, claim)).every((status) => status === null);
}
