/** The embedded facilitator of any rail: verifies a payment, pays its fee, and settles each message once. */

import {
  type PaymentPayload,
  type PaymentRequirement,
  type SettleResponse,
  type SupportedResponse,
  type VerifyResponse,
  X402_VERSION,
} from '../contract/x402.ts';
import { expected } from '../domain/attempt.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import type { Claim, Outcome } from '../domain/payment/claim.ts';
import type { Facilitator, PayerBudget } from './merchant-rail.ts';
import { type Finality, landedAtOf, type Settling, type Until } from './settling.ts';

export interface FacilitatorParts extends Settling, Finality {
  /** Without a budget, a payer may fail as often as it likes. */
  readonly budget?: PayerBudget;
}

/** A payment that is well formed. */
interface Payable {
  readonly isValid: true;
  readonly payer: string;
  readonly messageHash: string;
}

interface Malformed {
  readonly isValid: false;
  readonly reason: string;
  readonly payer: string | undefined;
}

/** What a rail adds. */
interface FacilitatorRail<Valid extends Payable> {
  readonly network: string;
  /** What payments to it name. */
  readonly extra: SupportedResponse['kinds'][number]['extra'];
  readonly feePayer: string;
  /** Begins the reasons of the rail. */
  readonly prefix: string;
  readonly expired: string;
  /** A reason in words, for the other side. */
  inWords(reason: string, requirement: PaymentRequirement): string | undefined;
  check(payload: PaymentPayload, requirement: PaymentRequirement): Valid | Malformed;
  /** Refuses while the fee payer has too little. @throws {ScripError} FACILITATOR_UNAVAILABLE, CHAIN_UNREACHABLE */
  checkFloor(): Promise<void>;
  /** Why the chain would refuse it now. @throws {ScripError} CHAIN_UNREACHABLE */
  refuse(valid: Valid, requirement: PaymentRequirement): Promise<string | undefined>;
  /** Whether `refuse` accepted it moments ago, and nothing changed since; asked once for each settlement. */
  isAccepted?(valid: Valid): boolean;
  /**
   * The promise to settle it, with what is sent then; or its refusal, which other processes keep to. Undefined for
   * a refusal that is not kept, since its payer has not signed it.
   */
  claim(valid: Valid, refusal: string | undefined): Promise<Claim | undefined>;
  /** Whether a claim on record is for this very payment; by default each message is one payment. */
  isOf?(claim: Claim, valid: Valid): boolean;
  follow(claim: Claim, until: Until): Promise<Outcome | undefined>;
  /** The id of what was sent. */
  sentAs(claim: Claim): Promise<string>;
}

const PENDING = 'settlement_pending';
const DUPLICATE = 'duplicate_settlement';

export function facilitatorOn<Valid extends Payable>(
  parts: FacilitatorParts,
  rail: FacilitatorRail<Valid>,
): Facilitator {
  const { claims, budget } = parts;
  const { network, feePayer, extra } = rail;
  const [failed, expired] = [`${rail.prefix}transaction_failed`, rail.expired];
  const reasons = { submitting: undefined, landed: undefined, failed, expired };
  const reasonOf = (claim: Claim) => refusalIn(claim) ?? reasons[claim.state];
  const alone = oneAtATime<SettleResponse>();

  /** Why a well-formed payment is refused now; asked before anything is claimed. */
  const refuseNow = async (valid: Valid, requirement: PaymentRequirement) => {
    if (await budget?.isBlocked(valid.payer)) return `${rail.prefix}payer_blocked`;
    await orUnavailable(rail.checkFloor());
    return orUnavailable(rail.refuse(valid, requirement));
  };

  async function settle(
    valid: Valid,
    requirement: PaymentRequirement,
    signal: AbortSignal | undefined,
  ): Promise<SettleResponse> {
    const { payer, messageHash } = valid;
    const refused = (reason: string) =>
      refusedReply(network, { reason, payer, message: rail.inWords(reason, requirement) });
    const isAccepted = rail.isAccepted?.(valid) === true;
    const known = await claims.byMessage(messageHash);
    const refusal = known || isAccepted ? undefined : await refuseNow(valid, requirement);
    const made = known ?? (await orUnavailable(rail.claim(valid, refusal)));
    if (made === undefined) return refused(refusal ?? failed);
    // The first writer decides: another process may have claimed or refused the message meanwhile.
    const claim = known ?? (await claims.claim(made));
    if (rail.isOf?.(claim, valid) === false) return refused(DUPLICATE);
    const earlier = refusalIn(claim);
    if (earlier !== undefined) return refused(earlier);
    const until = { isNew: known === undefined, landedAt: landedAtOf(requirement, parts), signal };
    const outcome = claim.state === 'submitting' ? await rail.follow(claim, until) : claim;
    if (outcome?.state === 'failed') {
      await budget?.note(payer, { messageHash, atMs: claim.createdAtMs });
    }
    const reason = outcome === undefined ? PENDING : reasons[outcome.state];
    const transaction = outcome?.landedIn ?? (await rail.sentAs(claim));
    return reason === undefined
      ? { success: true, transaction, network, payer }
      : { ...refused(reason), transaction };
  }

  return {
    supported: async () => ({
      kinds: [{ x402Version: X402_VERSION, scheme: 'exact', network, extra }],
      extensions: [],
      signers: { [`${network.split(':')[0]}:*`]: [feePayer] },
    }),
    checkFunds: () => orUnavailable(rail.checkFloor()),
    async verify(payload, requirement) {
      const verdict = rail.check(payload, requirement);
      const { payer } = verdict;
      const invalid = (reason: string) =>
        invalidReply({ reason, payer, message: rail.inWords(reason, requirement) });
      if (!verdict.isValid) return invalid(verdict.reason);
      const refusal = await refuseNow(verdict, requirement);
      // Asked last, since its claim is stored before the chain shows it. A settled payment is on record for its
      // caller: for another caller it pays nothing, since all can read it on the chain.
      const claim = await claims.byMessage(verdict.messageHash);
      const reason = claim ? (reasonOf(claim) ?? DUPLICATE) : refusal;
      return reason === undefined ? { isValid: true, payer } : invalid(reason);
    },
    async settle(payload, requirement, { signal } = {}) {
      const verdict = rail.check(payload, requirement);
      if (!verdict.isValid) {
        const { reason, payer } = verdict;
        const message = rail.inWords(reason, requirement);
        return refusedReply(network, { reason, payer, message });
      }
      // Not by the message: what settles one authorization says nothing about another one with its nonce.
      return alone(JSON.stringify(payload.payload), () => settle(verdict, requirement, signal));
    },
  };
}

/** Calls for a payment that is being settled in this process get that result; claims keep processes apart. */
export function oneAtATime<T>() {
  const running = new Map<string, Promise<T>>();
  return (key: string, work: () => Promise<T>): Promise<T> => {
    const result = running.get(key) ?? work().finally(() => running.delete(key));
    running.set(key, result);
    return result;
  };
}

/**
 * The reason of a claim that is a refusal: nothing was sent for it. Such reasons are words of x402; those of claims
 * that failed name an error of the chain, or a transaction.
 */
function refusalIn({ state, reason }: Claim): string | undefined {
  return state === 'failed' && /^[a-z0-9_]+$/.test(reason ?? '') ? (reason ?? '') : undefined;
}

interface Said {
  readonly reason: string;
  readonly payer: string | undefined;
  readonly message: string | undefined;
}

export function invalidReply({ reason, payer, message }: Said): VerifyResponse {
  return { isValid: false, invalidReason: reason, invalidMessage: message, payer };
}

export function refusedReply(network: string, { reason, payer, message }: Said): SettleResponse {
  const refused = { success: false, transaction: '', network };
  return { ...refused, errorReason: reason, errorMessage: message, payer };
}

/** Before anything is sent, an unreachable chain costs nothing: report it and stop. */
function orUnavailable<T>(asked: Promise<T>): Promise<T> {
  return asked.catch(
    expected((cause) => {
      const sentence = t`The facilitator cannot reach the chain`;
      throw new ScripError('FACILITATOR_UNAVAILABLE', sentence, { cause });
    }, 'CHAIN_UNREACHABLE'),
  );
}

/** Retrying sooner is useless: the operator has to send money first. */
const REFILL_RETRY_MS = 60_000;

interface Held {
  readonly address: string;
  readonly held: bigint;
  readonly least: bigint;
  /** With its coin. */
  readonly inWords: (amount: bigint) => string;
  /** Receives why payments are refused; callers learn only that they are. */
  readonly report?: ((error: ScripError) => void) | undefined;
}

/** @throws {ScripError} FACILITATOR_UNAVAILABLE if the fee payer has less than it needs */
export function requireFees({ address, held, least, inWords, report }: Held): void {
  if (held >= least) return;
  const error = new ScripError(
    'FACILITATOR_UNAVAILABLE',
    t`No payments are accepted: the fee payer ${address} has ${inWords(held)}, less than its minimum of ${inWords(least)}`,
    { details: { retryAfterMs: REFILL_RETRY_MS } },
  );
  report?.(error);
  throw error;
}
