/** The embedded facilitator: verifies an authorization, pays its gas, and settles each nonce of a payer once. */

import {
  type PaymentPayload,
  type PaymentRequirement,
  type SettleResponse,
  type VerifyResponse,
  X402_VERSION,
} from '../../contract/x402.ts';
import { expected } from '../../domain/attempt.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { requiredAmount } from '../../domain/payment/payment.ts';
import type { Claim, Facilitator, PayerBudget, SettleOptions } from '../merchant-rail.ts';
import { nonceKey } from './authorization.ts';
import {
  checkPayment,
  refuseByTime,
  SIGNATURE_REASON,
  sentenceOf,
  type Verdict,
} from './checks.ts';
import { asFlag } from './fate.ts';
import { checkFloor, gasOf, MOST_GAS } from './fee-account.ts';
import {
  claimOf,
  followClaim,
  type LandedAt,
  type SettlementParts,
  signedOf,
} from './settlement.ts';
import { balanceCall, stateCall } from './usdc.ts';

export interface FacilitatorOptions extends SettlementParts {
  /** Without a budget, a payer may fail as often as it likes. */
  readonly budget?: PayerBudget;
  /** Payments of this amount or more count once their block is final, smaller ones at once. */
  readonly finalFromAtomic?: bigint | undefined;
}

type ValidVerdict = Extract<Verdict, { readonly isValid: true }>;

const FAILED = 'invalid_exact_evm_transaction_failed';
const EXPIRED = 'invalid_exact_evm_authorization_expired';
const DUPLICATE = 'duplicate_settlement';

export function createEvmFacilitator(options: FacilitatorOptions): Facilitator {
  const { network, feeAccount } = options;
  const check = (payload: PaymentPayload, requirement: PaymentRequirement) =>
    checkPayment(payload, requirement, { network, feeAccount: feeAccount.address });
  /** Settlements running in this process; claims in the store keep other processes apart. */
  const running = new Map<string, Promise<SettleResponse>>();
  return {
    supported: async () => ({
      kinds: [
        {
          ...{ x402Version: X402_VERSION, scheme: 'exact', network: network.network },
          extra: { name: network.name, version: network.version },
        },
      ],
      extensions: [],
      signers: { 'eip155:*': [feeAccount.address] },
    }),
    checkFunds: () => orUnavailable(checkFloor(options)),
    verify: (payload, requirement) => verify(options, check(payload, requirement), requirement),
    settle: async (payload, requirement, { signal } = {}) => {
      const verdict = check(payload, requirement);
      if (!verdict.isValid) return refusal(options, verdict.reason, verdict.payer);
      // Not by the nonce: what settles one authorization says nothing about another one with it.
      const key = JSON.stringify(verdict.signed.authorization);
      const settling =
        running.get(key) ??
        settle(options, verdict, { requirement, signal }).finally(() => running.delete(key));
      running.set(key, settling);
      return settling;
    },
  };
}

async function verify(
  options: FacilitatorOptions,
  verdict: Verdict,
  requirement: PaymentRequirement,
): Promise<VerifyResponse> {
  const invalid = (reason: string, payer: string | undefined) => {
    const sentence = sentenceOf(reason, requirement);
    return {
      ...{ isValid: false, invalidReason: reason },
      ...(sentence === undefined ? {} : { invalidMessage: sentence }),
      ...(payer === undefined ? {} : { payer }),
    };
  };
  if (!verdict.isValid) return invalid(verdict.reason, verdict.payer);
  const { authorization } = verdict.signed;
  const reason = await refuseNow(options, verdict, requirement);
  // Asked last, since its claim is stored before the chain shows it. A settled payment is on record for its
  // caller: for another caller it pays nothing, since all can read it on the chain.
  const claim = await options.claims.byMessage(nonceKey(options.network, authorization));
  const said = claim ? (reasonOf(claim) ?? DUPLICATE) : reason;
  return said === undefined
    ? { isValid: true, payer: authorization.from }
    : invalid(said, authorization.from);
}

async function settle(
  options: FacilitatorOptions,
  verdict: ValidVerdict,
  { requirement, signal }: SettleOptions & { readonly requirement: PaymentRequirement },
): Promise<SettleResponse> {
  const { authorization } = verdict.signed;
  const payer = authorization.from;
  const messageHash = nonceKey(options.network, authorization);
  const known = await options.claims.byMessage(messageHash);
  const reason = known ? undefined : await refuseNow(options, verdict, requirement);
  // Without the payer's signature a refusal must not stand in the way of what the payer signs.
  if (reason !== undefined && !verdict.isOfKey) return refusal(options, reason, payer);
  const made = { messageHash, atMs: options.clock.now() };
  const claim =
    known ?? (await options.claims.claim(withReason(claimOf(verdict.signed, made), reason)));
  // Another authorization with the nonce of this one: at most one of them can land.
  if (JSON.stringify(signedOf(claim).authorization) !== JSON.stringify(authorization)) {
    return refusal(options, DUPLICATE, payer);
  }
  const { finalFromAtomic: from } = options;
  const isLarge = from !== undefined && requiredAmount(requirement) >= from;
  const landedAt: LandedAt = isLarge ? 'finalized' : 'confirmed';
  const outcome =
    claim.state === 'submitting'
      ? await followClaim(options, claim, { isNew: known === undefined, landedAt, signal })
      : claim;
  if (outcome?.state === 'landed') {
    const transaction = outcome.landedIn ?? claim.transaction;
    return { success: true, transaction, network: options.network.network, payer };
  }
  if (outcome !== undefined) {
    if (outcome.state === 'failed' && !isRefusal(claim)) {
      await options.budget?.note(payer, { messageHash, atMs: claim.createdAtMs });
    }
    return refusal(options, reasonOf({ ...claim, ...outcome }) ?? FAILED, payer);
  }
  const sent = await options.transactions.byMessage(messageHash);
  const pending = refusal(options, 'settlement_pending', payer);
  return { ...pending, transaction: sent?.transaction ?? messageHash };
}

/** A refusal is stored like a claim: its caller drops the order, so no other process may settle it later. */
function withReason(claim: Claim, reason: string | undefined): Claim {
  return reason === undefined ? claim : { ...claim, state: 'failed', reason };
}

/** Reasons of refusals are words of x402; those of claims that were sent name a transaction. */
function isRefusal({ state, reason }: Claim): boolean {
  return state === 'failed' && /^[a-z0-9_]+$/.test(reason ?? '');
}

function reasonOf(claim: Claim): string | undefined {
  if (isRefusal(claim)) return claim.reason ?? FAILED;
  if (claim.state === 'failed') return FAILED;
  return claim.state === 'expired' ? EXPIRED : undefined;
}

function refusal(
  { network }: Pick<FacilitatorOptions, 'network'>,
  errorReason: string,
  payer: string | undefined,
): SettleResponse {
  const said = { success: false, transaction: '', network: network.network, errorReason };
  return payer === undefined ? said : { ...said, payer };
}

/** Returns why a well-formed payment is refused now; checked before it is claimed. */
async function refuseNow(
  options: FacilitatorOptions,
  verdict: ValidVerdict,
  requirement: PaymentRequirement,
): Promise<string | undefined> {
  const { from } = verdict.signed.authorization;
  if (await options.budget?.isBlocked(from)) return 'invalid_exact_evm_payer_blocked';
  await orUnavailable(checkFloor(options));
  return orUnavailable(refuseByChain(options, verdict, requirement));
}

async function refuseByChain(
  options: FacilitatorOptions,
  { signed, isOfKey }: ValidVerdict,
  requirement: PaymentRequirement,
): Promise<string | undefined> {
  const { rpc, network } = options;
  const { authorization } = signed;
  const { from, value } = authorization;
  const [head, code, [used = '', held = '']] = await Promise.all([
    rpc.head('latest'),
    isOfKey ? '' : rpc.code(from),
    rpc.calls(network.asset, [stateCall(authorization), balanceCall(from)]),
  ]);
  // An account without code signs with its key alone.
  if (code === '0x') return SIGNATURE_REASON;
  const late = refuseByTime(authorization, requirement, head.time);
  if (late !== undefined) return late;
  if (asFlag(used)) return 'invalid_exact_evm_nonce_already_used';
  if (BigInt(held) < BigInt(value)) return 'invalid_exact_evm_insufficient_balance';
  const gas = await gasOf(options, signed);
  if (gas === undefined) return 'invalid_exact_evm_transaction_simulation_failed';
  return gas > MOST_GAS ? 'invalid_exact_evm_gas_too_high' : undefined;
}

/** Before anything is claimed, an unreachable chain costs nothing: report it and stop. */
function orUnavailable<T>(asked: Promise<T>): Promise<T> {
  return asked.catch(
    expected((cause) => {
      const sentence = t`The facilitator cannot reach the chain`;
      throw new ScripError('FACILITATOR_UNAVAILABLE', sentence, { cause });
    }, 'CHAIN_UNREACHABLE'),
  );
}
