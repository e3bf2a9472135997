/** Inspects a host's payment request, check by check (phase 1 only). Signs and sends no payment. */

import type { Fetch } from '../../contract/fetch.ts';
import { firstFault } from '../../contract/plain-issues.ts';
import { type PaymentRequirement, paymentRequirement } from '../../contract/x402.ts';
import { unlessInterrupted } from '../../domain/attempt.ts';
import type { Clock } from '../../domain/clock.ts';
import type { PaidRequest } from '../../domain/journal/paid-request.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { Atomic } from '../../domain/money/money.ts';
import { challengeExpiry } from '../../domain/payment/payment.ts';
import {
  type Check,
  fail,
  type Judgement,
  likeliestOffer,
  offeredAmount,
  pass,
  requirementChecks,
} from '../../domain/payment/requirement-checks.ts';
import type { PayerRail } from '../../rails/rail.ts';
import { hostOf } from '../http/exchange.ts';
import {
  CHALLENGE_TIMEOUT_MS,
  type Challenge,
  challenge,
  challengeIn,
  sendRequest,
} from './checkout.ts';

export interface InspectDeps {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly rail: PayerRail;
  /** Address of the paying wallet, if there is one. */
  readonly payer: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What to inspect: the challenge for an order, or the answer to a request, which is sent as it is. */
export type Target =
  | { readonly kind: 'order'; readonly baseUrl: string; readonly body: string }
  | { readonly kind: 'address'; readonly request: PaidRequest };

export interface Inspection {
  /** As received, with unknown fields. */
  readonly offer: Readonly<Record<string, unknown>>;
  readonly offers: number;
  /** Which field names the amount. */
  readonly dialect: 'amount' | 'maxAmountRequired' | 'both' | 'none';
  readonly hasSession: boolean;
  readonly expiresAtMs: number;
  /** The token account that would be credited. */
  readonly recipientAccount: string | null;
  /** Amount to sign for; null if the amount check fails. */
  readonly amountAtomic: Atomic | null;
  /** Atomic units above the quote; null if either is missing. */
  readonly driftAtomic: bigint | null;
  readonly checks: readonly Check[];
}

/**
 * Requests a payment challenge and checks it.
 * @throws {ScripError} MERCHANT_REPLY_INVALID when the host requests no payment in a known form; the errors
 * of `challenge`; NETWORK_UNREACHABLE
 */
export async function inspect(
  deps: InspectDeps,
  target: Target,
  limits: Pick<Judgement, 'capAtomic' | 'quotedAtomic'>,
): Promise<Inspection> {
  const { required, receivedAtMs, sessionId } = await askFor(deps, target);
  const { rail } = deps;
  const { asset, decimals } = rail.usdc;
  const means = { network: rail.network, asset };
  const offer = likeliestOffer(required, means);
  const expiresAtMs = challengeExpiry(required, receivedAtMs);
  const requirement = paymentRequirement().safeParse(offer).data;
  const shared = {
    offer,
    offers: required.accepts.length,
    dialect: dialectOf(offer),
    hasSession: sessionId !== null,
    expiresAtMs,
  };
  if (requirement === undefined) {
    const checks = [malformed(offer, rail.network)];
    return { ...shared, recipientAccount: null, amountAtomic: null, driftAtomic: null, checks };
  }
  const amountAtomic = offeredAmount(requirement) ?? null;
  const { quotedAtomic } = limits;
  const judgement: Judgement = {
    ...means,
    ...limits,
    decimals,
    payer: deps.payer,
    expiresAtMs,
    nowMs: deps.clock.now(),
    isKeyAddress: rail.isKeyAddress,
    extra: rail.requirementChecks(requirement, deps.payer),
  };
  return {
    ...shared,
    recipientAccount: rail.recipientAccount(requirement.payTo) ?? null,
    amountAtomic,
    driftAtomic:
      amountAtomic === null || quotedAtomic === undefined ? null : amountAtomic - quotedAtomic,
    checks: [...requirementChecks(requirement, judgement), await recipientCheck(deps, requirement)],
  };
}

function askFor(deps: InspectDeps, target: Target): Promise<Challenge> {
  const { fetch, clock, signal } = deps;
  if (target.kind === 'address') return readAddress(deps, target.request);
  const network = deps.rail.name;
  return challenge({ fetch, baseUrl: target.baseUrl, body: target.body, clock, network, signal });
}

async function readAddress(deps: InspectDeps, request: PaidRequest): Promise<Challenge> {
  const { url } = request;
  const answer = await sendRequest(request, { ...deps, timeoutMs: CHALLENGE_TIMEOUT_MS });
  if (answer.status === 402) return challengeIn(answer, url, deps.clock);
  throw new ScripError('MERCHANT_REPLY_INVALID', t`${hostOf(url)} asks for no payment`, {
    hint: t`Name an address that answers the request with 402 and a payment requirement of x402 v2.`,
    details: { status: answer.status },
  });
}

function dialectOf(offer: Readonly<Record<string, unknown>>): Inspection['dialect'] {
  const [isPlain, isMax] = ['amount', 'maxAmountRequired'].map((name) => name in offer);
  if (isPlain && isMax) return 'both';
  if (isPlain) return 'amount';
  return isMax ? 'maxAmountRequired' : 'none';
}

function malformed(offer: Readonly<Record<string, unknown>>, network: string): Check {
  const what = firstFault(paymentRequirement(), offer);
  const how = t`${String(offer.scheme)} on ${String(offer.network)}`;
  return { check: 'form', state: 'fail', detail: t`${how} for ${network}; ${what}` };
}

/** Checks on the chain whether the payment would reach the recipient. */
function recipientCheck(
  { rail, payer }: InspectDeps,
  requirement: PaymentRequirement,
): Promise<Check> {
  return rail.checkRequirement(requirement, payer ?? '').then(
    () => pass('recipient', t`has an account that can receive the payment`),
    unlessInterrupted(({ sentence }) => fail('recipient', sentence)),
  );
}

export function failedChecks({ checks }: Inspection): readonly string[] {
  return checks.flatMap(({ check, state }) => (state === 'fail' ? [check] : []));
}
