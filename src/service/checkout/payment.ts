/**
 * Phase 2: a signed payment for a session. Idempotent by session, by message and by payment
 * identifier as long as the rows exist: a repeated request gets the same answer despite expiry,
 * restart or delivery.
 */

import {
  getOrder,
  type WireDelivery,
  type WireOrderReceipt,
  type WireOrderRequest,
  type WireOrderStatus,
} from '../../contract/checkout.ts';
import {
  encodeHeader,
  PAYMENT_RESPONSE_HEADER,
  SESSION_HEADER,
  type SettleResponse,
  type VerifyResponse,
} from '../../contract/x402.ts';
import { formatFaceValue } from '../../domain/product/product.ts';
import type { Tables } from '../../store/store.ts';
import type { DeliveryRow } from '../../store/tables/deliveries.ts';
import type { OrderRow } from '../../store/tables/orders.ts';
import type { SessionRow } from '../../store/tables/sessions.ts';
import type { SettlementRow } from '../../store/tables/settlements.ts';
import type { Voucher } from '../delivery/supplier.ts';
import type { VoucherVault } from '../delivery/vouchers.ts';
import { isSameSecret } from '../digest.ts';
import { type Guesser, WRONG_ORDER } from '../http/rate-limits.ts';
import {
  isRefusal,
  jsonReply,
  PRIVATE_HEADERS,
  type Refusal,
  refuse,
  WIRE_ERRORS,
} from '../http/replies.ts';
import type { Answer } from '../http/route.ts';
import type { ServiceOptions } from '../options.ts';
import { type Checkout, hashBody, paymentRequiredReply, requirementOn } from './challenge.ts';
import {
  type Claimed,
  claim,
  findAgain,
  findNamed,
  type Payable,
  settledPayload,
} from './claim.ts';
import { decodeLine } from './line.ts';
import { type Payment, type PaymentRequest, readPayment } from './payment-header.ts';
import { type Advanced, advanceSettlement } from './settlement.ts';

/** Verifies, records and settles a payment, or repeats the earlier answer. */
export async function pay(
  checkout: Checkout,
  order: WireOrderRequest,
  request: PaymentRequest,
): Promise<Answer> {
  const payment = readPayment(checkout.rails, request);
  if (isRefusal(payment)) return payment;
  const { messageHash } = payment.facts;
  const guesser = { address: request.address, messageHash };
  const answer = await answerPayment(checkout, order, { payment, guesser });
  const isWrong = isRefusal(answer) && WRONG_ORDER.has(answer.refusal);
  return (isWrong ? checkout.guesses.wrong(guesser) : undefined) ?? answer;
}

interface Asked {
  readonly payment: Payment;
  readonly guesser: Guesser;
}

/**
 * A payment on the chain proves nothing about the caller, nor does the order, which can be guessed:
 * the caller must send the session or the buyer's payment identifier.
 */
async function answerPayment(
  checkout: Checkout,
  order: WireOrderRequest,
  { payment, guesser }: Asked,
): Promise<Answer> {
  const { tables } = checkout.store;
  const read = await readSettlement(tables, payment);
  const session = await findSession(tables, payment);
  if (session && isRefusal(session)) return session;
  const bodyHash = hashBody(order);
  const named = await findNamed(tables, payment, bodyHash);
  if (named && isRefusal(named)) return named;
  if (named) {
    const isShown = named.sessionId === session?.sessionId;
    const held = isShown ? undefined : checkout.guesses.named(guesser);
    const answer = held ?? (await answerNamed(checkout, named, { order, payment }));
    if (answer) return answer;
  }
  if (!session)
    return refuse('session_required', `${SESSION_HEADER} is required with this payment.`);
  if (bodyHash !== session.bodyHash) {
    return refuse('body_mismatch', 'The body differs from the one that opened this session.');
  }
  const found = await findAgain(checkout, session, payment, read);
  const claimed = found
    ? asClaimed(found)
    : await begin(checkout, order, { session, payment, guesser });
  if (claimed instanceof Response || isRefusal(claimed)) return claimed;
  const { settlement, lines } = claimed;
  const advanced = await advanceSettlement(checkout, settlement, { session });
  return reply(checkout, advanced, { order, lines });
}

function asClaimed(found: SettlementRow | Refusal): Claimed | Refusal {
  return isRefusal(found) ? found : { settlement: found };
}

/** The settlement of the session that the caller named, or of the message. */
async function readSettlement(
  { settlements }: Tables,
  { facts: { messageHash }, sessionIds: [sessionId] }: Payment,
): Promise<SettlementRow | undefined> {
  return sessionId === undefined ? undefined : settlements.ofPayment({ sessionId, messageHash });
}

/** Finds the session that the caller named. That the payment is for it is the facilitator's to check. */
async function findSession(
  { sessions }: Tables,
  { sessionIds }: Payment,
): Promise<SessionRow | Refusal | undefined> {
  if (sessionIds.length === 0) return undefined;
  const [named, other] = await Promise.all(sessionIds.map((id) => sessions.byId(id)));
  if (!named) {
    return refuse('session_unknown', `No payment session has the id in ${SESSION_HEADER}.`);
  }
  // Some clients send an id of their own in this header, which is none of ours.
  if (!other || areAll(sessionIds, named.sessionId)) return named;
  return refuse('session_mismatch', `The payment is not for the session in ${SESSION_HEADER}.`);
}

function areAll(sessionIds: readonly string[], sessionId: string): boolean {
  // All are compared, equal or not, so the time tells nothing.
  return sessionIds.map((id) => isSameSecret(id, sessionId)).every(Boolean);
}

/**
 * Returns the identifier's order, also for another payment than its own; undefined if the payment of that
 * order can never land.
 */
async function answerNamed(
  checkout: Checkout,
  named: SettlementRow,
  { order, payment }: { readonly order: WireOrderRequest; readonly payment: Payment },
): Promise<Answer | undefined> {
  const advanced = await advanceSettlement(checkout, named);
  const { messageHash } = payment.facts;
  const isFree = advanced.row.state === 'failed' && named.messageHash !== messageHash;
  return isFree ? undefined : reply(checkout, advanced, { order });
}

type Begun = Asked & Pick<Payable, 'session'>;
type Started = Begun & Payable;

/** Refuses a network on which the session cannot be paid, such as one that was added since. */
async function begin(
  checkout: Checkout,
  order: WireOrderRequest,
  begun: Begun,
): Promise<Claimed | Answer> {
  const { network } = begun.payment.rail;
  const requirement = requirementOn(begun.session, network);
  if (requirement !== undefined) return start(checkout, order, { ...begun, requirement });
  return refuse('network_not_supported', `This session asks for no payment on ${network}.`);
}

/** Handles a new payment; promises nothing before the rows are durable. */
async function start(
  checkout: Checkout,
  order: WireOrderRequest,
  started: Started,
): Promise<Claimed | Answer> {
  const { session, payment } = started;
  const isOver = session.expiresAtMs <= checkout.clock.now();
  const verdict = isOver ? undefined : await verify(started);
  if (verdict?.isValid) return claim(checkout, order, started);
  // A parallel request may have accepted the same payment, which makes it invalid here.
  const read = await readSettlement(checkout.store.tables, payment);
  const taken = await findAgain(checkout, session, payment, read);
  if (taken) return asClaimed(taken);
  return verdict === undefined
    ? refuse('session_expired', 'The payment session has expired; order again for a new one.')
    : refusePayment(checkout, started, verdict);
}

function verify({ payment, requirement }: Started): Promise<VerifyResponse> {
  return payment.rail.facilitator.verify(settledPayload(requirement, payment), requirement);
}

function refusePayment(
  checkout: Checkout,
  { session, guesser }: Started,
  { invalidMessage, invalidReason }: VerifyResponse,
): Answer | Promise<Answer> {
  // Counts as a guess: with an own session and any transaction, an attacker could try payment
  // identifiers.
  const held = checkout.guesses.wrong(guesser);
  if (held) return held;
  return paymentRequiredReply(checkout, session, {
    error: 'payment_invalid',
    message: invalidMessage ?? 'The facilitator refused the payment.',
    reason: invalidReason ?? 'unknown',
  });
}

/** From here on nothing that might be paid is refused: an unknown outcome is 200, processing. */
async function reply(
  checkout: Checkout,
  { row, pendingTransaction }: Advanced,
  { order, lines }: Pick<Claimed, 'lines'> & { readonly order: WireOrderRequest },
): Promise<Answer> {
  if (row.state === 'failed') return settlementFailedReply(row);
  const { email } = order;
  const deliveries = lines ?? (await checkout.store.tables.deliveries.ofOrder(row.orderId));
  return receiptReply(checkout, row, { email, deliveries, pendingTransaction });
}

// What a caller sees of an order: the receipt of phase 2, and the status for polling.

/** Ours: most codes arrive at once; a client polls every 5 to 10 seconds (interface: Limits). */
const ESTIMATED_DELIVERY_SECONDS = 10;

interface Accepted {
  readonly email: string;
  readonly deliveries: readonly DeliveryRow[];
  readonly pendingTransaction: string;
}

/**
 * The receipt only says that the order was accepted, so repeats are equal; status and codes are at
 * `poll_url`.
 */
function receiptReply(
  { baseUrl, terms }: Pick<Checkout, 'baseUrl' | 'terms'>,
  settlement: SettlementRow,
  { email, deliveries, pendingTransaction }: Accepted,
): Response {
  const { orderId } = settlement;
  const receipt: WireOrderReceipt = {
    order_id: orderId,
    status: 'processing',
    email,
    estimated_delivery_seconds: ESTIMATED_DELIVERY_SECONDS,
    poll_url: baseUrl + getOrder.path.replace('{order_id}', orderId),
    deliveries: deliveries.map((row) => ({ ...describeGoods(row), delivery_state: 'pending' })),
  };
  const result = settleResult(settlement, pendingTransaction);
  const extensions = result.success ? { extensions: terms.receipt(settlement) } : {};
  return jsonReply(receipt, 200, paymentResponse({ ...result, ...extensions }));
}

/** Answers 402 without a new requirement: the session has had its payment, which will never land. */
function settlementFailedReply(settlement: SettlementRow): Response {
  const error = 'settlement_failed';
  const body = {
    error,
    message: 'The payment was not settled; nothing was charged.',
    reason: settlement.reason,
    order_id: settlement.orderId,
  };
  const result = settleResult(settlement, '');
  return jsonReply(body, WIRE_ERRORS[error], paymentResponse(result));
}

function paymentResponse(result: SettleResponse): Record<string, string> {
  return { ...PRIVATE_HEADERS, [PAYMENT_RESPONSE_HEADER]: encodeHeader(result) };
}

/** x402's SettleResponse; `settlement_pending` is the standard's code for an undecided settlement. */
function settleResult(
  { state, transaction, payer, network, reason }: SettlementRow,
  pendingTransaction: string,
): SettleResponse {
  if (state === 'settled') return { success: true, transaction: transaction ?? '', network, payer };
  if (state === 'failed') {
    const errorReason = reason ?? 'unknown';
    return { success: false, transaction: transaction ?? '', network, payer, errorReason };
  }
  const errorReason = 'settlement_pending';
  return { success: false, transaction: pendingTransaction, network, payer, errorReason };
}

/** The only reply with voucher codes; they are decrypted only for it. */
export async function statusReply(
  { store, vault }: Pick<ServiceOptions, 'store'> & { readonly vault: VoucherVault },
  order: OrderRow,
): Promise<Response> {
  const rows = await store.tables.deliveries.ofOrder(order.orderId);
  const deliveries = await Promise.all(rows.map((row) => describeDelivery(vault, row)));
  const body: WireOrderStatus = { order_id: order.orderId, status: order.status, deliveries };
  return jsonReply(body, 200, PRIVATE_HEADERS);
}

async function describeDelivery(vault: VoucherVault, row: DeliveryRow): Promise<WireDelivery> {
  const goods = describeGoods(row);
  if (row.state === 'failed') {
    const failure_reason = row.failureReason ?? 'The delivery failed.';
    return { ...goods, delivery_state: 'failed', failure_reason };
  }
  if (row.state !== 'completed') return { ...goods, delivery_state: 'pending' };
  const voucher = row.voucher && describeVoucher(await vault.open(row.voucher, row));
  return { ...goods, ...voucher, delivery_state: 'completed' };
}

function describeGoods(row: DeliveryRow): WireDelivery {
  const { product, faceValue } = decodeLine(row.goods);
  return {
    id: row.deliveryId,
    brand_name: product.brand.name,
    product_name: product.name,
    denomination: product.label,
    face_value: formatFaceValue(faceValue),
    currency: product.brand.currency,
    beneficiary_account: row.beneficiary,
    country_code: product.brand.countryCode,
  };
}

function describeVoucher(voucher: Voucher): WireDelivery {
  return {
    ...(voucher.voucherCode !== undefined && { voucher_code: voucher.voucherCode }),
    ...(voucher.pinSerial !== undefined && { pin_serial: voucher.pinSerial }),
    ...(voucher.securityCode !== undefined && { security_code: voucher.securityCode }),
    redeem_instructions: voucher.redeemInstructions,
    terms_and_conditions: voucher.termsAndConditions,
    ...(voucher.url !== undefined && { url: voucher.url }),
    delivery_type: voucher.deliveryType,
  };
}
