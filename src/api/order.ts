/**
 * One purchase from any merchant: quoted, confirmed, paid once. `scrip order`, the wizard, agents' tools and
 * the library all buy through it.
 */

import { canonicalJson } from '../domain/canonical-json.ts';
import { ScripError } from '../domain/errors.ts';
import { currentAttempt, type Entry, eventOf } from '../domain/journal.ts';
import { t, verbatim } from '../domain/message.ts';
import type { Atomic } from '../domain/money.ts';
import type { PurchaseStatus } from '../domain/purchase-status.ts';
import type { Bought, Merchant, OrderInput, OrderTerms, Placed, Price, Quote } from './merchant.ts';
import { problemsError } from './partner/problems.ts';
import { openPaying, type Paying } from './paying.ts';
import { checkHeld, heldOf } from './payment/funds.ts';
import { duplicateError, lookUp } from './payment/intent.ts';
import type { Intention } from './payment/measure.ts';
import { checkIntention, checkMerchant, type Headroom } from './payment/spending.ts';
import { otherCountryError, type Stranger, strangersAmong } from './recipient.ts';
import type { ScripDeps } from './scrip.ts';
import { timeoutsAfter } from './timeouts.ts';
import { walletIfThere } from './wallet-if-there.ts';

/** What the user confirms: what, for whom, the maximum, and the balance that pays. */
export interface Agreement {
  readonly offer: Quote;
  readonly price: Price;
  readonly merchant: Pick<Merchant, 'host' | 'url' | 'takes'>;
  /** What the policy leaves to spend; undefined when this run pays nothing for it. */
  readonly room: Headroom | undefined;
  /** The wallet's balance in the coin; undefined when the wallet does not pay, or the chain was not read. */
  readonly heldAtomic: Atomic | undefined;
  /** False for an order to be paid from elsewhere. */
  readonly isPaid: boolean;
  readonly isPlayMoney: boolean;
}

/** The questions to confirm before money moves. Without a callback for one, the order is refused. */
export interface Consent {
  /** Asks about a phone number of another country than the product's. */
  readonly otherCountry?: ((stranger: Stranger) => Promise<boolean>) | undefined;
  /**
   * Asks about goods ordered a moment ago.
   * @param refusal the error to throw unless confirmed
   */
  readonly repetition?: ((refusal: ScripError) => Promise<boolean>) | undefined;
  /** Whether `purchase` shows the wallet's balance, which must then be read from the chain. */
  readonly isBalanceTold?: boolean;
  /** Asks to confirm the whole purchase. */
  purchase(agreement: Agreement): Promise<boolean>;
}

export interface OrderRequest extends OrderTerms {
  /** Pays from this machine's wallet. Always true for a checkout host, whose order does not exist before. */
  readonly isPaid: boolean;
  /** Allows a phone number of another country than the product's. */
  readonly allowsOtherCountry: boolean;
  readonly consent: Consent;
}

/**
 * Buys what the input names, or continues an earlier purchase with the same key or, without a key, of the
 * same order.
 * @throws {ScripError} the reason not to buy, before money moves (fundsAtRisk `none`): the codes of `quote`,
 * HOST_NOT_ALLOWED and the policy's other refusals, PHONE_OTHER_COUNTRY, DUPLICATE_PURCHASE, DECLINED;
 * INTERRUPTED; outcomes without a document, such as OUTCOME_UNKNOWN
 */
export async function order(
  deps: ScripDeps,
  merchant: Merchant,
  { orderInput, request }: { readonly orderInput: OrderInput; readonly request: OrderRequest },
): Promise<Bought> {
  const { isPaid, key, consent } = request;
  if (isPaid) await checkMerchant(deps, merchant, key !== undefined);
  const askedMs = deps.clock.now();
  const quote = await quoted(deps, merchant, orderInput);
  const timeouts = timeoutsAfter(request.timeouts, deps.clock.now() - askedMs);
  const price = pricedOrThrow(quote);
  await agreeOnCountries(quote, request);
  const paying = isPaid ? await merchant.paying() : undefined;
  // Unlock the key before creating an order that it must pay.
  await paying?.vault();
  const found = await findBefore(deps, merchant, { quote, request, paying });
  const isNew = found.known === undefined || eventOf(found.known, 'goods') === undefined;
  const isRoomNeeded = paying !== undefined && !isPaidFor(found.known);
  const means = isRoomNeeded
    ? await meansFor(deps, merchant, { quote, price, paying, request })
    : undefined;
  // A delivered order is shown again without a confirmation.
  if (isNew) {
    const { room, heldAtomic } = means ?? {};
    const isPlayMoney = paying?.spending.isPlayMoney ?? deps.place.isEmbedded;
    const agreement = { offer: quote, price, merchant, room, heldAtomic, isPaid, isPlayMoney };
    if (!(await consent.purchase(agreement))) throw declined(isPaid);
  }
  if (paying !== undefined) await lookAfter(deps, merchant, { body: quote.body, key });
  const terms = {
    ...request,
    timeouts,
    allowsDuplicate: request.allowsDuplicate || found.isRepeated,
  };
  const placed = await merchant.place(quote, terms);
  if (isPaid) return paid(deps, placed, await merchant.pay(placed, quote, terms));
  if (placed.order === undefined) throw new ScripError('INTERNAL', verbatim('no order was made'));
  return {
    document: { form: 'partner', order: placed.order },
    error: undefined,
    isBoughtBefore: false,
  };
}

/** Returns the result if the purchase is known to be bought; otherwise throws its error. */
function paid(deps: ScripDeps, { entry }: Placed, bought: Bought): Bought {
  const { document, error, isBoughtBefore } = bought;
  if (document.form !== 'receipt') return bought;
  if (error !== undefined && !IS_BOUGHT.has(document.receipt.status)) throw error;
  if (isBoughtBefore) deps.notify({ kind: 'bought-before', bought: entry.intent });
  return bought;
}

const IS_BOUGHT: ReadonlySet<PurchaseStatus> = new Set(['completed', 'processing', 'failed']);

async function lookAfter(
  deps: ScripDeps,
  merchant: Merchant,
  own: { readonly body: object; readonly key: string | undefined },
): Promise<void> {
  const { reconcileUnfinished } = await import('./reconcile-unfinished.ts');
  await reconcileUnfinished(deps, merchant, own);
}

async function quoted(deps: ScripDeps, merchant: Merchant, orderInput: OrderInput): Promise<Quote> {
  deps.progress.step(t`Asking for the price`);
  const quote = await merchant.quote(orderInput);
  deps.progress.done();
  return quote;
}

/** Returns the price; an order with problems is not created. @throws {ScripError} ORDER_PROBLEMS */
function pricedOrThrow({ problems, price }: Quote): Price {
  const problem = problemsError(problems);
  if (problem !== undefined) throw problem;
  if (price !== undefined) return price;
  throw new ScripError('MERCHANT_REPLY_INVALID', t`The merchant returned no price`);
}

/**
 * Confirms phone numbers of other countries.
 * @throws {ScripError} PHONE_OTHER_COUNTRY if it cannot ask, DECLINED
 */
async function agreeOnCountries(
  { lines }: Pick<Quote, 'lines'>,
  { allowsOtherCountry, consent: { otherCountry } }: OrderRequest,
): Promise<void> {
  if (allowsOtherCountry) return;
  for (const stranger of strangersAmong(lines.map(({ recipient }) => recipient))) {
    if (otherCountry === undefined) throw otherCountryError(stranger.elsewhere);
    if (!(await otherCountry(stranger))) throw declined(true);
  }
}

interface Before {
  /** The purchase to continue. */
  readonly known: Entry | undefined;
  /** The same was ordered a moment ago, and the user wants it again. */
  readonly isRepeated: boolean;
}

/**
 * Finds earlier purchases in the journal.
 * @throws {ScripError} DUPLICATE_PURCHASE if it cannot ask, DECLINED
 */
async function findBefore(
  deps: ScripDeps,
  merchant: Merchant,
  wanted: {
    readonly quote: Quote;
    readonly request: OrderRequest;
    readonly paying: Paying | undefined;
  },
): Promise<Before> {
  const { quote, request, paying } = wanted;
  const { key, consent } = request;
  const journal = paying?.journal ?? (await journalWithoutPaying(deps));
  const { known, twin } = await lookUp(journal, {
    ...{ key, host: merchant.host, body: canonicalJson(quote.body), summary: quote.summary },
    nowMs: deps.clock.now(),
    isStillMeant: merchant.isStillMeant,
  });
  if (known !== undefined && key === undefined && !merchant.ordersFirst) {
    deps.notify({ kind: 'resuming', begun: known.intent });
  }
  if (twin === undefined || request.allowsDuplicate) return { known, isRepeated: false };
  const refusal = duplicateError(twin);
  if (consent.repetition === undefined) throw refusal;
  if (!(await consent.repetition(refusal))) throw declined(true);
  return { known, isRepeated: true };
}

async function journalWithoutPaying(deps: ScripDeps) {
  const { NO_WALLET } = await import('../domain/journal.ts');
  const signer = await walletIfThere(deps);
  return deps.journal({ address: signer?.address ?? NO_WALLET });
}

/** Whether it has a live payment or goods, so that the limits were checked already. */
function isPaidFor(known: Entry | undefined): boolean {
  return (
    known !== undefined &&
    (currentAttempt(known) !== undefined || eventOf(known, 'goods') !== undefined)
  );
}

interface Priced {
  readonly quote: Quote;
  readonly price: Price;
  readonly paying: Paying;
}

/** What the policy leaves to spend, and the wallet's balance. */
interface Means {
  readonly room: Headroom;
  /** In the coin of the order; undefined when the chain was not read. */
  readonly heldAtomic: Atomic | undefined;
}

/**
 * Checks that policy and wallet allow the purchase.
 * @throws {ScripError} the policy's refusals, FUNDS_TOO_LOW, USAGE
 */
async function meansFor(
  { clock }: ScripDeps,
  { host, ordersFirst }: Merchant,
  { quote, price, paying, request }: Priced & { readonly request: OrderRequest },
): Promise<Means> {
  if (ordersFirst) checkSendable(quote);
  const room = await checkIntention({ ...paying, clock }, intentionOf(host, quote, price));
  if (!ordersFirst && !request.consent.isBalanceTold) return { room, heldAtomic: undefined };
  const { coin } = quote;
  const heldAtomic = await heldOf(paying, coin);
  // Create no order that cannot be paid: unpaid orders count against the partner. At a checkout host, skip
  // the check for a purchase with a key: the money may be missing because this key has already paid from
  // another machine, which is detected before paying again.
  if (ordersFirst || request.key === undefined) {
    checkHeld(paying.signer.address, heldAtomic, { ...price, coin });
  }
  return { room, heldAtomic };
}

/** Converts a quote to what the spending policy checks. */
export function intentionOf(host: string, quote: Quote, price: Price): Intention {
  const { body, summary, kinds, refundsTo } = quote;
  return {
    host,
    body: canonicalJson(body),
    summary,
    ...(kinds === undefined ? {} : { kinds }),
    usdcAtomic: quote.coin === 'USDC' ? price.atomic : undefined,
    refundsTo,
  };
}

/** @throws {ScripError} USAGE for a coin that this wallet cannot send */
function checkSendable({ isSendable, coin, network }: Quote): void {
  if (isSendable) return;
  throw new ScripError(
    'USAGE',
    t`--pay cannot send ${coin} on ${network}: this wallet pays only USDC and SOL on Solana`,
    {
      hint: t`Leave --pay out; the order then shows address, payment URI and QR code.`,
    },
  );
}

function declined(isPaid: boolean): ScripError {
  return new ScripError(
    'DECLINED',
    isPaid ? t`You declined; nothing was charged` : t`You declined; no order was placed`,
  );
}

/** Price, balance and limits of an order that the wallet would pay. */
export interface Weighed {
  readonly price: Price;
  /** CAIP-2 id of the wallet's network. */
  readonly network: string;
  readonly payer: string;
  readonly balanceAtomic: Atomic;
  readonly room: Headroom;
  readonly isPlayMoney: boolean;
}

/**
 * Checks that the wallet holds enough, and what the policy leaves, as for an interactive purchase.
 * @throws {ScripError} FUNDS_TOO_LOW, the policy's refusals, the codes of the wallet
 */
export async function weigh(deps: ScripDeps, merchant: Merchant, quote: Quote): Promise<Weighed> {
  const price = pricedOrThrow(quote);
  const paying = await openPaying(deps, merchant.url, 'terminal');
  const { address } = paying.signer;
  const held = await heldOf(paying, quote.coin);
  checkHeld(address, held, { ...price, coin: quote.coin });
  const intention = intentionOf(merchant.host, quote, price);
  const room = await checkIntention({ ...paying, clock: deps.clock }, intention);
  const { network } = paying.rail;
  const { isPlayMoney } = paying.spending;
  return { price, network, payer: address, balanceAtomic: held, room, isPlayMoney };
}

/** The result of a dry run. */
export interface Rehearsed {
  readonly offer: Quote;
  /** Set if this machine's wallet would pay the order. */
  readonly money?: Weighed;
}

/**
 * Dry run: returns price, limit, and whether the wallet holds enough. Sends no order and asks no questions.
 * @throws {ScripError} as `order` before money moves, except problems of the order, which are a value
 */
export async function rehearse(
  deps: ScripDeps,
  merchant: Merchant,
  asked: {
    readonly orderInput: OrderInput;
    readonly isPaid: boolean;
    /** Accepts phone numbers of other countries, which the user would confirm or has allowed. */
    readonly allowsOtherCountry: boolean;
  },
): Promise<Rehearsed> {
  const quote = await quoted(deps, merchant, asked.orderInput);
  const [stranger] = strangersAmong(quote.lines.map(({ recipient }) => recipient));
  if (stranger !== undefined && !asked.allowsOtherCountry) {
    throw otherCountryError(stranger.elsewhere);
  }
  if (!asked.isPaid || quote.price === undefined) return { offer: quote };
  return { offer: quote, money: await weigh(deps, merchant, quote) };
}
