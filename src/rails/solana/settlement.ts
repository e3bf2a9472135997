/** Completes a claimed transaction: broadcasts it until the chain has decided. */

import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import type { PayerFailure } from '../../domain/payer-failures.ts';
import { EXPIRY_MARGIN_BLOCKS } from './fate.ts';
import type { SolanaRpc } from './rpc.ts';

/** The facilitator's promise to settle a message, stored before the message is sent. */
export interface Claim {
  readonly messageHash: string;
  /** The fee payer's signature, base58: the transaction's id. */
  readonly transaction: string;
  /** Base64 of the fully signed wire transaction. */
  readonly wire: string;
  readonly lastValidBlockHeight: number;
  readonly state: 'submitting' | 'landed' | 'failed' | 'expired';
  readonly reason: string | null;
  readonly createdAtMs: number;
}

/** Stores claims by message hash. */
export interface ClaimStore {
  /** Writes the claim, or returns the one already stored. */
  claim(claim: Claim): Promise<Claim>;
  byMessage(messageHash: string): Promise<Claim | undefined>;
  /** Changes the state from `submitting`; only the first decision counts. */
  decide(messageHash: string, state: Claim['state'], reason: string | null): Promise<void>;
}

/** Limits how often a payer may fail: a failed payment costs the fee payer, not the payer. */
export interface PayerBudget {
  isBlocked(payer: string): Promise<boolean>;
  /** Counts a failed message once, however often it is called. */
  note(payer: string, failure: PayerFailure): Promise<void>;
}

/** The final state of a claim; nothing read later changes it. */
export type Outcome = Pick<Claim, 'state' | 'reason'>;

export interface SettlementParts {
  readonly rpc: SolanaRpc;
  readonly claims: ClaimStore;
  readonly clock: Clock;
  /** After this time, a later call continues the settlement. */
  readonly confirmTimeoutMs: number;
}

const POLL_DELAYS_MS = [50, 100, 150, 200, 300, 500];
const LAST_POLL_DELAY_MS = 1_000;
/** Every fourth poll that finds nothing sends the same bytes again. */
const POLLS_PER_BROADCAST = 4;

/**
 * Polls until a claim is decided or the time is up, and records the decision. RPC errors decide
 * nothing. Undefined means still open.
 */
export async function followClaim(
  parts: SettlementParts,
  claim: Claim,
): Promise<Outcome | undefined> {
  const deadlineMs = parts.clock.now() + parts.confirmTimeoutMs;
  for (let poll = 0; ; poll += 1) {
    const outcome = await pollOnce(parts.rpc, claim, poll % POLLS_PER_BROADCAST === 0);
    if (outcome !== undefined) {
      await parts.claims.decide(claim.messageHash, outcome.state, outcome.reason);
      // Another process may have decided first: all return the stored decision.
      return (await parts.claims.byMessage(claim.messageHash)) ?? outcome;
    }
    if (parts.clock.now() >= deadlineMs) return undefined;
    await parts.clock.sleep(POLL_DELAYS_MS[poll] ?? LAST_POLL_DELAY_MS);
  }
}

async function pollOnce(
  rpc: SolanaRpc,
  claim: Claim,
  mayBroadcast: boolean,
): Promise<Outcome | undefined> {
  try {
    const seen = await readOutcome(rpc, claim);
    if (seen === 'absent' && mayBroadcast) await rpc.send(Buffer.from(claim.wire, 'base64'));
    return typeof seen === 'string' ? undefined : seen;
  } catch (error) {
    // An error after sending is no failure: this node may have the transaction, or the next one
    // will get it.
    if (error instanceof ScripError && error.code === 'CHAIN_UNREACHABLE') return undefined;
    throw error;
  }
}

async function readOutcome(rpc: SolanaRpc, claim: Claim): Promise<Outcome | 'absent' | 'open'> {
  const [status] = await rpc.signatureStatuses([claim.transaction]);
  if (!status) return (await isExpired(rpc, claim)) ? EXPIRED : 'absent';
  if (status.error === null) {
    return status.commitment === 'processed' ? 'open' : { state: 'landed', reason: null };
  }
  // Only a finalized failure is final: on another fork the transaction could still succeed.
  return status.commitment === 'finalized'
    ? { state: 'failed', reason: JSON.stringify(status.error) }
    : 'open';
}

const EXPIRED: Outcome = { state: 'expired', reason: 'the blockhash expired before it was taken' };

/**
 * Whether the last valid block is finalized and the transaction still absent. Check in this order:
 * the other would miss a late block.
 */
async function isExpired(rpc: SolanaRpc, claim: Claim): Promise<boolean> {
  const height = await rpc.blockHeight('finalized');
  if (height <= claim.lastValidBlockHeight + EXPIRY_MARGIN_BLOCKS) return false;
  const [status] = await rpc.signatureStatuses([claim.transaction]);
  return status === null;
}
