/** Orders of the partner API: validation, creation and reading. */

import type { Hono } from 'hono';
import {
  IDEMPOTENCY_KEY_HEADER,
  KEY_USE_HEADER,
  takePaymentLease,
  USED_ONCE,
  type WirePaymentLease,
} from '../../../contract/order-key.ts';
import { getPartnerRefunds, nameRefundAddress } from '../../../contract/order-refunds.ts';
import {
  createOrder as createOrderRow,
  getOrderStatus,
  validateOrder,
  type WireCreateOrder,
  type WireValidationRequest,
} from '../../../contract/partner-orders.ts';
import { siteOf } from '../../../domain/address/public-address.ts';
import { webhookProblem } from '../../../domain/address/webhook-address.ts';
import type { PartnerOrderRow } from '../../../store/tables/partner-orders.ts';
import type { PaymentLeaseRow } from '../../../store/tables/payment-leases.ts';
import { digestOfCaller } from '../../digest.ts';
import type { HeaderReader } from '../../http/ready.ts';
import { isRefusal, jsonReply, PRIVATE_HEADERS, type Refusal, refuse } from '../../http/replies.ts';
import type { Caller } from '../../http/route.ts';
import { serve } from '../../http/route.ts';
import { refundsReply } from '../../refunds/refunds.ts';
import { partnerRefusal, topLevelError } from '../failure.ts';
import type { PartnerOrderDeps } from '../order-deps.ts';
import { applicationOf } from '../partner-gate.ts';
import { assessNow, examine } from '../rules/assessment.ts';
import { chosenPayment } from '../rules/order-context.ts';
import { type Asker, createOrder } from './creation.ts';
import { CALLER_KEY, SECRET_LENGTH } from './order-key.ts';
import { orderView } from './order-view.ts';
import { refundAddressProblem } from './refund-address.ts';
import { nameRecipient } from './refund-recipient.ts';
import { validationView } from './validation-view.ts';

/** Adds the routes of validation, creation, status and payment lease. */
export function partnerOrderRoutes(app: Hono, deps: PartnerOrderDeps): void {
  const routing = { ...deps.limits, writeRefusal: partnerRefusal, report: deps.report };
  serve(app, validateOrder, routing, async (request, { headers }) => {
    const problem = await addressProblem(deps, request);
    if (problem) return problem;
    const examined = await examine(deps, request, applicationOf(headers));
    const assessment = await assessNow(deps, deps.store.tables, examined);
    if (assessment.suspension) return topLevelError(assessment.suspension);
    const view = validationView(deps, request, examined, assessment);
    return jsonReply(view, 200, PRIVATE_HEADERS);
  });
  serve(app, createOrderRow, routing, async (request, { headers }, caller) => {
    const problem = await addressProblem(deps, request);
    if (problem) return problem;
    const asker = await askerOf(headers, caller);
    return isRefusal(asker) ? asker : createOrder(deps, request, asker);
  });
  serve(app, getOrderStatus, routing, async ({ order_id }, { headers }) => {
    const order = await ownOrder(deps, order_id, headers);
    return isRefusal(order) ? order : jsonReply(await orderView(deps, order), 200, PRIVATE_HEADERS);
  });
  serve(app, takePaymentLease, routing, async ({ order_id, holder }, { headers }) => {
    const order = await ownOrder(deps, order_id, headers);
    if (isRefusal(order)) return order;
    const lease = await takeLease(deps, { orderId: order.orderId, holder });
    return jsonReply(lease, 200, PRIVATE_HEADERS);
  });
  serve(app, getPartnerRefunds, routing, async ({ order_id }, { headers }) => {
    const order = await ownOrder(deps, order_id, headers);
    return isRefusal(order) ? order : refundsReply(deps.store.tables, order.orderId);
  });
  serve(app, nameRefundAddress, routing, async ({ order_id, order_key, address }, { headers }) => {
    const order = await ownOrder(deps, order_id, headers);
    if (isRefusal(order)) return order;
    const refusal = await nameRecipient(deps, order, { key: order_key, address });
    return refusal ?? refundsReply(deps.store.tables, order.orderId);
  });
}

/** Refuses an unusable address while the caller can still correct it. */
async function addressProblem(
  deps: PartnerOrderDeps,
  request: WireValidationRequest,
): Promise<Refusal | undefined> {
  const { payment, refund_wallet_address: refund } = request;
  const problem = refundAddressProblem(deps.market, chosenPayment(payment), refund);
  if (problem !== undefined) return refuse('invalid_request', `refund_wallet_address: ${problem}`);
  return notificationProblem(deps, request);
}

function notificationProblem(
  { webhookRules }: PartnerOrderDeps,
  {
    state_transition_notification_url: url,
  }: Pick<WireCreateOrder, 'state_transition_notification_url'>,
): Refusal | undefined {
  const problem = typeof url === 'string' ? webhookProblem(url, webhookRules) : undefined;
  if (problem === undefined) return undefined;
  return refuse('invalid_request', `state_transition_notification_url: ${problem}`);
}

/** Returns the order only to the application that created it. */
export async function ownOrder(
  { store }: PartnerOrderDeps,
  orderId: string,
  headers: HeaderReader,
): Promise<PartnerOrderRow | Refusal> {
  const order = await store.tables.partnerOrders.byId(orderId.toLowerCase());
  if (order?.applicationId === applicationOf(headers)) return order;
  return refuse('order_not_found', 'No order has this id.');
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Only the header identifies a creation, not the body's marketing data. */
async function askerOf(headers: Headers, from: Caller): Promise<Asker | Refusal> {
  const applicationId = applicationOf(headers);
  const caller = siteOf(from.address ?? '');
  const key = headers.get(IDEMPOTENCY_KEY_HEADER)?.trim();
  const isOnce = headers.get(KEY_USE_HEADER)?.trim() === USED_ONCE;
  if (key === undefined)
    return { applicationId, idempotencyKey: null, isOnce, maker: null, caller };
  if (!IDEMPOTENCY_KEY.test(key)) {
    const form = '1 to 255 visible characters of ASCII';
    return refuse('invalid_request', `${IDEMPOTENCY_KEY_HEADER}: ${form}`);
  }
  // A repeated creation returns the order, codes included: a key that could be guessed only works from
  // the address that created the order.
  const maker = key.length < SECRET_LENGTH ? digestOfCaller(from) : null;
  return { applicationId, idempotencyKey: CALLER_KEY + key, isOnce, maker, caller };
}

// A lease lets one machine at a time pay an order. Of machines that share a wallet and an
// idempotency key, the first to ask has a minute to sign; the others wait until nothing it signed
// can land.

export const LEASE_MS = 60_000;

async function takeLease(
  { store, clock }: PartnerOrderDeps,
  { orderId, holder }: Pick<PaymentLeaseRow, 'orderId' | 'holder'>,
): Promise<WirePaymentLease> {
  return store.write(async ({ paymentLeases, holds }) => {
    await holds.take(`order ${orderId}`);
    const nowMs = clock.now();
    const before = await paymentLeases.ofOrder(orderId);
    const isOther = before !== undefined && before.holder !== holder;
    const passedOn = before?.passedOn ?? 0;
    if (isOther && before.endsAtMs > nowMs) {
      const seconds = Math.ceil((before.endsAtMs - nowMs) / 1_000);
      return { is_held: false, seconds, passed_on: passedOn };
    }
    const row = {
      orderId,
      holder,
      endsAtMs: nowMs + LEASE_MS,
      passedOn: isOther ? passedOn + 1 : passedOn,
    };
    await paymentLeases.put(row);
    return { is_held: true, seconds: LEASE_MS / 1_000, passed_on: row.passedOn };
  });
}
