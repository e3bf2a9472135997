/** The checkout host as a merchant: it answers 402, is paid, and then creates the order. */

import type { WireOrderRequest, WireOrderStatus } from '../../contract/checkout.ts';
import { getCheckoutRefunds } from '../../contract/order-refunds.ts';
import { once } from '../../domain/attempt.ts';
import {
  acceptedOrder,
  currentAttempt,
  type Entry,
  eventOf,
  type Intent,
} from '../../domain/journal/journal.ts';
import { requestIn } from '../../domain/journal/paid-request.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import { CHECKOUT } from '../abilities.ts';
import { call } from '../http/call.ts';
import type {
  Bought,
  CalledOrder,
  Finished,
  FollowOptions,
  Merchant,
  OrderSnapshot,
  OrderTerms,
  Placed,
  Quote,
} from '../merchant.ts';
import { openPaying, type Paying } from '../paying.ts';
import { checkoutOrderError, purchaseError, unorderedError } from '../payment/outcome-error.ts';
import { REFUNDS_MS, refundsIn } from '../proven-refunds.ts';
import { isAlreadyBought, receiptFrom, receiptOf } from '../receipt.ts';
import { networkOf, type Place, type ScripDeps } from '../scrip.ts';
import type { Timeouts } from '../timeouts.ts';
import { checkoutCatalog } from './checkout-catalog.ts';
import type { PurchaseDeps } from './purchase-deps.ts';

/** Ours: polling the service inside this process costs nothing. */
const EMBEDDED_POLL_MS = 300;

/** Returns the merchant's name in the journal: its origin, or the embedded service of a profile. */
export function checkoutHostName({
  isEmbedded,
  profile,
  checkoutUrl,
}: Pick<Place, 'isEmbedded' | 'profile' | 'checkoutUrl'>): string {
  return isEmbedded ? `embedded:${profile}` : new URL(checkoutUrl).origin;
}

/** Pause between polls of an order; undefined for the interface's own pace. */
export function checkoutPace({
  place,
  testPollMs,
}: Pick<ScripDeps, 'place' | 'testPollMs'>): number | undefined {
  return place.isEmbedded ? EMBEDDED_POLL_MS : testPollMs;
}

export function checkoutMerchant(deps: ScripDeps): Merchant<WireOrderRequest> {
  const host = checkoutHostName(deps.place);
  const url = deps.place.checkoutUrl;
  const paying = once(() => openPaying(deps, url));
  // A purchase goes on on the network that it was begun on.
  const opened = async (timeouts: Timeouts, { network }: Pick<Intent, 'network'>) => {
    const isOfRun = network === (await networkOf(deps));
    return purchaseDeps(
      deps,
      await (isOfRun ? paying() : openPaying(deps, url, { network })),
      timeouts,
    );
  };
  return {
    ...CHECKOUT,
    host,
    url,
    catalog: checkoutCatalog(deps),
    paying,
    sells: (intent) =>
      intent.host === host && intent.partner === undefined && requestIn(intent) === undefined,
    quote: async (orderInput) =>
      (await import('./checkout-quote.ts')).quoteCheckout(deps, orderInput),
    place: async (quote, terms) =>
      place(await purchaseDeps(deps, await paying(), terms.timeouts), quote, terms),
    pay: async (placed, quote, terms) =>
      pay(await opened(terms.timeouts, placed.entry.intent), placed, { quote, terms }),
    follow: (orderId, options) => follow(deps, orderId, options),
    refunds: (orderId) => {
      const options = { signal: deps.signal, timeoutMs: REFUNDS_MS };
      return refundsIn(call(deps.fetch, url, getCheckoutRefunds, { order_id: orderId }, options));
    },
    finish: async (entry, timeouts) => finishPurchase(await opened(timeouts, entry.intent), entry),
  };
}

/** Collects what a purchase needs. */
export async function purchaseDeps(
  deps: ScripDeps,
  { vault, ...paying }: Paying,
  { waitMs, settleMs, refusedMs }: Timeouts,
): Promise<PurchaseDeps> {
  const { fetch, place: at, clock, signal, progress } = deps;
  return {
    ...paying,
    vault: await vault(),
    fetch,
    checkoutUrl: at.checkoutUrl,
    host: checkoutHostName(at),
    keySince: at.keySince?.since,
    clock,
    waitMs,
    settleMs,
    refusedMs,
    signal,
    progress,
    resuming: (begun) => deps.notify({ kind: 'resuming', begun }),
    random: (length) => deps.random(length),
    failPoint: (name) => deps.failPoint(name),
    pollMs: checkoutPace(deps),
  };
}

async function place(
  deps: PurchaseDeps,
  { body, summary, kinds, price }: Quote<WireOrderRequest>,
  { key, note, cart, allowsDuplicate }: OrderTerms,
): Promise<Placed> {
  const { openPurchase } = await import('./pay.ts');
  if (price === undefined) throw new ScripError('INTERNAL', verbatim('nothing was priced'));
  const entry = await openPurchase(deps, {
    key,
    note,
    cart,
    allowsDuplicate,
    body,
    summary,
    kinds,
    quotedAtomic: price.atomic,
    capAtomic: price.capAtomic,
  });
  return { entry };
}

async function pay(
  deps: PurchaseDeps,
  { entry }: Placed,
  { quote, terms }: { readonly quote: Quote<WireOrderRequest>; readonly terms: OrderTerms },
): Promise<Bought> {
  const { payFor } = await import('./pay.ts');
  const isAccepted = acceptedOrder(entry) !== undefined && eventOf(entry, 'goods') === undefined;
  if (isAccepted) deps.progress?.step(t`Waiting for delivery`, { isSafe: true });
  const capAtomic = terms.signsNothing === true ? undefined : quote.price?.capAtomic;
  const outcome = await payFor(deps, entry, capAtomic);
  const error = purchaseError(outcome);
  const isWanted = outcome.kind === 'pending' && !terms.isWaiting;
  return {
    document: { form: 'receipt', receipt: receiptOf(outcome) },
    error: isWanted ? undefined : error,
    isBoughtBefore: isAlreadyBought(outcome),
  };
}

/** Polls the host every 5 to 10 seconds; it has no event stream. */
async function follow(
  deps: ScripDeps,
  orderId: string,
  { timeoutMs, leastPollMs = 0, calledAs, seen, unanswered }: FollowOptions,
): Promise<OrderSnapshot> {
  const { followOrder, isTerminal, POLL_MS } = await import('./follow.ts');
  const snapshot = (read: WireOrderStatus): OrderSnapshot => {
    const order = called(read, calledAs);
    return {
      document: { form: 'checkout', order },
      status: order.status,
      paymentState: null,
      isOver: isTerminal(order),
      error: checkoutOrderError(order),
    };
  };
  const { fetch, clock, signal, place: at } = deps;
  const order = await followOrder({
    ...{ fetch, baseUrl: at.checkoutUrl, orderId, clock, signal, timeoutMs },
    pollMs: checkoutPace(deps) ?? Math.max(POLL_MS, leastPollMs),
    seen: (read) => seen?.(snapshot(read)),
    unanswered,
  });
  await keepGoods(deps, order);
  return snapshot(order);
}

function called(order: WireOrderStatus, name: string | undefined): CalledOrder {
  const { order_id, ...rest } = order;
  if (name === undefined || name === order_id) return order;
  return { order_id: name, merchant_order_id: order_id, ...rest };
}

/**
 * Stores the goods in the journal if this machine made the purchase. Ignores errors: following an order works
 * without wallet and journal.
 */
async function keepGoods(deps: ScripDeps, order: WireOrderStatus): Promise<void> {
  if (order.status !== 'completed') return;
  const host = checkoutHostName(deps.place);
  try {
    const signer = await deps.signer();
    const journal = await deps.journal(signer);
    const entry = (await journal.all()).find(
      (candidate) =>
        candidate.intent.host === host && acceptedOrder(candidate)?.orderId === order.order_id,
    );
    const attempt = entry && currentAttempt(entry);
    if (entry === undefined || attempt === undefined || eventOf(entry, 'goods')) return;
    const sealed = (await deps.vault(signer)).seal(JSON.stringify(order));
    const { number } = attempt;
    const goods = { fact: 'goods', attempt: number, status: 'completed', sealed } as const;
    await journal.addFact(entry.intent, goods);
    const { nameTransaction } = await import('../payment/transaction-name.ts');
    const naming = {
      rail: await deps.rail(attempt.network ?? entry.intent.network),
      journal,
      clock: deps.clock,
    };
    await nameTransaction(naming, entry, attempt);
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
  }
}

/** Finds out what became of a purchase, and finishes it if it was paid; signs nothing. */
export async function finishPurchase(deps: PurchaseDeps, entry: Entry): Promise<Finished> {
  const { isUnordered } = await import('../payment/payment-tag.ts');
  if (isUnordered(entry)) {
    return {
      receipt: { ...receiptFrom(entry), deliveries: [] },
      error: unorderedError(entry.intent),
    };
  }
  const { resume } = await import('./pay.ts');
  const outcome = await resume(deps, entry);
  return { receipt: receiptOf(outcome), error: purchaseError(outcome) };
}
