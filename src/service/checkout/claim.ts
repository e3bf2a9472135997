/** Settlements of a payment: finds existing ones, and creates a new one in one transaction. */
import type { WireOrderRequest } from '../../contract/checkout.ts';
import { type PaymentPayload, type PaymentRequirement, X402_VERSION } from '../../contract/x402.ts';
import type { Tables } from '../../store/store.ts';
import type { DeliveryRow } from '../../store/tables/deliveries.ts';
import type { SessionRow } from '../../store/tables/sessions.ts';
import type { SettlementRow } from '../../store/tables/settlements.ts';
import type { Invariant } from '../../store/writes.ts';
import { isRefusal, type Refusal, refuse } from '../http/replies.ts';
import { newDeliveryId, newOrderId } from '../identifiers.ts';
import type { Checkout } from './challenge.ts';
import { decodeLine } from './line.ts';
import { recordCheckoutStatus } from './order-events.ts';
import type { Payment } from './payment-header.ts';

/** Finds the settlement with the payment's identifier; refuses if it belongs to another order. */
export async function findNamed(
  { settlements, sessions }: Tables,
  { paymentId, facts, sessionIds: [sessionId] }: Payment,
  bodyHash: string,
): Promise<SettlementRow | Refusal | undefined> {
  if (paymentId === null) return undefined;
  const named = await settlements.byPaymentId(paymentId);
  if (!named) return undefined;
  const isSameOrder = (await sessions.byId(named.sessionId))?.bodyHash === bodyHash;
  const own =
    (await settlements.byMessage(facts.messageHash)) ??
    (sessionId === undefined ? undefined : await settlements.bySession(sessionId));
  // A payment that failed for good does not count: its buyer paid under the same identifier from elsewhere.
  const isFree = own === undefined || own.state === 'failed' || own.orderId === named.orderId;
  if (isSameOrder && isFree) return named;
  return refuse(
    'payment_identifier_mismatch',
    'The payment identifier belongs to another order or payment.',
  );
}

/** Finds the settlement of this session or message. */
async function findSettlement(
  { settlements }: Tables,
  session: SessionRow,
  payment: Payment,
): Promise<SettlementRow | Refusal | undefined> {
  const { messageHash } = payment.facts;
  const found = await settlements.ofPayment({ sessionId: session.sessionId, messageHash });
  return acceptSettlement(found, session, payment);
}

/** Refuses a settlement that is of the session alone, or of the message alone. */
function acceptSettlement(
  found: SettlementRow | undefined,
  { sessionId }: SessionRow,
  { facts: { messageHash }, paymentId }: Payment,
): SettlementRow | Refusal | undefined {
  if (found && found.sessionId !== sessionId) {
    return refuse('duplicate_settlement', 'This payment was made for another session.');
  }
  if (found && found.messageHash !== messageHash) {
    return refuse('session_used', 'This session already has a payment and accepts no other.');
  }
  const kept = found?.paymentId ?? null;
  if (kept !== null && paymentId !== null && kept !== paymentId) {
    // A success would suggest that the new identifier is recorded.
    return refuse(
      'payment_identifier_mismatch',
      'This payment was made under another payment identifier.',
    );
  }
  return found;
}

/**
 * Returns the settlement of this session or message, if the store has one. One without an
 * identifier, made at `/settle`, gets the first identifier that its buyer sends.
 * @param read what the store had for both just now
 */
export async function findAgain(
  { store }: Checkout,
  session: SessionRow,
  payment: Payment,
  read: SettlementRow | undefined,
): Promise<SettlementRow | Refusal | undefined> {
  const found = acceptSettlement(read, session, payment);
  const { paymentId } = payment;
  if (!found || isRefusal(found) || paymentId === null || found.paymentId === paymentId) {
    return found;
  }
  return store.write(async (tables) => {
    await tables.holds.take(`payment ${paymentId}`, `session ${session.sessionId}`);
    const named = await findNamed(tables, payment, session.bodyHash);
    if (named) return named;
    await tables.settlements.name(found.messageHash, paymentId);
    return findSettlement(tables, session, payment);
  });
}

/** The payload for the facilitator, possibly another operator's: without session and payment identifier. */
export function settledPayload(
  accepted: PaymentRequirement,
  { facts: { payload } }: Payment,
): PaymentPayload {
  return { x402Version: X402_VERSION, accepted, payload };
}

/** A payment, its session, and what the session asks for on the payment's network. */
export interface Payable {
  readonly session: SessionRow;
  readonly payment: Payment;
  readonly requirement: PaymentRequirement;
}

/** A settlement, with the lines of its order if that was made just now. */
export interface Claimed {
  readonly settlement: SettlementRow;
  readonly lines?: readonly DeliveryRow[] | undefined;
}

/**
 * Creates order and settlement in one transaction. A second caller, in any process, finds the first
 * one's rows: a session, a message and a payment identifier have at most one settlement each.
 */
export function claim(
  { store, clock, random }: Checkout,
  order: WireOrderRequest,
  payable: Payable,
): Promise<Claimed | Refusal> {
  const { session, payment } = payable;
  const atMs = clock.now();
  const settlement = newSettlement(payable, { orderId: newOrderId(random), atMs });
  const { orderId } = settlement;
  return store.write(async (tables) => {
    await tables.holds.take(...whatIsPaid(session, payment));
    const existing =
      (await findNamed(tables, payment, session.bodyHash)) ??
      (await findSettlement(tables, session, payment));
    if (existing) return isRefusal(existing) ? existing : { settlement: existing };
    // Its person may have been erased since it was read: it takes no payment then.
    if ((await tables.sessions.byId(session.sessionId))?.bodyHash !== session.bodyHash) {
      return refuse('session_unknown', 'The payment session is gone: order again.');
    }
    const row = {
      orderId,
      sessionId: session.sessionId,
      email: order.email,
      status: 'processing' as const,
      callbackUrl: order.callback_url ?? null,
      amountAtomic: session.amountAtomic,
      createdAtMs: atMs,
      updatedAtMs: atMs,
    };
    await store.presence.note(tables);
    await tables.settlements.insert(settlement);
    const lines = newDeliveries(session, { orderId, random, atMs });
    await tables.orders.insert(row, lines);
    await recordCheckoutStatus(tables, row, atMs);
    return { settlement, lines };
  });
}

/** The names to lock: each has at most one settlement. */
function whatIsPaid({ sessionId }: SessionRow, { facts, paymentId }: Payment): Invariant[] {
  const named: Invariant[] = paymentId === null ? [] : [`payment ${paymentId}`];
  return [...named, `session ${sessionId}`, `message ${facts.messageHash}`];
}

function newSettlement(
  { session, payment, requirement }: Payable,
  { orderId, atMs }: { readonly orderId: string; readonly atMs: number },
): SettlementRow {
  const { messageHash, payer } = payment.facts;
  return {
    messageHash,
    sessionId: session.sessionId,
    orderId,
    payload: JSON.stringify(settledPayload(requirement, payment)),
    payer,
    network: requirement.network,
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
    codeDigest: null,
    fault: null,
  }));
}
