/**
 * Phase 2: a signed payment for a session. Idempotent by session and by message, for as long as the
 * rows live: expiry, restart and delivery change nothing about the answer to a repeat.
 */
import type { WireOrderRequest } from '../contract/checkout.ts';
import { firstFault } from '../contract/plain-issues.ts';
import {
  decodeHeader,
  identifierExtension,
  PAYMENT_IDENTIFIER,
  type PaymentPayload,
  type PaymentRequirement,
  paymentIdentifier,
  paymentPayload,
  SESSION_HEADER,
  X402_VERSION,
} from '../contract/x402.ts';
import type { MerchantRail, PaymentFacts } from '../rails/rail.ts';
import type { DeliveryRow, SessionRow, SettlementRow } from '../storage/checkout-orders.ts';
import type { Tables } from '../storage/store.ts';
import { type Checkout, hashBody, paymentRequiredReply } from './challenge.ts';
import { isSameSecret } from './digest.ts';
import { isRefusal, type Refusal, refuse } from './errors.ts';
import { type Guesser, WRONG_ORDER } from './guesses.ts';
import { newDeliveryId, newOrderId } from './identifiers.ts';
import { decodeLine } from './line.ts';
import { recordCheckoutStatus } from './order-events.ts';
import { receiptReply, settlementFailedReply } from './receipt.ts';
import type { Answer } from './route.ts';
import { type Advanced, advanceSettlement } from './settlement.ts';

/** Ours: a payment header is about 1 kB; no list of extensions makes it larger than this. */
const MAX_HEADER_CHARACTERS = 8192;

interface Payment {
  readonly payload: PaymentPayload;
  readonly facts: PaymentFacts;
  /** Sessions that the caller named: in the header, and in the requirement that it echoes. */
  readonly sessionIds: readonly string[];
  /** The buyer's own name for the order (x402 extension `payment-identifier`). */
  readonly paymentId: string | null;
}

interface PaymentRequest {
  readonly signature: string;
  readonly sessionId: string | null;
  /** Of the caller's socket. */
  readonly address: string | undefined;
}

/** Verifies, records and settles; or repeats what was answered before. */
export async function pay(
  checkout: Checkout,
  order: WireOrderRequest,
  request: PaymentRequest,
): Promise<Answer> {
  const payment = readPayment(checkout.rail, request);
  if (isRefusal(payment)) return payment;
  const { messageHash } = payment.facts;
  const guesser = { address: request.address, messageHash };
  const answer = await answerPayment(checkout, order, { payment, guesser });
  const isWrong = isRefusal(answer) && WRONG_ORDER.has(answer.refusal);
  return (isWrong ? checkout.guesses.wrong(guesser) : undefined) ?? answer;
}

/** Decodes the header and looks into the signed bytes. */
function readPayment(
  rail: MerchantRail,
  { signature, sessionId }: Pick<PaymentRequest, 'signature' | 'sessionId'>,
): Payment | Refusal {
  const decoded =
    signature.length > MAX_HEADER_CHARACTERS
      ? undefined
      : paymentPayload().safeParse(decodeHeader(signature));
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
  const paymentId = readPaymentId(payload);
  if (typeof paymentId === 'object' && paymentId !== null) return paymentId;
  const sessionIds = [sessionId, echoedSession(payload)].filter((id) => typeof id === 'string');
  return { payload, facts: rail.inspect(payload), sessionIds, paymentId };
}

/** Of the requirement that came back; whatever else it says is not believed. */
function echoedSession({ accepted }: PaymentPayload): unknown {
  const extra = accepted?.extra;
  return typeof extra === 'object' && extra !== null && 'sessionId' in extra
    ? extra.sessionId
    : undefined;
}

/** The extension comes back without an id from clients that only echo it. */
function readPaymentId({ extensions }: PaymentPayload): string | null | Refusal {
  const extension = identifierExtension(extensions);
  if (extension === undefined) return null;
  const parsed = paymentIdentifier().safeParse(extension);
  if (parsed.success) return parsed.data.info.id ?? null;
  const fault = firstFault(paymentIdentifier(), extension);
  return refuse('payment_malformed', `${PAYMENT_IDENTIFIER}: ${fault}`);
}

interface Asked {
  readonly payment: Payment;
  readonly guesser: Guesser;
}

/**
 * What the chain shows of a payment is no credential, nor is the order, which can be guessed: whoever
 * asks shows the session, or the name that the buyer gave the order.
 */
async function answerPayment(
  checkout: Checkout,
  order: WireOrderRequest,
  { payment, guesser }: Asked,
): Promise<Answer> {
  const { tables } = checkout.store;
  const session = await findSession(tables, payment);
  if (session && isRefusal(session)) return session;
  const bodyHash = await hashBody(order);
  const named = await findNamed(tables, payment, bodyHash);
  if (named && isRefusal(named)) return named;
  if (named) {
    const isShown = named.sessionId === session?.sessionId;
    const held = isShown ? undefined : checkout.guesses.named(guesser);
    const answer = held ?? (await answerNamed(checkout, named, payment));
    if (answer) return answer;
  }
  if (!session)
    return refuse('session_required', `${SESSION_HEADER} is required with this payment.`);
  if (bodyHash !== session.bodyHash) {
    return refuse('body_mismatch', 'The body is not the one that this session was opened with.');
  }
  const settlement =
    (await findSettlement(tables, session, payment)) ??
    (await start(checkout, order, { session, payment, guesser }));
  if (settlement instanceof Response || isRefusal(settlement)) return settlement;
  return conclude(checkout, settlement);
}

/**
 * The session that the caller named, which has to be the one that the signed transaction credits:
 * every session has an account of its own.
 */
async function findSession(
  { sessions }: Pick<Tables, 'sessions'>,
  { facts, sessionIds }: Payment,
): Promise<SessionRow | Refusal | undefined> {
  if (sessionIds.length === 0) return undefined;
  const paid = await sessions.byDestination(facts.destination);
  if (paid && (await areAll(sessionIds, paid.sessionId))) return paid;
  const [named, ...others] = await Promise.all(sessionIds.map((id) => sessions.byId(id)));
  if (!named || others.includes(undefined)) {
    return refuse('session_unknown', `No payment session has the id in ${SESSION_HEADER}.`);
  }
  // A destination of no session at all is the facilitator's to refuse: it knows the reason.
  if (!paid && (await areAll(sessionIds, named.sessionId))) return named;
  return refuse('session_mismatch', `The payment is not for the session in ${SESSION_HEADER}.`);
}

async function areAll(sessionIds: readonly string[], sessionId: string): Promise<boolean> {
  const found = await Promise.all(sessionIds.map((id) => isSameSecret(id, sessionId)));
  return found.every(Boolean);
}

/** The order that goes by the payment's name, if there is one and it is this order. */
async function findNamed(
  { settlements, sessions }: Pick<Tables, 'settlements' | 'sessions'>,
  { paymentId, facts }: Payment,
  bodyHash: string,
): Promise<SettlementRow | Refusal | undefined> {
  if (paymentId === null) return undefined;
  const named = await settlements.byPaymentId(paymentId);
  if (!named) return undefined;
  const isSameOrder = (await sessions.byId(named.sessionId))?.bodyHash === bodyHash;
  const paid = await sessions.byDestination(facts.destination);
  const own =
    (await settlements.byMessage(facts.messageHash)) ??
    (paid && (await settlements.bySession(paid.sessionId)));
  if (isSameOrder && (!own || own.orderId === named.orderId)) return named;
  return refuse(
    'payment_identifier_mismatch',
    'The payment identifier belongs to another order or payment.',
  );
}

/** The order that is there already, whatever pays for it now; none when its own payment can never land. */
async function answerNamed(
  checkout: Checkout,
  named: SettlementRow,
  { facts: { messageHash } }: Payment,
): Promise<Answer | undefined> {
  const advanced = await advanceSettlement(checkout, named);
  const isFree = advanced.row.state === 'failed' && named.messageHash !== messageHash;
  return isFree ? undefined : reply(checkout, advanced);
}

/** What this session or this message has come to already. */
async function findSettlement(
  { settlements }: Pick<Tables, 'settlements'>,
  { sessionId }: SessionRow,
  { facts: { messageHash }, paymentId }: Payment,
): Promise<SettlementRow | Refusal | undefined> {
  const ofSession = await settlements.bySession(sessionId);
  if (ofSession && ofSession.messageHash !== messageHash) {
    return refuse('session_used', 'This session has its payment already; another is never taken.');
  }
  if (ofSession && paymentId !== null && ofSession.paymentId !== paymentId) {
    // Answered, the new name would be taken for one that is kept.
    return refuse(
      'payment_identifier_mismatch',
      'This payment was made under another payment identifier.',
    );
  }
  if (!ofSession && (await settlements.byMessage(messageHash))) {
    return refuse('duplicate_settlement', 'This payment was made for another session.');
  }
  return ofSession;
}

interface Started extends Asked {
  readonly session: SessionRow;
}

/** First sight of this payment: nothing is promised before the rows are durable. */
async function start(
  checkout: Checkout,
  order: WireOrderRequest,
  started: Started,
): Promise<SettlementRow | Answer> {
  const { session, payment, guesser } = started;
  if (session.expiresAtMs <= checkout.clock.now()) {
    return refuse('session_expired', 'The payment session is over; order again for a new one.');
  }
  const requirement: PaymentRequirement = JSON.parse(session.requirement);
  const verdict = await checkout.facilitator.verify(settledPayload(session, payment), requirement);
  if (!verdict.isValid) {
    // Counted too: a session of one's own and any transaction would do to guess at names of orders.
    const held = checkout.guesses.wrong(guesser);
    if (held) return held;
    return paymentRequiredReply(checkout, session, {
      error: 'payment_invalid',
      message: verdict.invalidMessage ?? 'The facilitator refused the payment.',
      reason: verdict.invalidReason ?? 'unknown',
    });
  }
  return claim(checkout, order, started);
}

/** What the facilitator is given, which may be somebody else's: no session, and no name of an order. */
function settledPayload({ requirement }: SessionRow, { payload }: Payment): PaymentPayload {
  const { transaction } = payload.payload;
  const accepted: PaymentRequirement = JSON.parse(requirement);
  return { x402Version: X402_VERSION, accepted, payload: { transaction } };
}

/**
 * The one transaction that makes it an order. Whoever comes second, in this process or another,
 * finds the first one's rows here: no two settlements of a session, of a message or of a name can exist.
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
    const existing =
      (await findNamed(tables, payment, session.bodyHash)) ??
      (await findSettlement(tables, session, payment));
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
  session: SessionRow,
  payment: Payment,
  { orderId, atMs }: { readonly orderId: string; readonly atMs: number },
): SettlementRow {
  const { messageHash, payer } = payment.facts;
  return {
    messageHash,
    sessionId: session.sessionId,
    orderId,
    payload: JSON.stringify(settledPayload(session, payment)),
    payer,
    paymentId: payment.paymentId,
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

async function conclude(checkout: Checkout, settlement: SettlementRow): Promise<Answer> {
  return reply(checkout, await advanceSettlement(checkout, settlement));
}

/** From here on nothing is refused that might have been paid: an unknown outcome is 200, processing. */
async function reply(checkout: Checkout, { row, pendingTransaction }: Advanced): Promise<Answer> {
  return row.state === 'failed'
    ? settlementFailedReply(checkout, row)
    : receiptReply(checkout, row, pendingTransaction);
}
