/** Everything that an operator may see of one order: never codes, secrets, or whole addresses of people. */

import { SOLANA_MAINNET, USDC_DECIMALS } from '../contract/x402.ts';
import { maskBeneficiary } from '../domain/beneficiary.ts';
import { isoOf } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import { atomic, formatDecimal, parseAtomic } from '../domain/money.ts';
import type { OperatorLog } from '../domain/operator.ts';
import type { OrderWait, ShopLineRecord, ShopOrderDetails } from '../domain/operator-records.ts';
import { isTerminal } from '../domain/order-states.ts';
import { formatFaceValue } from '../domain/product.ts';
import { refundIdOf } from '../domain/refund-record.ts';
import type { Store, Tables } from '../store/store.ts';
import type { DeliveryRow } from '../store/tables/deliveries.ts';
import type { OrderEventRow } from '../store/tables/order-events.ts';
import type { OrderRow } from '../store/tables/orders.ts';
import type { PartnerOrderRow } from '../store/tables/partner-orders.ts';
import type { RefundPayment } from '../store/tables/refunds.ts';
import { decodeLine } from './line.ts';
import { ofCheckout, ofPartner } from './order-list.ts';
import { COMPLIANCE_MS, goesOn, LAST_LOOK_MS, RESOLUTION_MS } from './partner/progress.ts';
import { refundRecord } from './refund-admin.ts';
import { paymentsOf } from './refunds.ts';
import { supplierFaultOf } from './supplier-faults.ts';
import { webhookRecord } from './webhook-admin.ts';

export interface DetailsDeps {
  readonly store: Pick<Store, 'tables'>;
  readonly log: Pick<OperatorLog, 'latest'>;
  /** Whether the shop sends refunds. */
  readonly hasWallet: boolean;
}

const MOST_ACTIONS = 100;

/** @param typed the id or its beginning, or the id of its payment page. @throws {ScripError} ORDER_UNKNOWN, INPUT_INVALID */
export async function orderDetails(deps: DetailsDeps, typed: string): Promise<ShopOrderDetails> {
  const { tables } = deps.store;
  const orderId = await orderMeant(tables, typed);
  const partnerOrder = await tables.partnerOrders.byId(orderId);
  const order = partnerOrder ? undefined : await tables.orders.byId(orderId);
  const known = partnerOrder
    ? { ...ofPartner(partnerOrder), ...moneyOf(partnerOrder) }
    : order && { ...ofCheckout(order), ...(await checkoutMoney(tables, order)) };
  if (known === undefined) throw unknown(typed);
  const deliveries = await tables.deliveries.ofOrder(orderId);
  const payments = await paymentsOf(tables, orderId);
  const webhooks = (await tables.outbox.ofOrder(orderId)).map(webhookRecord);
  return {
    ...known,
    email: maskBeneficiary((partnerOrder ?? order)?.email ?? ''),
    lines: await Promise.all(deliveries.map((row) => lineOf(tables, row))),
    refunds: payments.map((payment) => refundRecord(payment, deps.hasWallet)),
    webhooks,
    history: (await tables.orderEvents.since(orderId, 0)).map(changeOf),
    actions: await deps.log.latest(MOST_ACTIONS, orderId),
    waits: [
      ...(partnerOrder
        ? partnerWaits(partnerOrder)
        : await checkoutWaits(tables, order, deliveries)),
      ...deliveries.flatMap(supplierWait),
      ...payments.flatMap(refundWait),
      ...webhooks.flatMap(({ state, webhook_id, next_attempt_at }) =>
        state === 'pending'
          ? [{ for: 'webhook', subject: webhook_id, until: next_attempt_at } as const]
          : [],
      ),
    ],
  };
}

const LEAST_BEGINNING = 4;
const MOST_NAMED = 5;

/** The whole id of an order of either surface. @throws {ScripError} ORDER_UNKNOWN, INPUT_INVALID */
export async function orderMeant(
  { partnerOrders, orders, books }: Pick<Tables, 'partnerOrders' | 'orders' | 'books'>,
  typed: string,
): Promise<string> {
  const whole = (await partnerOrders.ofPage(typed)) ?? (await orders.byId(typed));
  if (whole) return whole.orderId;
  const found = typed.length < LEAST_BEGINNING ? [] : await books.orderIds(typed, MOST_NAMED);
  const [id, ...others] = found;
  if (id === undefined) throw unknown(typed);
  if (others.length === 0) return id;
  throw new ScripError('INPUT_INVALID', t`"${typed}" is the beginning of several orders`, {
    hint: t`Give more of the id: ${found.join(', ')}`,
    details: { ids: found },
  });
}

function unknown(typed: string): ScripError {
  return new ScripError('ORDER_UNKNOWN', t`There is no order "${typed}" in this shop`);
}

type Money = Pick<
  ShopOrderDetails,
  | 'amount'
  | 'received'
  | 'seen'
  | 'coin'
  | 'network'
  | 'pay_to'
  | 'payer'
  | 'transactions'
  | 'payment_failure'
>;

function moneyOf(row: PartnerOrderRow): Money {
  const amount = (digits: string) => formatDecimal(parseAtomic(digits), row.decimals);
  return {
    amount: amount(row.coinAmountAtomic),
    received: amount(row.receivedAtomic),
    seen: amount(row.seenAtomic),
    coin: row.coin,
    network: row.network,
    pay_to: row.walletAddress,
    payer: null,
    transactions: JSON.parse(row.transactions),
    payment_failure: null,
  };
}

async function checkoutMoney(
  { sessions, settlements }: Pick<Tables, 'sessions' | 'settlements'>,
  { sessionId }: OrderRow,
): Promise<Money> {
  const session = await sessions.byId(sessionId);
  const settlement = await settlements.bySession(sessionId);
  const usdc = (digits: string) => formatDecimal(atomic(BigInt(digits)), USDC_DECIMALS);
  const amount = usdc(session?.amountAtomic ?? '0');
  const received = settlement?.state === 'settled' ? amount : '0';
  return {
    amount,
    received,
    seen: received,
    coin: 'USDC',
    network: SOLANA_MAINNET,
    pay_to: session?.payTo ?? null,
    payer: settlement?.payer ?? null,
    transactions: settlement?.transaction == null ? [] : [settlement.transaction],
    payment_failure: settlement?.reason ?? null,
  };
}

async function lineOf({ facts }: Pick<Tables, 'facts'>, row: DeliveryRow): Promise<ShopLineRecord> {
  const { product, faceValue } = decodeLine(row.goods);
  return {
    reference: row.deliveryId,
    product: product.name,
    face_value: formatFaceValue(faceValue),
    currency: product.brand.currency,
    beneficiary: maskBeneficiary(row.beneficiary),
    state: row.state,
    attempts: row.attempts,
    next_attempt_at: row.state === 'pending' ? isoOf(row.nextAttemptAtMs) : null,
    refusal: row.failureReason,
    last_error: await supplierFaultOf(facts, row.deliveryId),
  };
}

function changeOf({ atMs, body }: OrderEventRow): ShopOrderDetails['history'][number] {
  const said: { status?: string; order_state?: string; payment_state?: string } = JSON.parse(body);
  return {
    at: isoOf(atMs),
    state: said.order_state ?? said.status ?? '',
    payment_state: said.payment_state ?? null,
  };
}

function partnerWaits(row: PartnerOrderRow): readonly OrderWait[] {
  const { orderState, paymentState, updatedAtMs, windowEndsAtMs } = row;
  const wait = (what: OrderWait['for'], untilMs: number) => [
    { for: what, subject: null, until: isoOf(untilMs) },
  ];
  if (orderState === 'WaitingForManualAction') return wait('operator', updatedAtMs + RESOLUTION_MS);
  if (paymentState === 'WaitingForComplianceReport') {
    return wait('check', updatedAtMs + COMPLIANCE_MS);
  }
  // What is paid waits for its lines.
  if (isTerminal(row) || paymentState === 'PaymentReceived') return [];
  return wait('payment', windowEndsAtMs + LAST_LOOK_MS);
}

/** A payment that was begun is followed until the chain has decided it. */
async function checkoutWaits(
  { settlements }: Pick<Tables, 'settlements'>,
  order: OrderRow | undefined,
  deliveries: readonly DeliveryRow[],
): Promise<readonly OrderWait[]> {
  if (isHeldOrder(order, deliveries)) return [{ for: 'operator', subject: null, until: null }];
  const settlement = order && (await settlements.bySession(order.sessionId));
  return settlement?.state === 'submitting' ? [{ for: 'payment', subject: null, until: null }] : [];
}

/** Ours: an order of the checkout host is held once no line of it goes on, and only a person ends it. */
export function isHeldOrder(
  order: Pick<OrderRow, 'status'> | undefined,
  deliveries: readonly DeliveryRow[],
): boolean {
  const isAsked = deliveries.some(({ state }) => state === 'pending');
  return order?.status === 'processing' && isAsked && !goesOn(deliveries);
}

function supplierWait({ state, deliveryId, nextAttemptAtMs }: DeliveryRow): readonly OrderWait[] {
  if (state !== 'pending') return [];
  return [{ for: 'supplier', subject: deliveryId, until: isoOf(nextAttemptAtMs) }];
}

function refundWait({ refund, payout }: RefundPayment): readonly OrderWait[] {
  if (payout?.state === 'sent' || payout?.state === 'refused') return [];
  const nextAtMs = payout?.nextAtMs ?? null;
  const until = nextAtMs === null ? null : isoOf(nextAtMs);
  return [{ for: 'refund', subject: refundIdOf(refund.refundId), until }];
}
