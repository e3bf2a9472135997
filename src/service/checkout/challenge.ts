/** Phase 1: prices the order, opens a session and answers 402 (interface: POST /v1/orders). */

import { postOrder, type WireOrderRequest } from '../../contract/checkout.ts';
import { PROBLEM_CODES } from '../../contract/codes.ts';
import {
  encodeHeader,
  PAYMENT_IDENTIFIER,
  PAYMENT_IDENTIFIER_OFFER,
  PAYMENT_REQUIRED_HEADER,
  type PaymentRequired,
  type PaymentRequirement,
  SESSION_HEADER,
  X402_VERSION,
} from '../../contract/x402.ts';
import { type WebhookRules, webhookProblem } from '../../domain/address/webhook-address.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import type { CheckoutRail } from '../../rails/merchant-rail.ts';
import type { SessionRow } from '../../store/tables/sessions.ts';
import { SINGLE } from '../../store/writes.ts';
import { faceValueUsd } from '../catalog/pricing.ts';
import { sha256Hex } from '../digest.ts';
import type { GuessGate } from '../http/rate-limits.ts';
import {
  isRefusal,
  jsonReply,
  PRIVATE_HEADERS,
  type Refusal,
  refuse,
  type WireErrorCode,
} from '../http/replies.ts';
import type { Answer } from '../http/route.ts';
import type { ChallengeGate } from '../http/traffic.ts';
import { newSessionId } from '../identifiers.ts';
import type { Limits, ServiceOptions } from '../options.ts';
import { spentUsd } from '../partner/rules/assessment.ts';
import type { OrderLine, PartnerPolicy } from '../partner/rules/order-context.ts';
import {
  firstProductProblem,
  type ProductProblem,
  type ProductProblemCode,
} from '../partner/rules/rules.ts';
import type { WebhookKeys } from '../webhooks/webhook-signature.ts';
import { describeLines, encodeLine, type PricedLine, priceLines, totalAtomic } from './line.ts';
import type { SignedTerms } from './signed-terms.ts';

export type Checkout = ServiceOptions & {
  readonly limits: Limits;
  readonly guesses: GuessGate;
  readonly challenges: ChallengeGate;
  readonly webhookKeys: WebhookKeys | undefined;
  readonly webhookRules: WebhookRules;
  readonly terms: SignedTerms;
};

/** Prices the order and answers 402 with a new session. */
export async function challenge(checkout: Checkout, order: WireOrderRequest): Promise<Answer> {
  const problem = order.callback_url && webhookProblem(order.callback_url, checkout.webhookRules);
  if (problem) return refuse('invalid_request', `callback_url: ${problem}`);
  const lines = await priceLines(checkout, order.items);
  if (isRefusal(lines)) return lines;
  const refused = await refuseProducts(checkout, order, lines);
  if (refused) return refused;
  const unavailable = await checkSupply(checkout, lines);
  if (unavailable) return unavailable;
  const session = await openSession(checkout, order, lines);
  return paymentRequiredReply(checkout, session, {
    error: 'payment_required',
    message: `Send the same request again with ${SESSION_HEADER} and a signed payment.`,
  });
}

/** Hashes the order for its session: phase 2 must send an equal body; spacing and key order may differ. */
export function hashBody(order: WireOrderRequest): string {
  return sha256Hex(canonicalJson(order));
}

interface Why {
  readonly error: 'payment_required' | 'payment_invalid';
  readonly message: string;
  /** The facilitator's reason, if it refused a payment. */
  readonly reason?: string;
}

/** The 402 of a session: header and body contain the same JSON (x402 v2 clients read only the header). */
export async function paymentRequiredReply(
  { baseUrl, terms }: Pick<Checkout, 'baseUrl' | 'terms'>,
  session: SessionRow,
  why: Why,
): Promise<Response> {
  const { bazaarOf } = await import('../discovery/bazaar.ts');
  const { items }: WireOrderRequest = JSON.parse(session.body);
  const requirements = requirementsOf(session);
  const [requirement] = requirements;
  const envelope: PaymentRequired = {
    x402Version: X402_VERSION,
    ...why,
    resource: {
      url: baseUrl + postOrder.path,
      description: requirement.description ?? 'Order',
      mimeType: 'application/json',
    },
    expiresAt: Math.floor(session.expiresAtMs / 1000),
    accepts: requirements.map((one) => withSession(one, session)),
    extensions: {
      [PAYMENT_IDENTIFIER]: PAYMENT_IDENTIFIER_OFFER,
      ...terms.offers(requirements, session.expiresAtMs),
      ...(items[0] && { bazaar: bazaarOf(baseUrl, items[0]) }),
    },
  };
  return jsonReply(envelope, 402, {
    ...PRIVATE_HEADERS,
    [PAYMENT_REQUIRED_HEADER]: encodeHeader(envelope),
    [SESSION_HEADER]: session.sessionId,
  });
}

/**
 * Clients of the public standard echo the requirement but not the header, so it also contains the
 * session.
 */
function withSession(
  requirement: PaymentRequirement,
  { sessionId }: SessionRow,
): PaymentRequirement {
  return { ...requirement, extra: { ...requirement.extra, sessionId } };
}

/** Checked before payment: a refusal costs the buyer nothing. */
async function checkSupply(
  { supplier, report }: Checkout,
  lines: readonly PricedLine[],
): Promise<Refusal | undefined> {
  try {
    const answers = await Promise.all(lines.map((line) => supplier.check(line)));
    const index = answers.indexOf('out_of_stock');
    const line = lines[index];
    return line && refuse('out_of_stock', `items.${index}: ${line.product.name} is out of stock.`);
  } catch (error) {
    report?.(error);
    return refuse('supplier_error', 'The supplier of this product cannot be reached.');
  }
}

/** The requirements of a session, one for each network that it may be paid on. */
export function requirementsOf({
  requirement,
  otherRequirements,
}: Pick<SessionRow, 'requirement' | 'otherRequirements'>): [
  PaymentRequirement,
  ...PaymentRequirement[],
] {
  return [JSON.parse(requirement), ...JSON.parse(otherRequirements ?? '[]')];
}

/** The requirement on a network; undefined if the session may not be paid there. */
export function requirementOn(
  session: Pick<SessionRow, 'requirement' | 'otherRequirements'>,
  network: string,
): PaymentRequirement | undefined {
  return requirementsOf(session).find((one) => one.network === network);
}

export function railOn(
  { rails }: Pick<ServiceOptions, 'rails'>,
  network: string | undefined,
): CheckoutRail | undefined {
  return rails.find((rail) => rail.network === network);
}

type Offer = Awaited<ReturnType<CheckoutRail['requirement']>> & { readonly rail: CheckoutRail };

/**
 * What the rails that can settle a payment now ask for: no payment is asked for while a fee payer
 * cannot pay the network's fee.
 * @throws {ScripError} FACILITATOR_UNAVAILABLE if there is none
 */
async function offersOf(
  { rails, report }: Checkout,
  terms: Parameters<CheckoutRail['requirement']>[0],
): Promise<[Offer, ...Offer[]]> {
  const asked = rails.map(async (rail) => {
    await rail.facilitator.checkFunds();
    return { ...(await rail.requirement(terms)), rail };
  });
  const results = await Promise.allSettled(asked);
  const [first, ...more] = results.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const faults = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  if (first === undefined) throw faults[0];
  for (const fault of faults) report?.(fault);
  return [first, ...more];
}

async function openSession(
  checkout: Checkout,
  order: WireOrderRequest,
  lines: readonly PricedLine[],
): Promise<SessionRow> {
  const { store, clock, random, limits } = checkout;
  const sessionId = newSessionId(random);
  const amountAtomic = totalAtomic(lines);
  const description = describeLines(lines);
  const [{ requirement, destination, rail }, ...others] = await offersOf(checkout, {
    amountAtomic,
    description,
  });
  const createdAtMs = clock.now();
  const session: SessionRow = {
    sessionId,
    bodyHash: hashBody(order),
    body: canonicalJson(order),
    payTo: requirement.payTo,
    destination: rail.payTo === undefined ? destination : `shared ${sessionId}`,
    amountAtomic: amountAtomic.toString(),
    requirement: JSON.stringify(requirement),
    otherRequirements:
      others.length === 0 ? null : JSON.stringify(others.map((offer) => offer.requirement)),
    lines: JSON.stringify(lines.map(encodeLine)),
    createdAtMs,
    expiresAtMs: createdAtMs + limits.sessionTtlMs,
  };
  await store.write(({ sessions }) => sessions.insert(session), SINGLE);
  return session;
}

// Applies the partner API's product rules on the checkout host, with its own codes.

const ERRORS: Readonly<Record<ProductProblemCode, WireErrorCode>> = {
  NOT_AVAILABLE_PRODUCT: 'product_not_found',
  OUT_OF_STOCK: 'out_of_stock',
  NOT_ACTIVE: 'not_active',
  LOGIN_REQUIRED: 'login_required',
  KYC_MISSING: 'kyc_missing',
  KYC_PENDING: 'kyc_pending',
  VERIFICATION_REQUIRED: 'verification_required',
};

/**
 * Returns the refusal if a product may not be bought by this account; without a policy only the
 * catalog decides.
 */
async function refuseProducts(
  { partner, rates, store, clock }: ServiceOptions,
  { email }: Pick<WireOrderRequest, 'email'>,
  priced: readonly PricedLine[],
): Promise<Refusal | undefined> {
  const policy = partner?.policy;
  const order = { lines: priced.map((line) => orderLine(policy, rates, line)) };
  const account = email.toLowerCase();
  const problem = firstProductProblem(
    order,
    policy && {
      customer: policy.customer(account),
      limits: policy.limits,
      spentUsd: await spentUsd(store.tables, account, clock.now()),
    },
  );
  return problem && refusalOf(problem, priced);
}

function orderLine(
  policy: PartnerPolicy | undefined,
  rates: ServiceOptions['rates'],
  { product, faceValue, priceAtomic: priceUsd, beneficiary }: PricedLine,
): OrderLine {
  const valueUsd = faceValueUsd(product, faceValue, rates);
  const flags = policy?.flagsOf(product, faceValue) ?? [];
  const { name: brandName, countryCode } = product.brand;
  const goods = { product, faceValue, valueUsd, priceUsd, flags };
  return { brandName, countryCode, beneficiary, goods };
}

/** Names the item's index, unless the problem is the account or the amount. */
function refusalOf(
  { problem, moreDetails }: ProductProblem,
  lines: readonly PricedLine[],
): Refusal {
  const { meaning } = PROBLEM_CODES[problem];
  const index = placeOf(moreDetails);
  const line = index === undefined ? undefined : lines[index];
  const told = meaning.charAt(0).toLowerCase() + meaning.slice(1);
  const message = line ? `items.${index}: ${line.product.name}: ${told}.` : `${meaning}.`;
  // The body is at fault, even if the code has another status elsewhere.
  return refuse(ERRORS[problem], message, { status: 400 });
}

function placeOf(details: ProductProblem['moreDetails']): number | undefined {
  if (!('deliveries' in details) || !Array.isArray(details.deliveries)) return undefined;
  return details.deliveries[0]?.index;
}
