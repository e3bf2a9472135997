/** Checks of single records against the chain and the supplier. */

import { USDC_DECIMALS } from '../../contract/x402.ts';
import { atomic, formatDecimal } from '../../domain/money/money.ts';
import type { Finding, MismatchKind } from '../../domain/operator/audit.ts';
import { isPaid, isTerminal } from '../../domain/order/order-states.ts';
import type { Tables } from '../../store/store.ts';
import type { DeliveryRow } from '../../store/tables/deliveries.ts';
import type { PartnerOrderRow } from '../../store/tables/partner-orders.ts';
import type { RefundRow } from '../../store/tables/refunds.ts';
import type { SessionRow } from '../../store/tables/sessions.ts';
import type { SettlementRow } from '../../store/tables/settlements.ts';
import { supplierFaultOf } from '../delivery/supplier.ts';
import { STUCK_ATTEMPTS } from '../partner/orders/progress.ts';
import { sumOf as refundSum } from '../refunds/refunds.ts';
import type { Evidence, Sale, Sold, SupplierLedger, Transfer } from './evidence.ts';

/** What a check finds: a mismatch, that the row is still under way or was not looked at, or nothing. */
export type Verdict = Finding | 'open' | 'skipped' | undefined;

/** The service records a landed payment within seconds; after this long, something blocks it. */
export const OPEN_MS = 120_000;

interface Settled {
  readonly settlement: SettlementRow;
  readonly session: SessionRow;
  readonly transfers: readonly Transfer[];
}

/** Compares one settlement with the transfers to its session's account. */
export async function checkSettlement(
  tables: Tables,
  settlement: SettlementRow,
  { transfers, nowMs }: { readonly transfers: readonly Transfer[]; readonly nowMs: number },
): Promise<Verdict> {
  const { orderId, sessionId } = settlement;
  const session = await tables.sessions.byId(sessionId);
  const order = await tables.orders.byId(orderId);
  if (!session || !order) {
    const found = `${session ? '' : 'no session'}${order ? '' : 'no order'}`;
    return { ...about(settlement), kind: 'order_missing', expected: 'both', found };
  }
  if (settlement.state === 'settled') return checkSettled({ settlement, session, transfers });
  if (settlement.state === 'failed') return checkFailed({ settlement, session, transfers });
  const isYoung = nowMs - settlement.createdAtMs < OPEN_MS;
  if (transfers.length === 0 || isYoung) return 'open';
  const found = `${usdc(sumOf(transfers))} landed`;
  return { ...about(settlement), kind: 'payment_undecided', expected: 'a decision', found };
}

/** What of a transfer to a session's account pays for nothing: all that did not settle it, or what is above the price. */
export async function spareOf(
  { sessions }: Tables,
  settlement: SettlementRow | undefined,
  transfer: Transfer,
): Promise<bigint> {
  if (isSpare(settlement, transfer)) return transfer.amountAtomic;
  const session = settlement && (await sessions.byId(settlement.sessionId));
  if (settlement?.state !== 'settled' || session === undefined) return 0n;
  const excess = transfer.amountAtomic - BigInt(session.amountAtomic);
  return excess > 0n ? excess : 0n;
}

function isSpare(
  settlement: Pick<SettlementRow, 'state' | 'transaction'> | undefined,
  { transaction }: Pick<Transfer, 'transaction'>,
): boolean {
  if (settlement === undefined || settlement.state === 'failed') return true;
  return settlement.state === 'settled' && settlement.transaction !== transaction;
}

/** Of money that pays for nothing: whether it was sent back. Its refund has the id of its transaction. */
export async function isGivenBack(
  { payouts }: Tables,
  { transaction }: Pick<Transfer, 'transaction'>,
): Promise<boolean> {
  return (await payouts.byRefund(transaction))?.state === 'sent';
}

function checkSettled({ settlement, session, transfers }: Settled): Verdict {
  const expected = usdc(BigInt(session.amountAtomic));
  const subject = about(settlement);
  if (!transfers.some(({ transaction }) => transaction === settlement.transaction)) {
    const found = transfers.length === 0 ? 'nothing' : 'another transaction';
    return { ...subject, kind: 'settled_without_payment', expected, found };
  }
  const sum = sumOf(transfers);
  const found = usdc(sum);
  const spare = transfers.find((transfer) => isSpare(settlement, transfer));
  if (spare !== undefined) {
    return { ...subject, subject: spare.transaction, kind: 'paid_twice', expected, found };
  }
  if (sum === BigInt(session.amountAtomic)) return undefined;
  return { ...subject, kind: 'amount_differs', expected, found };
}

/** An assertion: the service fails a payment only with proof that it cannot land. */
function checkFailed({ settlement, transfers }: Settled): Verdict {
  if (transfers.length === 0) return undefined;
  const found = usdc(sumOf(transfers));
  const [first] = transfers;
  const subject = first?.transaction ?? '';
  return {
    ...about(settlement),
    kind: 'payment_without_order',
    subject,
    expected: 'nothing: the payment was called failed',
    found,
  };
}

/** Reports transfers to sessions that have no settlement, and to addresses that no record has. */
export function strayTransfers(transfers: readonly Transfer[]): readonly Finding[] {
  return transfers.map(({ transaction, amountAtomic, orderId = null }) => ({
    kind: 'payment_without_order',
    order_id: orderId,
    subject: transaction,
    expected: 'an order',
    found: usdc(amountAtomic),
  }));
}

function about({ orderId, transaction, messageHash }: SettlementRow) {
  return { order_id: orderId, subject: transaction ?? `message ${messageHash.slice(0, 16)}` };
}

export function sumOf(transfers: readonly Transfer[]): bigint {
  return transfers.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);
}

function usdc(amountAtomic: bigint): string {
  return `${formatDecimal(atomic(amountAtomic), USDC_DECIMALS)} USDC`;
}

// Compares the deliveries of orders with the supplier's ledger and with the refunds.

interface Line {
  readonly row: DeliveryRow;
  readonly sold: Sold | undefined;
  readonly isPaid: boolean;
  readonly isPartners: boolean;
  readonly isGivenBack: boolean;
  readonly isLoss: boolean;
  /** The supplier's last error, if its answers cannot be delivered. */
  readonly unusable: string | undefined;
}

type Read = Tables;

export async function checkLine(
  tables: Read,
  supplier: Pick<SupplierLedger, 'sold'>,
  row: DeliveryRow,
): Promise<Verdict> {
  return CHECKS[row.state](await readLine(tables, supplier, row));
}

const CHECKS: Readonly<Record<DeliveryRow['state'], (line: Line) => Verdict>> = {
  waiting: ({ row, isPaid: hasMoney }) =>
    hasMoney ? differs(row, 'delivery_stuck', 'a released line', 'one that waits') : undefined,
  pending: ({ row, unusable }) => {
    if (unusable !== undefined)
      return differs(row, 'answer_unusable', 'goods of its own', unusable);
    if (row.attempts < STUCK_ATTEMPTS) return 'open';
    return differs(row, 'delivery_stuck', 'goods', `no answer to ${row.attempts} calls`);
  },
  completed: checkDelivered,
  failed: checkFailedLine,
};

function checkDelivered({ row, sold, isGivenBack, isLoss, ...line }: Line): Verdict {
  if (!line.isPaid && !isLoss) return differs(row, 'goods_unpaid', 'a payment', 'none');
  if (sold?.outcome !== 'fulfilled') {
    return differs(row, 'line_without_purchase', 'a purchase', sold?.outcome ?? 'none');
  }
  if (!sold.isSame) return differs(row, 'purchase_differs', row.deliveryId, 'other goods');
  if (isGivenBack && !isLoss) return differs(row, 'goods_and_refund', 'one of both', 'both');
  return undefined;
}

/** A partner order's refunds are checked by their sum; the checkout host's are checked per delivery. */
function checkFailedLine({ row, sold, isPartners, isGivenBack, ...line }: Line): Verdict {
  if (sold?.outcome === 'fulfilled') {
    return differs(row, 'purchase_without_line', 'no purchase, or goods', 'a failed line');
  }
  if (isPartners || !line.isPaid || isGivenBack) return undefined;
  return differs(row, 'refund_missing', 'a refund of the line', 'none');
}

function differs(row: DeliveryRow, kind: MismatchKind, expected: string, found: string): Verdict {
  const { orderId: order_id, deliveryId: subject } = row;
  return { kind, order_id, subject, expected, found };
}

async function readLine(
  tables: Read,
  supplier: Pick<SupplierLedger, 'sold'>,
  row: DeliveryRow,
): Promise<Line> {
  const { orderId, line } = row;
  const partnerOrder = await tables.partnerOrders.byId(orderId);
  const refunds = await tables.refunds.ofOrder(orderId);
  const isOfLine = (entry: (typeof refunds)[number]) => entry.line === line;
  return {
    row,
    sold: isDecided(row) ? await supplier.sold(row) : undefined,
    isPaid: partnerOrder ? isPaid(partnerOrder) : await isSettled(tables, orderId),
    isPartners: partnerOrder !== undefined,
    isGivenBack:
      partnerOrder?.orderState === 'Refunded' ||
      refunds.some((entry) => entry.kind === 'refund' && isOfLine(entry)),
    isLoss: refunds.some((entry) => entry.kind === 'loss' && isOfLine(entry)),
    unusable: isUnusable(row)
      ? (await supplierFaultOf(tables.facts, row.deliveryId))?.error
      : undefined,
  };
}

async function isSettled({ orders, settlements }: Tables, orderId: string): Promise<boolean> {
  const order = await orders.byId(orderId);
  const settlement = order && (await settlements.bySession(order.sessionId));
  return settlement?.state === 'settled';
}

function isUnusable({ fault }: DeliveryRow): boolean {
  return fault === 'no_goods' || fault === 'used_code';
}

function isDecided({ state }: DeliveryRow): boolean {
  return state === 'completed' || state === 'failed';
}

/** Finds a sale of the supplier whose reference matches no delivery. */
export function checkSale({ reference, hasLine, isNew }: Sale): Verdict {
  if (hasLine) return undefined;
  if (isNew) return 'open';
  const about = { order_id: null, subject: reference };
  return { ...about, kind: 'purchase_without_line', expected: 'a line', found: 'none' };
}

// Compares partner orders with the chain: what landed, what was recorded as received, what was refunded.

interface Money {
  /** Sum of the payments that landed on the chain, or that the operator simulated. */
  readonly landedAtomic: bigint;
  /** When the last of these payments landed on the chain. */
  readonly landedAtMs: number | undefined;
  readonly refunds: readonly RefundRow[];
  readonly nowMs: number;
}

/**
 * Checks one order. Money not recorded yet is no mismatch while it landed recently and the order is
 * still polled.
 */
export function checkPartnerOrder(row: PartnerOrderRow, money: Money): Verdict {
  const received = BigInt(row.receivedAtomic);
  const { landedAtomic, landedAtMs, nowMs } = money;
  if (landedAtomic !== received) {
    const sinceMs = landedAtMs ?? row.nextLookAtMs ?? 0;
    const isLooking = row.nextLookAtMs !== null && nowMs - sinceMs < OPEN_MS;
    if (landedAtomic > received && isLooking) return 'open';
    return {
      ...aboutOrder(row),
      kind: landedAtomic > received ? 'payment_undecided' : 'received_differs',
      expected: amount(row, landedAtomic),
      found: amount(row, received),
    };
  }
  return checkRefunds(row, money.refunds);
}

/** An ended order owes a refund of what it received, less the price if it was sold. */
function checkRefunds(row: PartnerOrderRow, refunds: readonly RefundRow[]): Verdict {
  const received = BigInt(row.receivedAtomic);
  const given = refundSum(refunds.filter(({ kind }) => kind === 'refund'));
  const found = `${amount(row, given)} on record`;
  if (given > received) {
    const expected = `at most ${amount(row, received)}`;
    return { ...aboutOrder(row), kind: 'refund_too_large', expected, found };
  }
  const owed = owedBack(row, received);
  if (given >= owed) return undefined;
  const kind = isPaid(row) ? 'refund_missing' : 'money_on_ended_order';
  return { ...aboutOrder(row), kind, expected: amount(row, owed), found };
}

function owedBack(row: PartnerOrderRow, received: bigint): bigint {
  if (row.orderState === 'Refunded') return received;
  if (!isPaid(row)) return isTerminal(row) ? received : 0n;
  const excess = received - BigInt(row.coinAmountAtomic);
  return excess > 0n ? excess : 0n;
}

function aboutOrder({ orderId, walletAddress }: PartnerOrderRow) {
  return { order_id: orderId, subject: walletAddress ?? 'a processor' };
}

function amount({ coin, decimals }: PartnerOrderRow, amountAtomic: bigint): string {
  return `${formatDecimal(atomic(amountAtomic), decimals)} ${coin}`;
}

// Compares refunds that are recorded as sent with the transfers on the chain.

/** A transfer counts only with its amount and its recipient. */
export async function checkRefund(
  { payouts }: Tables,
  { credited }: Pick<Evidence, 'credited'>,
  refund: RefundRow,
): Promise<Verdict> {
  const payout = await payouts.byRefund(refund.refundId);
  if (payout?.state !== 'sent') return undefined;
  const { recipient, amountAtomic, decimals, coin } = refund;
  const order_id = refund.orderId || null;
  const subject = payout.transaction ?? refund.refundId;
  const paid = recipient === null ? 0n : await credited(subject, { ...refund, recipient });
  if (paid === BigInt(amountAtomic)) return undefined;
  const amount = (sum: bigint) => `${formatDecimal(atomic(sum), decimals)} ${coin}`;
  const expected = `${amount(BigInt(amountAtomic))} to ${recipient ?? 'no recipient'}`;
  return { kind: 'refund_differs', order_id, subject, expected, found: amount(paid) };
}
