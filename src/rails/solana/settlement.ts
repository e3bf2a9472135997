/** Brings a claimed transaction to its end: broadcast until the chain has decided. */

import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import type { PayerFailure } from '../../domain/payer-failures.ts';
import { EXPIRY_MARGIN_BLOCKS } from './fate.ts';
import type { SolanaRpc } from './rpc.ts';

/** The facilitator's promise to settle a message, durable before the message is sent. */
export interface Claim {
  readonly messageHash: string;
  /** Signature of the fee payer, base58: the transaction's id. */
  readonly transaction: string;
  /** Base64 of the fully signed wire transaction. */
  readonly wire: string;
  readonly lastValidBlockHeight: number;
  readonly state: 'submitting' | 'landed' | 'failed' | 'expired';
  readonly reason: string | null;
  readonly createdAtMs: number;
}

/** Where claims are kept, by message hash. */
export interface ClaimStore {
  /** Writes the claim, or returns the one that is there already. */
  claim(claim: Claim): Promise<Claim>;
  byMessage(messageHash: string): Promise<Claim | undefined>;
  /** Moves on from `submitting`; the first decision stands. */
  decide(messageHash: string, state: Claim['state'], reason: string | null): Promise<void>;
}

/** What the payers of failed payments are held to: failing costs the fee payer, not them. */
export interface PayerBudget {
  isBlocked(payer: string): Promise<boolean>;
  /** Counts a message once, however often it is told. */
  note(payer: string, failure: PayerFailure): Promise<void>;
}

/** How a claim ends; nothing that is read later can change it. */
export type Outcome = Pick<Claim, 'state' | 'reason'>;

export interface SettlementParts {
  readonly rpc: SolanaRpc;
  readonly claims: ClaimStore;
  readonly clock: Clock;
  /** After this the settlement goes on in a later call. */
  readonly confirmTimeoutMs: number;
}

const POLL_DELAYS_MS = [50, 100, 150, 200, 300, 500];
const LAST_POLL_DELAY_MS = 1_000;
/** Of the polls that find nothing, every fourth sends the same bytes again. */
const POLLS_PER_BROADCAST = 4;

/**
 * Follows a claim until it is decided or the time is up, and records the decision.
 * Trouble with the RPC decides nothing. Undefined means still open.
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
      // Another process may have decided before: all of them give the one answer.
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
    // An error after the send is no failure: the node may have it, or the next one will.
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
  // Only what is final has failed for good: on another fork it could still succeed.
  return status.commitment === 'finalized'
    ? { state: 'failed', reason: JSON.stringify(status.error) }
    : 'open';
}

const EXPIRED: Outcome = { state: 'expired', reason: 'the blockhash expired before it was taken' };

/** Past its last block at finalized, and then still nowhere: in this order, or a late block is missed. */
async function isExpired(rpc: SolanaRpc, claim: Claim): Promise<boolean> {
  const height = await rpc.blockHeight('finalized');
  if (height <= claim.lastValidBlockHeight + EXPIRY_MARGIN_BLOCKS) return false;
  const [status] = await rpc.signatureStatuses([claim.transaction]);
  return status === null;
}
