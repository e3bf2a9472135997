/** The embedded facilitator: verifies a payment, pays its fee, and settles each message once. */

import {
  type PaymentPayload,
  type PaymentRequirement,
  type SettleResponse,
  type VerifyResponse,
  X402_VERSION,
} from '../../contract/x402.ts';
import { expected } from '../../domain/attempt.ts';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { formatSol } from '../../domain/money/money.ts';
import { createRecent } from '../../domain/recent.ts';
import type { Claim, Facilitator, PayerBudget, SettleOptions } from '../merchant-rail.ts';
import type { Signer } from '../rail.ts';
import {
  type BlocksLeft,
  createBlocksLeft,
  createRecentChecks,
  isWithinBlock,
  type RecentChecks,
  refuseByChain,
} from './acceptance.ts';
import { encodeBase58 } from './address.ts';
import {
  checkPayment,
  type FacilitatorTerms,
  MAX_PRIORITY_FEE_LAMPORTS,
  type Verdict,
} from './checks.ts';
import { type DecodedTransaction, encodeWire, withSignature } from './message.ts';
import { EXPIRED_REASON, FAILED_REASON, invalidReply, refusedReply } from './remote-facilitator.ts';
import type { SolanaRpc } from './rpc.ts';
import { BLOCKHASH_LIFE } from './seal.ts';
import {
  type Finality,
  followClaim,
  landedAtOf,
  type SettlementParts,
  type Until,
} from './settlement.ts';

const FEE_PAYER_SIGNATURE = 0;

export interface FacilitatorOptions extends SettlementParts, FeeFloor, Finality {
  /** Pays the network fee of every payment; owns no tokens. */
  readonly feePayer: Signer;
  readonly network: string;
  readonly mint: string;
  /** Without a budget, a payer may fail as often as it likes. */
  readonly budget?: PayerBudget;
}

export function createFacilitator(asked: FacilitatorOptions): Facilitator {
  const options: Parts = {
    ...asked,
    recent: createRecentChecks(asked.clock),
    blocksLeft: createBlocksLeft(asked.rpc, asked.clock),
    checkFloor: createFloorCheck(asked),
  };
  const { network, mint, feePayer } = options;
  const check = createPaymentCheck({ network, mint, feePayer: feePayer.address });
  /** Settlements running in this process; claims in the store keep other processes apart. */
  const running = new Map<string, Promise<SettleResponse>>();
  return {
    supported: async () => ({
      kinds: [
        {
          x402Version: X402_VERSION,
          scheme: 'exact',
          network,
          extra: {
            feePayer: feePayer.address,
            maxPriorityFeeLamports: MAX_PRIORITY_FEE_LAMPORTS.toString(),
          },
        },
      ],
      extensions: [],
      signers: { 'solana:*': [feePayer.address] },
    }),
    verify: (payload, requirement) => verify(options, check(payload, requirement)),
    checkFunds: () => orUnavailable(options.checkFloor()),
    settle: async (payload, requirement, { signal } = {}) => {
      const verdict = check(payload, requirement);
      if (!verdict.isValid) return refusedReply(options, verdict.reason, verdict.payer);
      const { messageHash } = verdict.transaction;
      const settling =
        running.get(messageHash) ??
        settle(options, verdict, { requirement, signal }).finally(() =>
          running.delete(messageHash),
        );
      running.set(messageHash, settling);
      return settling;
    },
  };
}

interface Parts extends FacilitatorOptions {
  readonly recent: RecentChecks;
  readonly blocksLeft: BlocksLeft;
  checkFloor(): Promise<void>;
}

type ValidVerdict = Extract<Verdict, { readonly isValid: true }>;

async function verify(options: Parts, verdict: Verdict): Promise<VerifyResponse> {
  if (!verdict.isValid) return invalidReply(verdict.reason, verdict.payer);
  const { payer, transaction } = verdict;
  const { messageHash } = transaction;
  const refusal = await refuseNow(options, verdict);
  // Asked last, since its claim is stored before the chain shows it. A settled payment is on record for its
  // caller: for another caller it pays nothing, since all can read it on the chain.
  const claim = await options.claims.byMessage(messageHash);
  const reason = claim ? (reasonOf(claim) ?? 'duplicate_settlement') : refusal;
  return reason === undefined ? { isValid: true, payer } : invalidReply(reason, payer);
}

async function settle(
  options: Parts,
  verdict: ValidVerdict,
  { requirement, signal }: SettleOptions & { readonly requirement: PaymentRequirement },
): Promise<SettleResponse> {
  const { messageHash } = verdict.transaction;
  const isAccepted = options.recent.take(keysOf(verdict));
  // What was accepted moments ago had no claim then; if it has one now, that is the one returned.
  const known = isAccepted ? undefined : await options.claims.byMessage(messageHash);
  const claim = known ?? (await claimNow(options, verdict, isAccepted));
  return conclude(options, claim, {
    payer: verdict.payer,
    isNew: known === undefined,
    landedAt: landedAtOf(requirement, options),
    signal,
  });
}

/** @param isAccepted whether the payer and the chain were asked moments ago */
async function claimNow(
  options: Parts,
  verdict: ValidVerdict,
  isAccepted: boolean,
): Promise<Claim> {
  const { transaction } = verdict;
  const refusal = isAccepted ? undefined : await refuseNow(options, verdict);
  const claim =
    refusal === undefined
      ? await countersign(options, transaction)
      : refusalClaim(options, transaction, refusal);
  // The first writer decides: another process may have claimed or refused the message meanwhile.
  return options.claims.claim(claim);
}

/** Returns why a well-formed payment is refused now; checked before the fee payer signs. */
async function refuseNow(options: Parts, verdict: ValidVerdict): Promise<string | undefined> {
  if (await options.budget?.isBlocked(verdict.payer)) return 'invalid_exact_svm_payer_blocked';
  const accepted = options.recent.start(keysOf(verdict));
  await orUnavailable(options.checkFloor());
  const refusal = await orUnavailable(refuseByChain(options, verdict.transaction));
  if (refusal === undefined) accepted();
  return refusal;
}

function keysOf({ transaction: { messageHash }, source }: ValidVerdict) {
  return { messageHash, source };
}

/** Creates the claim, a promise to settle; send nothing before it is stored. */
async function countersign(
  { rpc, feePayer, clock }: FacilitatorOptions,
  { messageHash, message, wire }: DecodedTransaction,
): Promise<Claim> {
  const height = await orUnavailable(rpc.blockHeight('processed'));
  const signature = await feePayer.sign(message);
  return {
    messageHash,
    transaction: encodeBase58(signature),
    wire: encodeWire(withSignature(wire, FEE_PAYER_SIGNATURE, signature)),
    // The blockhash is no newer than the tip, so it expires by then.
    validUntil: height + BLOCKHASH_LIFE,
    state: 'submitting',
    reason: null,
    createdAtMs: clock.now(),
  };
}

/**
 * Stores a refusal like a claim: the caller drops its order, so no other process may settle the
 * message later.
 */
function refusalClaim(
  { clock }: FacilitatorOptions,
  { messageHash }: DecodedTransaction,
  reason: string,
): Claim {
  const createdAtMs = clock.now();
  const nothingSent = { transaction: messageHash, wire: '', validUntil: 0 };
  return { messageHash, ...nothingSent, state: 'failed', reason, createdAtMs };
}

/** Answers a decided claim at once; follows an open one first. */
async function conclude(
  options: FacilitatorOptions,
  claim: Claim,
  { payer, ...until }: { readonly payer: string } & Until,
): Promise<SettleResponse> {
  if (isRefusal(claim)) {
    return refusedReply(options, claim.reason ?? FAILED_REASON, payer);
  }
  const outcome = claim.state === 'submitting' ? await followClaim(options, claim, until) : claim;
  if (outcome?.state === 'failed') {
    const { messageHash, createdAtMs: atMs } = claim;
    await options.budget?.note(payer, { messageHash, atMs });
  }
  const reason = outcome === undefined ? 'settlement_pending' : STATE_REASONS[outcome.state];
  const { network } = options;
  const { transaction } = claim;
  return reason === undefined
    ? { success: true, transaction, network, payer }
    : { ...refusedReply(options, reason, payer), transaction };
}

const STATE_REASONS: Readonly<Record<Claim['state'], string | undefined>> = {
  submitting: undefined,
  landed: undefined,
  failed: FAILED_REASON,
  expired: EXPIRED_REASON,
};

/** Whether the claim is a refusal, so nothing was countersigned. */
function isRefusal({ wire }: Claim): boolean {
  return wire === '';
}

function reasonOf(claim: Claim): string | undefined {
  return isRefusal(claim) ? (claim.reason ?? FAILED_REASON) : STATE_REASONS[claim.state];
}

/** Before anything is countersigned, an unreachable chain costs nothing: report it and stop. */
function orUnavailable<T>(asked: Promise<T>): Promise<T> {
  return asked.catch(
    expected((cause) => {
      const sentence = t`The facilitator cannot reach the chain`;
      throw new ScripError('FACILITATOR_UNAVAILABLE', sentence, { cause });
    }, 'CHAIN_UNREACHABLE'),
  );
}

/** Payments between verification and settlement; one that is dropped is checked again. */
const MOST_REMEMBERED = 256;

/** Remembers what is valid: the same bytes and requirement always get the same verdict. */
function createPaymentCheck(terms: FacilitatorTerms) {
  const valid = createRecent<Verdict>(MOST_REMEMBERED);
  return (payload: PaymentPayload, requirement: PaymentRequirement): Verdict => {
    const key = JSON.stringify([payload, requirement]);
    const known = valid.get(key);
    if (known) return known;
    const verdict = checkPayment(payload, requirement, terms);
    if (!verdict.isValid) return verdict;
    valid.set(key, verdict);
    return verdict;
  };
}

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
