/**
 * Phase 2: a signed payment for a session. Idempotent by session and by message, for as long as the
 * rows live: expiry, restart and delivery change nothing about the answer to a repeat.
 */
import type { WireOrderRequest } from '../contract/checkout.ts';
import {
  decodeHeader,
  type PaymentPayload,
  type PaymentRequirement,
  paymentPayload,
  SESSION_HEADER,
} from '../contract/x402.ts';
import type { MerchantRail, PaymentFacts } from '../rails/rail.ts';
import type { DeliveryRow, SessionRow, SettlementRow } from '../storage/checkout-orders.ts';
import type { Store, Tables } from '../storage/store.ts';
import { type Checkout, hashBody, paymentRequiredReply } from './challenge.ts';
import { isRefusal, type Refusal, refuse } from './errors.ts';
import { newDeliveryId, newOrderId } from './identifiers.ts';
import { decodeLine } from './line.ts';
import { recordCheckoutStatus } from './order-events.ts';
import { receiptReply, settlementFailedReply } from './receipt.ts';
import type { Answer } from './route.ts';
import { advanceSettlement } from './settlement.ts';

/** Ours: a payment header is about 1 kB; no list of extensions makes it larger than this. */
const MAX_HEADER_CHARACTERS = 8192;

interface Payment {
  readonly payload: PaymentPayload;
  readonly facts: PaymentFacts;
}

interface PaymentHeaders {
  readonly signature: string;
  readonly sessionId: string | null;
}

/** Verifies, records and settles; or repeats what was answered before. */
export async function pay(
  checkout: Checkout,
  order: WireOrderRequest,
  headers: PaymentHeaders,
): Promise<Answer> {
  const payment = readPayment(checkout.rail, headers.signature);
  if (isRefusal(payment)) return payment;
  const session = await findSession(checkout.store, payment, headers.sessionId);
  if (isRefusal(session)) return session;
  if ((await hashBody(order)) !== session.bodyHash) {
    return refuse('body_mismatch', 'The body is not the one that this session was opened with.');
  }
  const settlement =
    (await findSettlement(checkout.store.tables, session, payment)) ??
    (await start(checkout, order, { session, payment }));
  if (settlement instanceof Response || isRefusal(settlement)) return settlement;
  return conclude(checkout, settlement);
}

/** Decodes the header and looks into the signed bytes; what it says elsewhere is a hint at most. */
function readPayment(rail: MerchantRail, header: string): Payment | Refusal {
  const decoded =
    header.length > MAX_HEADER_CHARACTERS
      ? undefined
      : paymentPayload().safeParse(decodeHeader(header));
  if (!decoded?.success) {
    return refuse('payment_malformed', 'PAYMENT-SIGNATURE is not an x402 payment payload.');
  }
  const payload = decoded.data;
  const terms = [payload.accepted, payload].filter((side) => side?.network !== undefined);
  if (terms.length === 0) {
    return refuse('payment_malformed', 'The payment names no network.');
  }
  if (
    terms.some((side) => side?.network !== rail.network || (side.scheme ?? 'exact') !== 'exact')
  ) {
    return refuse('network_not_supported', `Payments are taken on ${rail.network}, scheme exact.`);
  }
  return { payload, facts: rail.inspect(payload) };
}

/**
 * The session is named by X-Session-Id, and by the account that the signed transaction credits,
 * since every session has one of its own: clients of the public standard send no header.
 */
async function findSession(
  { tables: { sessions } }: Store,
  { payload, facts }: Payment,
  sessionId: string | null,
): Promise<SessionRow | Refusal> {
  if (sessionId === null && !payload.accepted) {
    return refuse('session_required', `${SESSION_HEADER} is required with this payment.`);
  }
  const paid = await sessions.byDestination(facts.destination);
  const named = sessionId === null ? paid : await sessions.byId(sessionId);
  if (!named) return refuse('session_unknown', 'No payment session fits this payment.');
  // A destination of no session at all is the facilitator's to refuse: it knows the reason.
  if (paid && paid.sessionId !== named.sessionId) {
    return refuse('session_mismatch', `The payment is not for the session in ${SESSION_HEADER}.`);
  }
  return named;
}

/** What this session or this message has come to already. */
async function findSettlement(
  { settlements }: Tables,
  { sessionId }: SessionRow,
  { facts: { messageHash } }: Payment,
): Promise<SettlementRow | Refusal | undefined> {
  const ofSession = await settlements.bySession(sessionId);
  if (ofSession?.messageHash === messageHash) return ofSession;
  if (ofSession) {
    return refuse('session_used', 'This session has its payment already; another is never taken.');
  }
  if (await settlements.byMessage(messageHash)) {
    return refuse('duplicate_settlement', 'This payment was made for another session.');
  }
  return undefined;
}

interface Started {
  readonly session: SessionRow;
  readonly payment: Payment;
}

/** First sight of this payment: nothing is promised before the rows are durable. */
async function start(
  checkout: Checkout,
  order: WireOrderRequest,
  started: Started,
): Promise<SettlementRow | Answer> {
  const { session, payment } = started;
  if (session.expiresAtMs <= checkout.clock.now()) {
    return refuse('session_expired', 'The payment session is over; order again for a new one.');
  }
  const requirement: PaymentRequirement = JSON.parse(session.requirement);
  const verdict = await checkout.facilitator.verify(payment.payload, requirement);
  if (!verdict.isValid) {
    return paymentRequiredReply(checkout, session, {
      error: 'payment_invalid',
      message: verdict.invalidMessage ?? 'The facilitator refused the payment.',
      reason: verdict.invalidReason ?? 'unknown',
    });
  }
  return claim(checkout, order, started);
}

/**
 * The one transaction that makes it an order. Whoever comes second, in this process or another,
 * finds the first one's rows here: no two settlements of a session or of a message can exist.
 */
function claim(
  { store, clock, random }: Checkout,
  order: WireOrderRequest,
  { session, payment }: Started,
): Promise<SettlementRow | Refusal> {
  const atMs = clock.now();
  const settlement = newSettlement(session, payment, { orderId: newOrderId(random), atMs });
  const { orderId } = settlement;
  return store.write(async (tables) => {
    const existing = await findSettlement(tables, session, payment);
    if (existing) return existing;
    const row = {
      orderId,
      sessionId: session.sessionId,
      email: order.email,
      status: 'processing' as const,
      callbackUrl: order.callback_url ?? null,
      createdAtMs: atMs,
      updatedAtMs: atMs,
    };
    await tables.settlements.insert(settlement);
    await tables.orders.insert(row, newDeliveries(session, { orderId, random, atMs }));
    await recordCheckoutStatus(tables, row, atMs);
    return settlement;
  });
}

function newSettlement(
  { sessionId }: SessionRow,
  { payload, facts }: Payment,
  { orderId, atMs }: { readonly orderId: string; readonly atMs: number },
): SettlementRow {
  return {
    messageHash: facts.messageHash,
    sessionId,
    orderId,
    payload: JSON.stringify(payload),
    payer: facts.payer,
    state: 'submitting',
    transaction: null,
    reason: null,
    createdAtMs: atMs,
    settledAtMs: null,
  };
}

function newDeliveries(
  session: SessionRow,
  { orderId, random, atMs }: Pick<Checkout, 'random'> & { orderId: string; atMs: number },
): DeliveryRow[] {
  const lines: readonly string[] = JSON.parse(session.lines);
  return lines.map((goods, line) => ({
    deliveryId: newDeliveryId(random),
    orderId,
    line,
    beneficiary: decodeLine(goods).beneficiary,
    goods,
    state: 'waiting',
    attempts: 0,
    nextAttemptAtMs: atMs,
    voucher: null,
    failureReason: null,
  }));
}

/** From here on nothing is refused that might have been paid: an unknown outcome is 200, processing. */
async function conclude(checkout: Checkout, settlement: SettlementRow): Promise<Answer> {
  const { row, pendingTransaction } = await advanceSettlement(checkout, settlement);
  return row.state === 'failed'
    ? settlementFailedReply(checkout, row)
    : receiptReply(checkout, row, pendingTransaction);
}
