/** Completes a claimed authorization: sends it until the chain has decided. */

import { expected, parseJson } from '../../domain/attempt.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { verbatim } from '../../domain/message/message.ts';
import type { Claim, Outcome } from '../../domain/payment/claim.ts';
import { followUntilDecided, type LandedAt, type Settling, type Until } from '../settling.ts';
import { agreed, eachOf, type Nodes, nodesOf } from '../witness.ts';
import { readSigned, type Signed } from './authorization.ts';
import { type ChainSource, landedIn, stateOf } from './fate.ts';
import { broadcast, type FeeAccountParts } from './fee-account.ts';
import type { EvmRpc } from './rpc.ts';

export interface SettlementParts extends FeeAccountParts, Settling {
  /** A node of another operator: both must agree on a decision. */
  readonly witness?: EvmRpc | undefined;
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

/** @param send by default a transaction of the fee account */
export function followClaim(
  parts: SettlementParts,
  claim: Claim,
  until: Until,
  send: (signed: Signed) => Promise<unknown> = (signed) =>
    broadcast(parts, claim.messageHash, signed),
): Promise<Outcome | undefined> {
  const signed = signedOf(claim);
  return followUntilDecided(parts, claim, until, {
    // What is on its way is sent again too: the fee account's transactions before it may be lost.
    look: async (landedAt) =>
      (await readOutcome(parts, signed, landedAt).catch(
        expected(() => undefined, 'CHAIN_UNREACHABLE'),
      )) ?? 'absent',
    send: () => send(signed),
  });
}

/** What all nodes show of an authorization; undefined while it is undecided. */
async function readOutcome(
  parts: SettlementParts,
  { authorization }: Signed,
  landedAt: LandedAt,
): Promise<Outcome | undefined> {
  const nodes = sourcesOf(parts);
  if (landedAt === 'confirmed') {
    const transaction = await agreed(nodes, (node) => landedIn(node, authorization), String);
    if (transaction !== undefined) return { state: 'landed', reason: null, landedIn: transaction };
  }
  const found = await agreed(
    nodes,
    (node) => stateOf(node, authorization),
    ({ state }) => state,
  );
  if (found?.state === 'landed') {
    return { state: 'landed', reason: null, landedIn: found.transaction };
  }
  if (found?.state === 'dead') return { state: 'expired', reason: null };
  return found?.state === 'spoiled'
    ? { state: 'failed', reason: `spent:${found.transaction}` }
    : undefined;
}

export function sourcesOf({
  network,
  ...nodes
}: Pick<SettlementParts, 'rpc' | 'witness' | 'network'>): Nodes<ChainSource> {
  return eachOf(nodesOf(nodes), (rpc) => ({ rpc, network }));
}
