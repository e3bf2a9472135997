/**
 * Payments that a wallet in the browser signs on the page, and the host's facilitator settles. Each wallet can pay
 * what an order lacks once, and at most one payment of an order is undecided, as with transaction requests.
 */
import { paymentPayload } from '../../contract/x402.ts';
import type { CheckoutRail, WalletRequest } from '../../rails/merchant-rail.ts';
import type { PartnerOrderRow } from '../../store/tables/partner-orders.ts';
import type { PaymentRequestRow } from '../../store/tables/payment-requests.ts';
import { sha256 } from '../digest.ts';
import { isRefusal, jsonReply, PRIVATE_HEADERS, refuse } from '../http/replies.ts';
import type { Answer } from '../http/route.ts';
import type { PartnerOrderDeps } from '../partner/order-deps.ts';
import { lookAt } from '../partner/orders/reconcile.ts';
import {
  type Due,
  dueOf,
  keep,
  liveRequest,
  notDue,
  otherIsLive,
  PENDING,
  settle,
  walletRailOf,
} from './payment-requests.ts';

type Deps = PartnerOrderDeps;

/** What a wallet is asked to sign for an order now; undefined where it takes nothing, or its rail cannot be used. */
export async function walletRequestOf(
  deps: Deps,
  order: PartnerOrderRow,
): Promise<WalletRequest | undefined> {
  const due = dueOf(order);
  return due && requestFor(walletRailOf(deps, order), order, due);
}

/** By what has come in: the same payment twice is one, also of two pages. */
async function requestFor(
  rail: CheckoutRail | undefined,
  { orderId, receivedAtomic }: PartnerOrderRow,
  { payTo, amountAtomic }: Due,
): Promise<WalletRequest | undefined> {
  const reference = sha256(`payment page ${orderId} ${receivedAtomic}`);
  return rail?.walletRequest?.({ payTo, amountAtomic, reference });
}

/** Settles a signed payment of the order. The order counts it by what comes to its address. */
export async function takeAuthorization(
  deps: Deps,
  before: PartnerOrderRow,
  body: unknown,
): Promise<Answer> {
  const { orderId } = before;
  const rail = walletRailOf(deps, before);
  const read = paymentPayload().safeParse(body);
  if (rail === undefined || !read.success) {
    return refuse('payment_malformed', 'The body is not an x402 payment payload of this order.');
  }
  const payload = read.data;
  const { messageHash, payer } = rail.inspect(payload);
  const live = await liveRequest(deps, orderId);
  if (live?.messageHash === messageHash) return reply(rail, live);
  await lookAt(deps, before);
  const order = (await deps.store.tables.partnerOrders.byId(orderId)) ?? before;
  const due = dueOf(order);
  const request = due && (await requestFor(rail, order, due));
  if (due === undefined || request === undefined) {
    return notDue('This order takes no payment now. Its page says why.');
  }
  if (live) return otherIsLive(deps, live);
  if (!request.isOf(payload)) return notDue('The amount of this order changed. Ask again.');
  const { requirement } = request;
  const verdict = await rail.facilitator.verify(payload, requirement);
  if (!verdict.isValid) {
    const { invalidReason = '', invalidMessage = '' } = verdict;
    return refuse('payment_invalid', `${invalidReason} ${invalidMessage}`.trim());
  }
  const wire = JSON.stringify({ payload, requirement });
  const payment = { messageHash, transaction: messageHash, wire, fee: 0n, validUntil: 0 };
  const row = await keep(deps, { orderId, account: payer, due, payment });
  if (isRefusal(row)) return row;
  if (row.messageHash !== messageHash) return otherIsLive(deps, row);
  const reached = await reply(rail, row);
  await lookAt(deps, order);
  return reached;
}

async function reply(rail: CheckoutRail, row: PaymentRequestRow): Promise<Answer> {
  const settled = await settle(rail, row);
  const { success, transaction, errorReason = '' } = settled;
  if (!success && errorReason !== PENDING) return refuse('settlement_failed', errorReason);
  return jsonReply({ transaction, is_settled: success }, 200, PRIVATE_HEADERS);
}
