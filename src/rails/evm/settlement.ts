/** Completes a claimed authorization: sends it until the chain has decided. */

import { expected, parseJson } from '../../domain/attempt.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { verbatim } from '../../domain/message/message.ts';
import type { Claim, ClaimStore, Outcome } from '../merchant-rail.ts';
import type { Signed } from './authorization.ts';
import { readSigned } from './authorization.ts';
import { type ChainSource, landedIn, stateOf } from './fate.ts';
import { broadcast, type FeeAccountParts } from './fee-account.ts';
import type { EvmRpc } from './rpc.ts';

export interface SettlementParts extends FeeAccountParts {
  /** A node of another operator: both must agree on a decision. */
  readonly witness?: EvmRpc | undefined;
  readonly claims: ClaimStore;
  /** After this time, a later call continues the settlement. */
  readonly confirmTimeoutMs: number;
}

/** Newest block, or a final one, from which a payment counts as landed. */
export type LandedAt = 'confirmed' | 'finalized';

const POLL_DELAYS_MS = [50, 100, 150, 200, 300, 500];
const LAST_POLL_DELAY_MS = 1_000;
/** Every fourth poll that finds nothing sends the same bytes again. */
const POLLS_PER_BROADCAST = 4;

interface Until {
  /** Whether the claim was made just now, so that no node can have its transaction. */
  readonly isNew?: boolean;
  readonly landedAt: LandedAt;
  /** Ends the polling early, as if the time were up. */
  readonly signal?: AbortSignal | undefined;
}

/** A claim for an authorization; it is stored before anything is sent. */
export function claimOf(
  { authorization, signature }: Signed,
  { messageHash, atMs }: { readonly messageHash: string; readonly atMs: number },
): Claim {
  return {
    messageHash,
    // The id is known once it is sent: by us, or by whoever has the authorization too.
    transaction: messageHash,
    wire: Buffer.from(JSON.stringify({ authorization, signature })).toString('base64'),
    validUntil: Number(authorization.validBefore),
    state: 'submitting',
    reason: null,
    createdAtMs: atMs,
  };
}

/** Reads what a claim promises to settle. */
export function signedOf({ wire, messageHash }: Claim): Signed {
  const signed = readSigned(Object(parseJson(Buffer.from(wire, 'base64').toString())));
  if (signed !== undefined) return signed;
  throw new ScripError('INTERNAL', verbatim(`the claim ${messageHash} holds no authorization`));
}

/**
 * Polls until a claim is decided or the time is up, and records the decision. RPC errors decide nothing. Undefined
 * means still open.
 */
export async function followClaim(
  parts: SettlementParts,
  claim: Claim,
  { isNew = false, landedAt, signal }: Until,
): Promise<Outcome | undefined> {
  const { clock } = parts;
  const signed = signedOf(claim);
  const unreachable = expected(() => undefined, 'CHAIN_UNREACHABLE');
  const deadlineMs = clock.now() + parts.confirmTimeoutMs;
  for (let poll = 0; ; poll += 1) {
    const isSought = poll > 0 || !isNew;
    const outcome = isSought
      ? await readOutcome(parts, signed, landedAt).catch(unreachable)
      : undefined;
    if (outcome !== undefined) {
      // Another process may have decided first: all return the stored decision.
      return (await parts.claims.decide(claim.messageHash, outcome)) ?? outcome;
    }
    if (poll % POLLS_PER_BROADCAST === 0) {
      await broadcast(parts, claim.messageHash, signed).catch(unreachable);
    }
    if (clock.now() >= deadlineMs || signal?.aborted) return undefined;
    await clock.sleep(POLL_DELAYS_MS[poll] ?? LAST_POLL_DELAY_MS, signal).catch(() => undefined);
  }
}

/** What all nodes show of an authorization; undefined while it is undecided. */
async function readOutcome(
  { rpc, witness, network }: SettlementParts,
  { authorization }: Signed,
  landedAt: LandedAt,
): Promise<Outcome | undefined> {
  const nodes = sourcesOf({ rpc, witness, network });
  if (landedAt === 'confirmed') {
    const found = await Promise.all(nodes.map((node) => landedIn(node, authorization)));
    const [transaction] = found;
    if (transaction !== undefined && found.every((one) => one === transaction)) {
      return { state: 'landed', reason: null, landedIn: transaction };
    }
  }
  const states = await Promise.all(nodes.map((node) => stateOf(node, authorization)));
  const [first] = states;
  if (first === undefined || !states.every(({ state }) => state === first.state)) return undefined;
  if (first.state === 'landed') {
    return { state: 'landed', reason: null, landedIn: first.transaction };
  }
  if (first.state === 'dead') return { state: 'expired', reason: null };
  return first.state === 'spoiled'
    ? { state: 'failed', reason: `spent:${first.transaction}` }
    : undefined;
}

export function sourcesOf({
  rpc,
  witness,
  network,
}: Pick<SettlementParts, 'rpc' | 'witness' | 'network'>): readonly ChainSource[] {
  return [rpc, ...(witness === undefined ? [] : [witness])].map((node) => ({ rpc: node, network }));
}
