/**
 * Records money owed back, in the write that makes it owed. Nothing is sent from here: refunds are paid by
 * `refund-payments.ts` or by the operator, and `scrip sandbox audit` checks them.
 */

import type { WireRefund, WireRefunds } from '../../contract/order-refunds.ts';
import { USDC_DECIMALS } from '../../contract/x402.ts';
import { isoOf } from '../../domain/clock.ts';
import { caip2Of } from '../../domain/money/coins.ts';
import { atomic, formatDecimal, parseAtomic, parseDecimal } from '../../domain/money/money.ts';
import { refundIdOf } from '../../domain/operator/operator-records.ts';
import type { OrderEvent } from '../../domain/order/order-transitions.ts';
import type { Tables } from '../../store/store.ts';
import type { DeliveryRow } from '../../store/tables/deliveries.ts';
import type { PartnerOrderRow } from '../../store/tables/partner-orders.ts';
import type { RefundPayment, RefundRow } from '../../store/tables/refunds.ts';
import { decodeLine } from '../checkout/line.ts';
import { jsonReply, PRIVATE_HEADERS } from '../http/replies.ts';
import type { LinePart } from '../partner/orders/deliverable.ts';

type Writing = Tables;
type Money = Pick<RefundRow, 'coin' | 'decimals' | 'recipient'>;

/** Records a refund to the payer for each failed line, once all lines of a checkout order have ended. */
export async function refundFailedLines(
  tables: Tables,
  orderId: string,
  atMs: number,
): Promise<void> {
  const order = await tables.orders.byId(orderId);
  const settlement = order && (await tables.settlements.bySession(order.sessionId));
  if (settlement?.state !== 'settled') return;
  const money = { coin: 'USDC', decimals: USDC_DECIMALS, recipient: settlement.payer };
  for (const row of await tables.deliveries.ofOrder(orderId)) {
    if (row.state !== 'failed') continue;
    const amountAtomic = decodeLine(row.goods).priceAtomic.toString();
    await tables.refunds.record(ofLine(row, { ...money, amountAtomic }, atMs));
  }
}

/** Records the refunds caused by an event of a partner order; `row` is the order after the event. */
export async function refundAfter(
  tables: Tables,
  row: PartnerOrderRow,
  event: OrderEvent,
  atMs: number,
): Promise<void> {
  await REFUNDS[event]?.(tables, row, atMs);
}

type RefundRule = (tables: Tables, row: PartnerOrderRow, atMs: number) => Promise<void>;

const refundExcess: RefundRule = async (tables, row, atMs) => {
  const amount = BigInt(row.receivedAtomic) - BigInt(row.coinAmountAtomic);
  const reason = 'More was paid than requested.';
  if (amount > 0n) await recordOfOrder(tables, row, { cause: 'excess', reason, amount, atMs });
};

const refundRest: RefundRule = (tables, row, atMs) =>
  recordRest(tables, row, { cause: 'rest', reason: 'The order was refunded.', atMs });

/** Each late payment raises what was received, and so has a refund of its own. */
const refundLate: RefundRule = (tables, row, atMs) =>
  recordRest(tables, row, {
    cause: `late ${row.receivedAtomic}`,
    reason: 'The payment was late or incomplete.',
    atMs,
  });

/** Records what was received and has no refund yet. */
async function recordRest(
  tables: Tables,
  row: PartnerOrderRow,
  owed: Omit<Owed, 'amount'>,
): Promise<void> {
  const known = await tables.refunds.ofOrder(row.orderId);
  const given = known.filter(({ kind }) => kind === 'refund');
  const amount = BigInt(row.receivedAtomic) - sumOf(given);
  if (amount > 0n) await recordOfOrder(tables, row, { ...owed, amount });
}

/** A line's price without its share of the payment fee. */
const refundUndelivered: RefundRule = async (tables, row, atMs) => {
  for (const delivery of await tables.deliveries.ofOrder(row.orderId)) {
    if (delivery.state === 'completed') continue;
    const amountAtomic = linePrice(row, delivery.line);
    await tables.refunds.record(ofLine(delivery, { ...moneyOf(row), amountAtomic }, atMs));
  }
};

const REFUNDS: Partial<Record<OrderEvent, RefundRule>> = {
  payment_confirmed: refundExcess,
  compliance_cleared: refundExcess,
  expired: refundLate,
  late_payment: refundLate,
  refunded: refundRest,
  resolution_overdue: refundRest,
  closed_in_part: refundUndelivered,
};

/**
 * Records a loss: the supplier delivered after the refund, and the buyer keeps both. False if it is
 * already recorded.
 */
export async function bookLoss(
  { refunds, partnerOrders }: Tables,
  { orderId, line, goods }: DeliveryRow,
  atMs: number,
): Promise<boolean> {
  const order = await partnerOrders.byId(orderId);
  const money = order ? moneyOf(order) : { coin: 'USDC', decimals: USDC_DECIMALS, recipient: null };
  return refunds.record({
    refundId: `${orderId} loss ${line}`,
    orderId,
    kind: 'loss',
    line,
    ...money,
    amountAtomic: order ? linePrice(order, line) : decodeLine(goods).priceAtomic.toString(),
    reason: 'Delivered after its refund.',
    createdAtMs: atMs,
  });
}

export function sumOf(refunds: readonly RefundRow[]): bigint {
  return refunds.reduce((sum, { amountAtomic }) => sum + BigInt(amountAtomic), 0n);
}

/** What an order of either surface was paid, in units of its coin. */
export async function receivedFor(tables: Tables, orderId: string): Promise<bigint> {
  const partnerOrder = await tables.partnerOrders.byId(orderId);
  if (partnerOrder) return BigInt(partnerOrder.receivedAtomic);
  const order = await tables.orders.byId(orderId);
  const settlement = order && (await tables.settlements.bySession(order.sessionId));
  if (order === undefined || settlement?.state !== 'settled') return 0n;
  const session = await tables.sessions.byId(order.sessionId);
  return BigInt(session?.amountAtomic ?? 0);
}

/** Where a refund is owed in USDC, as a CAIP-2 id; undefined in other coins, or of money that paid no order. */
export async function refundNetwork(
  { partnerOrders, orders, settlements }: Tables,
  { orderId, coin, decimals }: RefundRow,
): Promise<string | undefined> {
  if (coin !== 'USDC' || decimals !== USDC_DECIMALS) return undefined;
  const partnerOrder = await partnerOrders.byId(orderId);
  if (partnerOrder !== undefined) {
    return partnerOrder.coin === coin ? caip2Of(partnerOrder.network) : undefined;
  }
  const order = await orders.byId(orderId);
  return order && (await settlements.bySession(order.sessionId))?.network;
}

function ofLine(
  { orderId, line, failureReason }: DeliveryRow,
  money: Money & Pick<RefundRow, 'amountAtomic'>,
  createdAtMs: number,
): RefundRow {
  const refundId = `${orderId} line ${line}`;
  const reason = failureReason ?? 'It was not delivered.';
  return { refundId, orderId, kind: 'refund', line, ...money, reason, createdAtMs };
}

interface Owed {
  readonly cause: string;
  readonly reason: string;
  readonly amount: bigint;
  readonly atMs: number;
}

async function recordOfOrder(
  { refunds }: Writing,
  row: PartnerOrderRow,
  { cause, reason, amount, atMs }: Owed,
): Promise<void> {
  await refunds.record({
    refundId: `${row.orderId} ${cause}`,
    orderId: row.orderId,
    kind: 'refund',
    line: null,
    ...moneyOf(row),
    amountAtomic: amount.toString(),
    reason,
    createdAtMs: atMs,
  });
}

function moneyOf({ coin, decimals, refundAddress }: PartnerOrderRow): Money {
  return { coin, decimals, recipient: refundAddress };
}

function linePrice({ lines, decimals }: PartnerOrderRow, line: number): string {
  const parts: readonly LinePart[] = JSON.parse(lines);
  return parseDecimal(parts[line]?.coinAmount ?? '0', decimals).toString();
}

// Refunds of an order as its buyer sees them: what waits for the shop is not told apart.

export async function refundsReply(tables: Tables, orderId: string): Promise<Response> {
  const refunds = (await tables.payouts.ofOrder(orderId)).map(refundView);
  return jsonReply({ order_id: orderId, refunds } satisfies WireRefunds, 200, PRIVATE_HEADERS);
}

const REFUND_STATE_OF = {
  open: 'waiting',
  sending: 'sending',
  sent: 'sent',
  refused: 'refused',
} as const;

function refundView(refund: RefundPayment): WireRefund {
  const record = commonRecord(refund);
  const need = refund.waitsFor === 'account' ? 'account' : 'shop';
  const waitsFor = refund.recipient === null ? 'address' : need;
  return { ...record, waits_for: record.state === 'waiting' ? waitsFor : null };
}

/** What buyer and operator are told alike. */
export function commonRecord(refund: RefundPayment) {
  return {
    refund_id: refundIdOf(refund.refundId),
    amount: refundAmount(refund),
    coin: refund.coin,
    reason: refund.reason,
    state: REFUND_STATE_OF[refund.state],
    recipient: refund.recipient,
    transaction: refund.transaction,
    created_at: isoOf(refund.createdAtMs),
  };
}

/** Decimal text, in the refund's coin. */
export function refundAmount({ amountAtomic, decimals }: RefundRow): string {
  return formatDecimal(atomic(parseAtomic(amountAtomic)), decimals);
}
