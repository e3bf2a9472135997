/** What an operator does about one order: looks at it, wakes what waits, and decides about one that is held. */

import { type Clock, isoOf } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import { formatDecimal, parseAtomic } from '../../domain/money/money.ts';
import type { HeldDecision, OperatorLog, OrderDesk } from '../../domain/operator/operator.ts';
import {
  type OrderWait,
  type RefundRecord,
  refundIdOf,
  type ShopLineRecord,
  type ShopOrderDetails,
  type WokenOrder,
} from '../../domain/operator/operator-records.ts';
import { isTerminal } from '../../domain/order/order-states.ts';
import type { OrderEvent } from '../../domain/order/order-transitions.ts';
import { maskBeneficiary } from '../../domain/product/beneficiary.ts';
import { formatFaceValue } from '../../domain/product/product.ts';
import type { Store, Tables } from '../../store/store.ts';
import type { DeliveryRow } from '../../store/tables/deliveries.ts';
import type { OrderEventRow } from '../../store/tables/order-events.ts';
import type { OrderRow } from '../../store/tables/orders.ts';
import type { PartnerOrderRow } from '../../store/tables/partner-orders.ts';
import type { RefundPayment } from '../../store/tables/refunds.ts';
import { requirementOn } from '../checkout/challenge.ts';
import { decodeLine } from '../checkout/line.ts';
import { closeDecided } from '../delivery/delivery.ts';
import { supplierFaultOf } from '../delivery/supplier.ts';
import { applyByHand, tryAgain } from '../partner/orders/order-admin.ts';
import {
  atOnce,
  COMPLIANCE_MS,
  goesOn,
  LAST_LOOK_MS,
  RESOLUTION_MS,
} from '../partner/orders/progress.ts';
import { unchecked } from '../partner/orders/reconcile.ts';
import { refundRecord, type SendsOn } from '../refunds/refund-admin.ts';
import { sendAgain, webhookRecord } from '../webhooks/webhooks.ts';
import { findOrders, orderMeant, orderRecords } from './order-search.ts';

interface DeskDeps extends DetailsDeps {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
}

export function createOrderDesk(deps: DeskDeps): OrderDesk {
  const { store, clock } = deps;
  return {
    find: (what) => findOrders(store.tables, what, MOST_FOUND),
    show: (id) => orderDetails(deps, id),
    async retry(id) {
      const details = await orderDetails(deps, id);
      const woken = await store.write((tables) => wake(tables, details, clock.now()));
      return { order_id: details.order_id, woken };
    },
    async release(id, decision) {
      const details = await orderDetails(deps, id);
      if (!(await decide(deps, details, decision))) throw notHeld(details);
      return orderDetails(deps, details.order_id);
    },
  };
}

const MOST_FOUND = 100;

type Woken = WokenOrder['woken'];

async function wake(tables: Tables, details: ShopOrderDetails, atMs: number): Promise<Woken> {
  const { order_id: orderId, refunds } = details;
  await tables.holds.take(`order ${orderId}`);
  const lines = await tables.deliveries.ofOrder(orderId);
  const pending = lines.filter(({ state }) => state === 'pending');
  for (const { deliveryId } of pending) await tables.deliveries.wake(deliveryId, atMs);
  const isLookedFor = await wakePayment(tables, details, atMs);
  await tables.payouts.wake(orderId, atMs);
  return [
    ...(isLookedFor ? [{ for: 'payment', subject: null } as const] : []),
    ...pending.map(({ deliveryId }) => ({ for: 'supplier', subject: deliveryId }) as const),
    ...refunds
      .filter(goesOnByItself)
      .map(({ refund_id }) => ({ for: 'refund', subject: refund_id }) as const),
    ...(await wakeWebhooks(tables, orderId, atMs)),
  ];
}

/** Has the payment looked for, or settled, at once; false where none is waited for. */
async function wakePayment(
  { settlements, partnerOrders }: Tables,
  { order_id: orderId, surface, waits }: ShopOrderDetails,
  atMs: number,
): Promise<boolean> {
  if (surface === 'checkout') return settlements.wake(orderId, atMs);
  const isWaited = waits.some(({ for: what }) => what === 'payment' || what === 'check');
  if (isWaited) await partnerOrders.wake({ orderId }, atMs);
  return isWaited;
}

/** The others wait for a person. */
function goesOnByItself({ state, waits_for: wait }: RefundRecord): boolean {
  return state === 'waiting' && wait !== 'address' && wait !== 'approval' && wait !== 'operator';
}

/** One that was never tried is about to be sent. */
async function wakeWebhooks(tables: Tables, orderId: string, atMs: number): Promise<Woken> {
  const rows = await tables.outbox.ofOrder(orderId);
  const stopped = rows.filter(
    ({ state, lastError }) => state !== 'delivered' && lastError !== null,
  );
  for (const row of stopped) await sendAgain(tables, row, atMs);
  return stopped.map(({ webhookId }) => ({ for: 'webhook', subject: webhookId }) as const);
}

/** False if the order is not held. */
async function decide(
  { store, clock }: DeskDeps,
  details: ShopOrderDetails,
  decision: HeldDecision,
): Promise<boolean> {
  const { order_id: orderId, surface } = details;
  if (surface === 'checkout') {
    return store.write((tables) => decideLines(tables, { orderId, decision, atMs: clock.now() }));
  }
  const event = eventOf(details, decision);
  const byHand = { store, clock, compliance: unchecked, setup: atOnce };
  return event !== undefined && applyByHand(byHand, orderId, event);
}

interface LineDecision {
  readonly orderId: string;
  readonly decision: HeldDecision;
  readonly atMs: number;
}

/** The checkout host has no state for it: its lines are tried again, or fail and are refunded. */
async function decideLines(
  tables: Tables,
  { orderId, decision, atMs }: LineDecision,
): Promise<boolean> {
  await tables.holds.take(`order ${orderId}`);
  const lines = await tables.deliveries.ofOrder(orderId);
  if (!isHeldOrder(await tables.orders.byId(orderId), lines)) return false;
  if (decision === 'release') {
    await tryAgain(tables, orderId, atMs);
    return true;
  }
  const failureReason = 'It was not delivered.';
  const decided = lines.map(
    (row): DeliveryRow =>
      row.state === 'pending'
        ? { ...row, state: 'failed', attempts: row.attempts + 1, failureReason }
        : row,
  );
  for (const [at, row] of lines.entries()) await tables.deliveries.update(row, decided[at] ?? row);
  return closeDecided(tables, decided, atMs);
}

/** Which event a decision is; the tables of states have the last word. */
function eventOf(
  { state, payment_state: payment, lines }: ShopOrderDetails,
  decision: HeldDecision,
): OrderEvent | undefined {
  if (state !== 'WaitingForManualAction') return undefined;
  const isPaid = payment === 'PaymentReceived';
  if (decision === 'release') return isPaid ? 'manual_resolved' : 'compliance_cleared';
  const isPartial = isPaid && lines.some((line) => line.state === 'completed');
  return isPartial ? 'closed_in_part' : 'refunded';
}

function notHeld({
  order_id: orderId,
  state,
  payment_state: payment,
}: ShopOrderDetails): ScripError {
  return new ScripError(
    'INPUT_INVALID',
    t`Order ${orderId} is not held for a person: it is ${state}${payment === null ? '' : `, ${payment}`}`,
    { hint: t`See what it waits for with serve order.` },
  );
}

// Everything that an operator may see of one order: never codes, secrets, or whole addresses of people.

interface DetailsDeps {
  readonly store: Store;
  readonly log: Pick<OperatorLog, 'latest'>;
  readonly sendsOn: SendsOn;
}

const MOST_ACTIONS = 100;

/** @param typed the id or its beginning, or the id of its payment page. @throws {ScripError} ORDER_UNKNOWN, INPUT_INVALID */
async function orderDetails(deps: DetailsDeps, typed: string): Promise<ShopOrderDetails> {
  const { tables } = deps.store;
  const order = await orderMeant(tables, typed);
  const { orderId } = order.row;
  const [record] = await orderRecords(tables, [order]);
  if (record === undefined) throw new ScripError('INTERNAL', verbatim('an order has no record'));
  const money =
    order.surface === 'partner'
      ? partnerMoney(order.row)
      : await checkoutMoney(tables, order.row, record);
  const deliveries = await tables.deliveries.ofOrder(orderId);
  const payments = await tables.payouts.ofOrder(orderId);
  const webhooks = (await tables.outbox.ofOrder(orderId)).map(webhookRecord);
  return {
    ...record,
    ...money,
    lines: await Promise.all(deliveries.map((row) => lineOf(tables, row))),
    refunds: await Promise.all(
      payments.map((payment) => refundRecord(tables, payment, deps.sendsOn)),
    ),
    webhooks,
    history: (await tables.orderEvents.since(orderId, 0)).map(changeOf),
    actions: await deps.log.latest(MOST_ACTIONS, orderId),
    waits: [
      ...(order.surface === 'partner'
        ? partnerWaits(order.row)
        : await checkoutWaits(tables, order.row, deliveries)),
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

function partnerMoney(row: PartnerOrderRow) {
  const amount = (digits: string) => formatDecimal(parseAtomic(digits), row.decimals);
  return {
    received: amount(row.receivedAtomic),
    seen: amount(row.seenAtomic),
    pay_to: row.walletAddress,
    payment_failure: null,
  };
}

async function checkoutMoney(
  { sessions, settlements }: Tables,
  { sessionId }: OrderRow,
  { amount, network }: Pick<ShopOrderDetails, 'amount' | 'network'>,
) {
  const session = await sessions.byId(sessionId);
  const settlement = await settlements.bySession(sessionId);
  const received = settlement?.state === 'settled' ? amount : '0';
  return {
    received,
    seen: received,
    pay_to: session ? (requirementOn(session, network ?? '')?.payTo ?? session.payTo) : null,
    payment_failure: settlement?.reason ?? null,
  };
}

async function lineOf({ facts }: Tables, row: DeliveryRow): Promise<ShopLineRecord> {
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
  { settlements }: Tables,
  order: OrderRow | undefined,
  deliveries: readonly DeliveryRow[],
): Promise<readonly OrderWait[]> {
  if (isHeldOrder(order, deliveries)) return [{ for: 'operator', subject: null, until: null }];
  const settlement = order && (await settlements.bySession(order.sessionId));
  return settlement?.state === 'submitting' ? [{ for: 'payment', subject: null, until: null }] : [];
}

/** Ours: an order of the checkout host is held once no line of it goes on, and only a person ends it. */
function isHeldOrder(
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

function refundWait({ refundId, state, nextAtMs }: RefundPayment): readonly OrderWait[] {
  if (state === 'sent' || state === 'refused') return [];
  const until = nextAtMs === null ? null : isoOf(nextAtMs);
  return [{ for: 'refund', subject: refundIdOf(refundId), until }];
}
