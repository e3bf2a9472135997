/**
 * Payments by Solana Pay's transaction request: the shop builds the order's payment and signs it as fee payer,
 * the buyer's wallet signs and sends it.
 */
import type { SponsorRefusal } from '../../rails/merchant-rail.ts';
import type { PartnerOrderRow } from '../../store/tables/partner-orders.ts';
import type { PaymentRequestRow } from '../../store/tables/payment-requests.ts';
import { isRefusal, jsonReply, PRIVATE_HEADERS, refuse } from '../http/replies.ts';
import type { Answer } from '../http/route.ts';
import type { Sponsorship } from '../options.ts';
import type { PartnerOrderDeps } from '../partner/order-deps.ts';
import { referenceOf } from '../partner/orders/order-view.ts';
import { lookAt } from '../partner/orders/reconcile.ts';
import { type Due, dueOf, keep, liveRequest, notDue, otherIsLive } from './payment-requests.ts';

type Deps = PartnerOrderDeps;
type Parts = Deps & { readonly sponsorship: Sponsorship };

/** Returns the payment of an order for one wallet; the same wallet gets the same payment while it is live. */
export async function requestPayment(
  parts: Parts,
  before: PartnerOrderRow,
  account: string,
): Promise<Answer> {
  const { orderId } = before;
  const live = await liveRequest(parts, orderId);
  await lookAt(parts, before);
  const due = dueOf(await parts.store.tables.partnerOrders.byId(orderId));
  if (due === undefined) return notDue('This order takes no payment now. Its page says why.');
  if (live) return reply(parts, live, { account, due });
  const { sponsor } = parts.sponsorship;
  const { payTo, amountAtomic } = due;
  const order = { payTo, amountAtomic, reference: referenceOf(orderId) };
  const payment = await sponsor.prepare(account, order);
  if (typeof payment === 'string') return refuse('invalid_request', REFUSALS[payment]);
  const row = await keep(parts, { orderId, account, due, payment });
  return isRefusal(row) ? row : reply(parts, row, { account, due });
}

const REFUSALS: Readonly<Record<SponsorRefusal, string>> = {
  not_an_account: 'account: must be the address of a wallet',
  blocked: 'Payments of this wallet failed too often. Pay by a transfer instead.',
  would_fail: 'This wallet cannot pay: it has no USDC account, or too little USDC.',
};

/** The live payment, if it is the one that was asked for. */
function reply(
  deps: Deps,
  row: PaymentRequestRow,
  { account, due }: { readonly account: string; readonly due: Due },
): Answer {
  if (row.account === account && row.amountAtomic === due.amountAtomic.toString()) {
    return jsonReply({ transaction: row.wire, message: due.what }, 200, PRIVATE_HEADERS);
  }
  return otherIsLive(deps, row);
}
