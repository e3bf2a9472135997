/** Phase 1: prices the order, opens a session and answers 402 (interface: POST /v1/orders). */
import { postOrder, type WireOrderRequest } from '../contract/checkout.ts';
import {
  encodeHeader,
  PAYMENT_IDENTIFIER,
  PAYMENT_IDENTIFIER_OFFER,
  PAYMENT_REQUIRED_HEADER,
  type PaymentRequired,
  type PaymentRequirement,
  SESSION_HEADER,
  X402_VERSION,
} from '../contract/x402.ts';
import { canonicalJson } from '../domain/canonical-json.ts';
import { type WebhookRules, webhookProblem } from '../domain/webhook-address.ts';
import type { SessionRow } from '../store/tables/sessions.ts';
import { SINGLE } from '../store/writes.ts';
import type { ChallengeGate } from './challenge-gate.ts';
import { sha256Hex } from './digest.ts';
import { isRefusal, type Refusal, refuse } from './errors.ts';
import type { GuessGate } from './guesses.ts';
import { newSessionId } from './identifiers.ts';
import { describeLines, encodeLine, type PricedLine, priceLines, totalAtomic } from './line.ts';
import type { Limits, ServiceOptions } from './options.ts';
import { refuseProducts } from './product-problem.ts';
import { jsonReply, PRIVATE_HEADERS } from './reply.ts';
import type { Answer } from './route.ts';
import type { WebhookKeys } from './webhook-signature.ts';

export type Checkout = ServiceOptions & {
  readonly limits: Limits;
  readonly guesses: GuessGate;
  readonly challenges: ChallengeGate;
  readonly webhookKeys: WebhookKeys | undefined;
  readonly webhookRules: WebhookRules;
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
  // Ask for no payment while the fee payer cannot pay the network's fee.
  await checkout.facilitator.checkFunds();
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
export function paymentRequiredReply(
  { baseUrl }: Pick<ServiceOptions, 'baseUrl'>,
  session: SessionRow,
  why: Why,
): Response {
  const requirement: PaymentRequirement = JSON.parse(session.requirement);
  const envelope: PaymentRequired = {
    x402Version: X402_VERSION,
    ...why,
    resource: {
      url: baseUrl + postOrder.path,
      description: requirement.description ?? 'Order',
      mimeType: 'application/json',
    },
    expiresAt: Math.floor(session.expiresAtMs / 1000),
    accepts: [withSession(requirement, session)],
    extensions: { [PAYMENT_IDENTIFIER]: PAYMENT_IDENTIFIER_OFFER },
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

async function openSession(
  { store, rail, clock, random, limits }: Checkout,
  order: WireOrderRequest,
  lines: readonly PricedLine[],
): Promise<SessionRow> {
  const sessionId = newSessionId(random);
  const amountAtomic = totalAtomic(lines);
  const description = describeLines(lines);
  const { requirement, destination } = await rail.requirement({ amountAtomic, description });
  const createdAtMs = clock.now();
  const session: SessionRow = {
    sessionId,
    bodyHash: hashBody(order),
    body: canonicalJson(order),
    payTo: requirement.payTo,
    destination: rail.payTo === undefined ? destination : `shared ${sessionId}`,
    amountAtomic: amountAtomic.toString(),
    requirement: JSON.stringify(requirement),
    lines: JSON.stringify(lines.map(encodeLine)),
    createdAtMs,
    expiresAtMs: createdAtMs + limits.sessionTtlMs,
  };
  await store.write(({ sessions }) => sessions.insert(session), SINGLE);
  return session;
}
