/**
 * Sandbox-only actions on an order: simulate a payment where there is no chain, cancel, and act as
 * support staff. `POST /sandbox/orders/{order_id}/{action}`; any caller who knows the id may use
 * them. A payment page's form pays by the id of the page.
 */

import { placeOf, placeProblem } from '../../domain/address/loopback.ts';
import { ScripError } from '../../domain/message/errors.ts';
import type { Coin } from '../../domain/money/coin.ts';
import {
  type Atomic,
  atomic,
  formatDecimal,
  parseAtomic,
  parseDecimal,
} from '../../domain/money/money.ts';
import { isTerminal } from '../../domain/order/order-states.ts';
import type { OrderEvent } from '../../domain/order/order-transitions.ts';
import type { Market } from '../../service/catalog/market.ts';
import { isRefusal } from '../../service/http/replies.ts';
import { readJson } from '../../service/http/route.ts';
import { pagePath } from '../../service/page/path.ts';
import type { PartnerOrderAdmin } from '../../service/partner/orders/order-admin.ts';
import { isAskedFor } from '../../service/partner/orders/progress.ts';
import type { PartnerOrderRow } from '../../store/tables/partner-orders.ts';
import { isOnChain } from './addresses.ts';
import type { PlayedPayments } from './played-payments.ts';

export interface ButtonDeps {
  readonly orders: PartnerOrderAdmin;
  readonly market: Market;
  readonly played: PlayedPayments;
  /** Base address of the service. */
  readonly baseUrl: string;
}

const MAX_BODY_BYTES = 4 * 1024;
const PATH = /^\/sandbox\/orders\/([0-9a-f-]{36})\/([a-z]+)$/;
const FORM_PATH = /^\/sandbox\/pages\/([^/]+)\/pay$/;

/** URL path of the form that pays an order; its answer leads back to the page. */
export const payForm = (pageId: string): string => `/sandbox/pages/${pageId}/pay`;

/** The event that each action triggers. */
const EVENTS: Readonly<Record<string, OrderEvent>> = {
  cancel: 'canceled',
  refund: 'refunded',
  resolve: 'manual_resolved',
  close: 'closed_in_part',
  clear: 'compliance_cleared',
};

/** Answers an action's path; undefined for every other path. */
export async function pressButton(
  deps: ButtonDeps,
  request: Request,
): Promise<Response | undefined> {
  const { pathname } = new URL(request.url);
  const [, pageId] = FORM_PATH.exec(pathname) ?? [];
  const [, orderId, action = ''] = PATH.exec(pathname) ?? [];
  if (pageId === undefined && orderId === undefined) return undefined;
  const problem = placeProblem(placeOf(request), new URL(deps.baseUrl));
  if (problem !== undefined) return refusal(403, 'PLACE_REFUSED', problem);
  if (request.method !== 'POST') {
    return refusal(405, 'METHOD_NOT_ALLOWED', 'This path takes POST.', { Allow: 'POST' });
  }
  if (orderId === undefined) return payFromPage(deps, pageId ?? '', request);
  const row = await deps.orders.find(orderId);
  if (row === undefined) return refusal(404, 'ORDER_NOT_FOUND', 'No order has this id.');
  if (action === 'pay') return (await pay(deps, row, request)) ?? orderReply(deps, orderId);
  const event = Object.hasOwn(EVENTS, action) ? EVENTS[action] : undefined;
  if (event === undefined) return refusal(404, 'NOT_FOUND', 'There is no such action.');
  // Record payments that already landed before the person's action.
  await deps.orders.look(row);
  if (await deps.orders.apply(orderId, event)) return orderReply(deps, orderId);
  return refusal(409, 'NOT_POSSIBLE_NOW', `This action is not possible now: ${stateOf(row)}.`);
}

/** The answer holds nothing of the order: it may be anyone who has the page's link. */
async function payFromPage(deps: ButtonDeps, pageId: string, request: Request): Promise<Response> {
  const row = await deps.orders.ofPage(pageId);
  if (row === undefined) return refusal(404, 'ORDER_NOT_FOUND', 'No page has this id.');
  const back = { status: 303, headers: { Location: pagePath(row.pageId) } };
  return (await pay(deps, row, request)) ?? new Response(null, back);
}

/** Undefined once the payment is played. */
async function pay(
  deps: ButtonDeps,
  asked: PartnerOrderRow,
  request: Request,
): Promise<Response | undefined> {
  const { market, played, orders } = deps;
  // The payment window may have closed since the last check.
  await orders.look(asked);
  const row = (await orders.find(asked.orderId)) ?? asked;
  if (isTerminal(row)) {
    const message = `The order has ended and cannot be paid: ${stateOf(row)}.`;
    return refusal(409, 'NOT_POSSIBLE_NOW', message);
  }
  if (!isAskedFor(row)) {
    const message = `The order cannot be paid yet: ${stateOf(row)}.`;
    return refusal(409, 'NOT_POSSIBLE_NOW', message);
  }
  const coin = market.coin(row.coin);
  if (!coin) return refusal(409, 'NOT_POSSIBLE_NOW', 'The market no longer has this coin.');
  if (isOnChain(coin.name, market.network(coin, row.network ?? ''))) {
    const message = 'This order is paid on the embedded chain, by a transfer to its address.';
    return refusal(409, 'PAY_ON_CHAIN', message);
  }
  const payment = await readPayment(request, row, coin);
  if (payment instanceof Response) return payment;
  await played.play(row.orderId, payment);
  const fresh = await orders.find(row.orderId);
  if (fresh) await orders.look(fresh);
  return undefined;
}

interface Payment {
  readonly amountAtomic: Atomic;
  readonly fails: boolean;
}

/** Reads `{amount?, fail?}`; without an amount it pays what is missing. */
async function readPayment(
  request: Request,
  row: PartnerOrderRow,
  { decimals, name }: Coin,
): Promise<Payment | Response> {
  const body = await readBody(request);
  if (body instanceof Response) return body;
  const { amount, fail = false } = body;
  if (typeof fail !== 'boolean') return refusal(400, 'INVALID_REQUEST', 'fail: true or false');
  if (amount === undefined) return { amountAtomic: missing(row), fails: fail };
  try {
    const amountAtomic = parseDecimal(String(amount), decimals);
    if (amountAtomic > 0n) return { amountAtomic, fails: fail };
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
  }
  const example = formatDecimal(missing(row), decimals);
  return refusal(400, 'INVALID_REQUEST', `amount: a decimal of ${name}, such as ${example}`);
}

/** Returns what is still to pay; for a fully paid order the whole price, so paying again overpays. */
function missing(row: PartnerOrderRow): Atomic {
  const price = parseAtomic(row.coinAmountAtomic);
  const received = parseAtomic(row.receivedAtomic);
  return received < price ? atomic(price - received) : price;
}

/** Reads an empty body, as curl and the page's form send it, or a JSON object. */
async function readBody(request: Request): Promise<Record<string, unknown> | Response> {
  const read = await readJson(request, { bodyBytes: MAX_BODY_BYTES, ifEmpty: {} });
  const notObject = refusal(400, 'INVALID_REQUEST', 'The body is not a JSON object.');
  if (isRefusal(read)) {
    const isLong = read.refusal === 'payload_too_large';
    return isLong ? refusal(413, 'PAYLOAD_TOO_LARGE', read.message) : notObject;
  }
  const { value } = read;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { ...value } : notObject;
}

async function orderReply({ orders }: ButtonDeps, orderId: string): Promise<Response> {
  const row = await orders.find(orderId);
  if (row === undefined) return refusal(404, 'ORDER_NOT_FOUND', 'No order has this id.');
  return Response.json(await orders.view(row), { headers: { 'Cache-Control': 'no-store' } });
}

function stateOf({ orderState, paymentState }: PartnerOrderRow): string {
  return `it is ${orderState}, its payment ${paymentState}`;
}

function refusal(
  status: number,
  detail: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ status, detail, moreDetails: { message } }, { status, headers });
}
