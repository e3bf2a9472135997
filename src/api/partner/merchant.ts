/** The partner API as a merchant: it creates the order first, which this wallet or another then pays. */

import { getPartnerRefunds, nameRefundAddress } from '../../contract/order-refunds.ts';
import { getOrderStatus, type WirePartnerOrder } from '../../contract/partner-orders.ts';
import { once } from '../../domain/attempt.ts';
import { type Entry, eventOf } from '../../domain/journal/journal.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import { endedWithoutGoods } from '../../domain/order/order-states.ts';
import { isMomentAgo } from '../../domain/order/ordered-products.ts';
import { PARTNER } from '../abilities.ts';
import type {
  Bought,
  Finished,
  Merchant,
  OrderTerms,
  PaymentTerms,
  Placed,
  Quote,
} from '../merchant.ts';
import { openPaying } from '../paying.ts';
import { REFUNDS_MS, refundsIn } from '../proven-refunds.ts';
import { receiptFrom } from '../receipt.ts';
import type { ScripDeps } from '../scrip.ts';
import type { Timeouts } from '../timeouts.ts';
import { follow, keptOrder, readOrder } from './order-following.ts';
import { type OpenPayDeps, payNow, payPlaced, settleLive, transferDeps } from './order-payment.ts';
import { callPartner } from './partner.ts';
import { partnerCatalog } from './partner-catalog.ts';
import type { PartnerOrderRequest } from './partner-order.ts';
import type { PartnerOrderBody } from './partner-quote.ts';
import {
  makingDeps,
  openJournalAccess,
  partnerHost,
  partnerHostName,
  WALLET_NETWORK,
} from './place.ts';

const ASKED_ONCE = { isOnce: true, timeoutMs: REFUNDS_MS };

/** The merchant that creates orders first, with its additional methods. */
export interface PartnerMerchant extends Merchant<PartnerOrderBody> {
  payPlaced(orderId: string, terms: PaymentTerms): Promise<Bought>;
  /**
   * Reads an order's current state, and journals its end. A brief reading gives up after some seconds.
   * @throws {ScripError} ORDER_UNKNOWN and the codes of a call
   */
  read(orderId: string, how?: { readonly isBrief: boolean }): Promise<WirePartnerOrder>;
}

export function partnerMerchant(deps: ScripDeps): PartnerMerchant {
  const host = partnerHostName(deps.place);
  const url = deps.place.apiUrl;
  const paying = once(() => openPaying(deps, url, { network: WALLET_NETWORK }));
  const payDeps = async (waitMs: number) => transferDeps(deps, await paying(), waitMs);
  return {
    ...PARTNER,
    host,
    url,
    catalog: partnerCatalog(deps),
    paying,
    sells: (intent) => intent.host === host && intent.partner !== undefined,
    // An unpaid order costs nothing: later, the same request means a new order.
    isStillMeant: (begun) => isMomentAgo(begun, deps.clock.now()),
    quote: async (orderInput) =>
      (await import('./partner-quote.ts')).quotePartner(deps, orderInput),
    place: (quote, terms) => place(deps, quote, terms),
    pay: (placed, quote, terms) => payNow(deps, payDeps, placed, { quote, terms }),
    payPlaced: (orderId, terms) => payPlaced(deps, payDeps, { orderId, terms }),
    follow: (orderId, options) => follow(deps, orderId, options),
    read: (orderId, how) => readOrder(deps, orderId, how?.isBrief === true ? ASKED_ONCE : {}),
    refunds: (orderId) =>
      refundsIn(
        callPartner(partnerHost(deps), getPartnerRefunds, { order_id: orderId }, ASKED_ONCE),
      ),
    nameRefundAddress: async (orderId, { key, address }) => {
      const named = { order_id: orderId, order_key: key, address };
      return (await callPartner(partnerHost(deps), nameRefundAddress, named)).refunds;
    },
    finish: (entry, timeouts) => finish(deps, payDeps, { entry, timeouts }),
  };
}

/** Creates the order; replaces an earlier one of the same request if that has ended. */
async function place(
  deps: ScripDeps,
  quote: Quote<PartnerOrderBody>,
  terms: OrderTerms,
): Promise<Placed> {
  const { giveUpOrder, makeOrder } = await import('./partner-order.ts');
  const { countryCode } = quote.summary;
  const making = makingDeps(deps, await openJournalAccess(deps), countryCode);
  const request = requestFor(quote, terms);
  deps.progress.step(t`Making the order`);
  const made = await makeOrder(making, request);
  if (made.isNew) return made;
  const { order_id } = made.order;
  const fresh =
    (await keptOrder(deps, made.entry)) ??
    (await callPartner(making, getOrderStatus, { order_id }));
  if (!endedWithoutGoods({ orderState: fresh.order_state }) || terms.key !== undefined) {
    deps.notify({ kind: 'made-before', order: fresh, key: terms.key });
    return { entry: made.entry, order: fresh };
  }
  await giveUpOrder(making.journal, made.entry, fresh.order_state);
  return makeOrder(making, request);
}

function requestFor(
  { body, summary, kinds, price }: Quote<PartnerOrderBody>,
  { key, note, allowsDuplicate }: OrderTerms,
): PartnerOrderRequest {
  if (price === undefined) throw new ScripError('INTERNAL', verbatim('nothing was priced'));
  return {
    key,
    note,
    allowsDuplicate,
    body,
    summary,
    kinds,
    quotedAtomic: price.atomic,
    capAtomic: price.capAtomic,
    decimals: price.decimals,
  };
}

/** Settles the order's transfers and stores its goods; signs nothing. */
async function finish(
  deps: ScripDeps,
  open: OpenPayDeps,
  asked: { readonly entry: Entry; readonly timeouts: Timeouts },
): Promise<Finished> {
  const { intent, attempts } = asked.entry;
  const { waitMs } = asked.timeouts;
  const paying = attempts.length === 0 ? undefined : await open(waitMs);
  const journal = paying?.journal ?? (await deps.journal({ address: intent.payer }));
  const opened = await journal.open(intent);
  const orderId = intent.partner?.topUpOf ?? eventOf(opened, 'created')?.orderId;
  if (orderId === undefined) return finished(opened);
  if (paying !== undefined) await settleLive(paying, orderId);
  // Nothing was sent from here: an order that is not paid elsewhere is not waited for.
  const seen = attempts.length === 0 ? await readOrder(deps, orderId, ASKED_ONCE) : undefined;
  if (seen !== undefined && receiptFrom(opened, seen).status === 'unpaid') {
    return finished(opened, seen);
  }
  const { document } = await follow(deps, orderId, { mode: 'poll', timeoutMs: waitMs });
  const entry = (await journal.byKey(intent.key)) ?? opened;
  return finished(entry, document.form === 'partner' ? document.order : undefined);
}

function finished(entry: Entry, order?: WirePartnerOrder): Finished {
  const deliveries = order?.deliveries ?? [];
  return { receipt: { ...receiptFrom(entry, order), deliveries }, error: undefined };
}
