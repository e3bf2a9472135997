/** Completes a claimed transaction: broadcasts it until the chain has decided. */

import type { PaymentRequirement } from '../../contract/x402.ts';
import { expected } from '../../domain/attempt.ts';
import type { Clock } from '../../domain/clock.ts';
import { requiredAmount } from '../../domain/payment/payment.ts';
import type { Claim, ClaimStore, Outcome } from '../merchant-rail.ts';
import { EXPIRY_MARGIN_BLOCKS } from './fate.ts';
import type { SolanaRpc } from './rpc.ts';
import type { Commitment, SignatureStatus } from './rpc-answers.ts';

export interface SettlementParts {
  readonly rpc: SolanaRpc;
  /** A node of another operator: both must agree on a decision. */
  readonly witness?: SolanaRpc | undefined;
  readonly claims: ClaimStore;
  readonly clock: Clock;
  /** After this time, a later call continues the settlement. */
  readonly confirmTimeoutMs: number;
  /** How long until the next block, where the chain can tell: before, nothing changes. */
  readonly nextBlockMs?: (() => Promise<number>) | undefined;
}

const POLL_DELAYS_MS = [50, 100, 150, 200, 300, 500];
const LAST_POLL_DELAY_MS = 1_000;
/** Every fourth poll that finds nothing sends the same bytes again. */
const POLLS_PER_BROADCAST = 4;

export interface Until {
  /** Whether the claim was made just now, so that no node can have the transaction. */
  readonly isNew?: boolean | undefined;
  /** Commitment from which a transaction counts as landed; `confirmed` by default. */
  readonly landedAt?: LandedAt | undefined;
  /** Ends the polling early, as if the time were up. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Polls until a claim is decided or the time is up, and records the decision. RPC errors decide
 * nothing. Undefined means still open.
 */
export async function followClaim(
  parts: SettlementParts,
  claim: Claim,
  { isNew = false, landedAt = 'confirmed', signal }: Until = {},
): Promise<Outcome | undefined> {
  const deadlineMs = parts.clock.now() + parts.confirmTimeoutMs;
  for (let poll = 0; ; poll += 1) {
    const outcome = await pollOnce(parts, claim, {
      isSought: poll > 0 || !isNew,
      mayBroadcast: poll % POLLS_PER_BROADCAST === 0,
      landedAt,
    });
    if (outcome !== undefined) {
      // Another process may have decided first: all return the stored decision.
      return (await parts.claims.decide(claim.messageHash, outcome)) ?? outcome;
    }
    if (parts.clock.now() >= deadlineMs || signal?.aborted) return undefined;
    const delayMs = POLL_DELAYS_MS[poll] ?? LAST_POLL_DELAY_MS;
    const nextBlockMs = (await parts.nextBlockMs?.()) ?? 0;
    await parts.clock.sleep(Math.max(delayMs, nextBlockMs), signal).catch(() => undefined);
  }
}

interface Poll {
  /** Whether the chain is asked first. */
  readonly isSought: boolean;
  readonly mayBroadcast: boolean;
  readonly landedAt: LandedAt;
}

async function pollOnce(
  parts: Nodes,
  claim: Claim,
  { isSought, mayBroadcast, landedAt }: Poll,
): Promise<Outcome | undefined> {
  const unreachable = expected(() => 'open' as const, 'CHAIN_UNREACHABLE');
  const seen = isSought ? await readOutcome(parts, claim, landedAt).catch(unreachable) : 'absent';
  // An error after sending is no failure: this node may have the transaction, or the next one will get it.
  if (seen === 'absent' && mayBroadcast) {
    await parts.rpc.send(Buffer.from(claim.wire, 'base64')).catch(unreachable);
  }
  return typeof seen === 'string' ? undefined : seen;
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

/** Commitment from which a transaction counts as landed. */
export type LandedAt = Exclude<Commitment, 'processed'>;

export interface Finality {
  /** Payments of this amount or more count once finalized, smaller ones once confirmed. */
  readonly finalFromAtomic?: bigint | undefined;
}

export function landedAtOf(
  requirement: PaymentRequirement,
  { finalFromAtomic }: Finality,
): LandedAt {
  const isLarge = finalFromAtomic !== undefined && requiredAmount(requirement) >= finalFromAtomic;
  return isLarge ? 'finalized' : 'confirmed';
}

function hasLanded(status: SignatureStatus | null, landedAt: LandedAt): boolean {
  if (status === null || status.error !== null) return false;
  return status.commitment === 'finalized' || status.commitment === landedAt;
}

type Nodes = Pick<SettlementParts, 'rpc' | 'witness'>;
type Watched = Pick<Claim, 'transaction' | 'validUntil'>;

function statusesOf(
  parts: Nodes,
  { transaction }: Watched,
): Promise<readonly (SignatureStatus | null)[]> {
  return Promise.all(
    nodesOf(parts).map(async (node) => (await node.signatureStatuses([transaction]))[0] ?? null),
  );
}

export function nodesOf({ rpc, witness }: Nodes): readonly SolanaRpc[] {
  return witness === undefined ? [rpc] : [rpc, witness];
}

const EXPIRED: Outcome = { state: 'expired', reason: 'the blockhash expired before it was taken' };

/**
 * Whether the last valid block is finalized and the transaction still absent. Check in this order:
 * the other would miss a late block.
 */
async function isExpired(parts: Nodes, claim: Watched): Promise<boolean> {
  const heights = await Promise.all(nodesOf(parts).map((node) => node.blockHeight('finalized')));
  const lastHeight = claim.validUntil + EXPIRY_MARGIN_BLOCKS;
  if (heights.some((height) => height <= lastHeight)) return false;
  return (await statusesOf(parts, claim)).every((status) => status === null);
}
