/**
 * One purchase from any merchant: quoted, confirmed, paid once. `scrip order`, the wizard, agents'
 * tools and programs that use the library all buy through it.
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

/** What is agreed to: what, for whom, at most how much, from which balance. */
export interface Agreement {
  readonly offer: Quote;
  readonly price: Price;
  readonly merchant: Pick<Merchant, 'host' | 'url' | 'takes'>;
  /** What the policy leaves; undefined where this run pays nothing for it. */
  readonly room: Headroom | undefined;
  /** What the wallet holds of the coin; undefined where it does not pay, or the chain was not asked. */
  readonly heldAtomic: Atomic | undefined;
  /** False for an order that is to be paid from elsewhere. */
  readonly isPaid: boolean;
  readonly isPlayMoney: boolean;
}

/** The questions to confirm before money moves. Without a callback for one, the order is refused. */
export interface Consent {
  /** About a phone number of another country than the product's. */
  readonly otherCountry?: ((stranger: Stranger) => Promise<boolean>) | undefined;
  /** About goods that were ordered a moment ago. @param refusal that stands without a yes */
  readonly repetition?: ((refusal: ScripError) => Promise<boolean>) | undefined;
  /** It tells what the wallet holds, for which the chain is asked. */
  readonly isBalanceTold?: boolean;
  /** About the whole of it. */
  purchase(agreement: Agreement): Promise<boolean>;
}

export interface OrderRequest extends OrderTerms {
  /** Pay it from this machine's wallet. A checkout host's order is always paid: it does not exist before. */
  readonly isPaid: boolean;
  /** A phone number of another country than the product's is meant. */
  readonly allowsOtherCountry: boolean;
  readonly consent: Consent;
}

/**
 * Buys what the input names, or goes on with the purchase that was begun with the same key or, without
 * one, for the same.
 * @throws {ScripError} what speaks against it before money moves (fundsAtRisk `none`): the codes of
 * `quote`, HOST_NOT_ALLOWED and the policy's other refusals, PHONE_OTHER_COUNTRY, DUPLICATE_PURCHASE,
 * DECLINED; INTERRUPTED; ends that no document is known of, such as OUTCOME_UNKNOWN
 */
export async function order(
  deps: ScripDeps,
  merchant: Merchant,
  { orderInput, request }: { readonly orderInput: OrderInput; readonly request: OrderRequest },
): Promise<Bought> {
  const { isPaid, key, consent } = request;
  if (isPaid) await checkMerchant(deps, merchant, key !== undefined);
  const askedMs = deps.clock.now();
  const offer = await quoted(deps, merchant, orderInput);
  const timeouts = timeoutsAfter(request.timeouts, deps.clock.now() - askedMs);
  const price = pricedOrThrow(offer);
  await agreeOnCountries(offer, request);
  const paying = isPaid ? await merchant.paying() : undefined;
  // A key that does not open is found out before there is an order to pay.
  await paying?.vault();
  const found = await findBefore(deps, merchant, { offer, request, paying });
  const isNew = found.known === undefined || eventOf(found.known, 'goods') === undefined;
  const isRoomNeeded = paying !== undefined && !isPaidFor(found.known);
  const means = isRoomNeeded
    ? await meansFor(deps, merchant, { offer, price, paying, request })
    : undefined;
  // An order that is delivered already is shown again without a confirmation.
  if (isNew) {
    const { room, heldAtomic } = means ?? {};
    const isPlayMoney = paying?.spending.isPlayMoney ?? deps.place.isEmbedded;
    const agreement = { offer, price, merchant, room, heldAtomic, isPaid, isPlayMoney };
    if (!(await consent.purchase(agreement))) throw declined(isPaid);
  }
  if (paying !== undefined) await lookAfter(deps, merchant, { body: offer.body, key });
  const terms = {
    ...request,
    timeouts,
    allowsDuplicate: request.allowsDuplicate || found.isRepeated,
  };
  const placed = await merchant.place(offer, terms);
  if (isPaid) return paid(deps, placed, await merchant.pay(placed, offer, terms));
  if (placed.order === undefined) throw new ScripError('INTERNAL', verbatim('no order was made'));
  return {
    document: { form: 'partner', order: placed.order },
    error: undefined,
    isBoughtBefore: false,
  };
}

/** What is known to be bought has a document, however it went on; the rest is an error alone. */
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
  const offer = await merchant.quote(orderInput);
  deps.progress.done();
  return offer;
}

/** With problems no order is made. @throws {ScripError} ORDER_PROBLEMS */
function pricedOrThrow({ problems, price }: Quote): Price {
  const problem = problemsError(problems);
  if (problem !== undefined) throw problem;
  if (price !== undefined) return price;
  throw new ScripError('MERCHANT_REPLY_INVALID', t`The merchant returned no price`);
}

/** @throws {ScripError} PHONE_OTHER_COUNTRY without a way to ask, DECLINED */
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
  /** The purchase that is gone on with. */
  readonly known: Entry | undefined;
  /** The same was ordered a moment ago, and is wanted again. */
  readonly isRepeated: boolean;
}

/** @throws {ScripError} DUPLICATE_PURCHASE without a way to ask, DECLINED */
async function findBefore(
  deps: ScripDeps,
  merchant: Merchant,
  wanted: {
    readonly offer: Quote;
    readonly request: OrderRequest;
    readonly paying: Paying | undefined;
  },
): Promise<Before> {
  const { offer, request, paying } = wanted;
  const { key, consent } = request;
  const journal = paying?.journal ?? (await journalWithoutPaying(deps));
  const { known, twin } = await lookUp(journal, {
    ...{ key, host: merchant.host, body: canonicalJson(offer.body), summary: offer.summary },
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

/** Nothing more would be signed for it, as far as is known: its limits were checked before. */
function isPaidFor(known: Entry | undefined): boolean {
  return (
    known !== undefined &&
    (currentAttempt(known) !== undefined || eventOf(known, 'goods') !== undefined)
  );
}

interface Priced {
  readonly offer: Quote;
  readonly price: Price;
  readonly paying: Paying;
}

/** What the policy leaves for it, and what the wallet holds. */
interface Means {
  readonly room: Headroom;
  /** Of the coin; undefined where the chain was not asked. */
  readonly heldAtomic: Atomic | undefined;
}

/** @throws {ScripError} the policy's refusals, FUNDS_TOO_LOW, USAGE */
async function meansFor(
  { clock }: ScripDeps,
  { host, ordersFirst }: Merchant,
  { offer, price, paying, request }: Priced & { readonly request: OrderRequest },
): Promise<Means> {
  if (ordersFirst) checkSendable(offer);
  const room = await checkIntention({ ...paying, clock }, intentionOf(host, offer, price));
  if (!ordersFirst && !request.consent.isBalanceTold) return { room, heldAtomic: undefined };
  const { coin } = offer;
  const heldAtomic = await heldOf(paying, coin);
  // An order that could not be paid is not made: orders left unpaid count against the partner. What the
  // wallet lacks may be what this key has paid elsewhere, which is found out before it is paid again.
  if (ordersFirst || request.key === undefined) {
    checkHeld(paying.signer.address, heldAtomic, { ...price, coin });
  }
  return { room, heldAtomic };
}

/** An offer as the spending policy measures it. */
export function intentionOf(host: string, offer: Quote, price: Price): Intention {
  const { body, summary, kinds, refundsTo } = offer;
  return {
    host,
    body: canonicalJson(body),
    summary,
    ...(kinds === undefined ? {} : { kinds }),
    usdcAtomic: offer.coin === 'USDC' ? price.atomic : undefined,
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

/** How the wallet of this machine stands to an order that it would pay. */
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
 * Checks that the wallet holds enough and what the policy leaves, as for an interactive purchase.
 * @throws {ScripError} FUNDS_TOO_LOW, the policy's refusals, the codes of the wallet
 */
export async function weigh(deps: ScripDeps, merchant: Merchant, offer: Quote): Promise<Weighed> {
  const price = pricedOrThrow(offer);
  const paying = await openPaying(deps, merchant.url, 'terminal');
  const { address } = paying.signer;
  const held = await heldOf(paying, offer.coin);
  checkHeld(address, held, { ...price, coin: offer.coin });
  const intention = intentionOf(merchant.host, offer, price);
  const room = await checkIntention({ ...paying, clock: deps.clock }, intention);
  const { network } = paying.rail;
  const { isPlayMoney } = paying.spending;
  return { price, network, payer: address, balanceAtomic: held, room, isPlayMoney };
}

/** What an order would come to. */
export interface Rehearsed {
  readonly offer: Quote;
  /** Of an order that would be paid from the wallet of this machine. */
  readonly money?: Weighed;
}

/**
 * What the order would do: its price, its limit, and whether the wallet holds enough. Sends no order and
 * asks no questions.
 * @throws {ScripError} as `order` before money moves, but for problems of the order, which are a value
 */
export async function rehearse(
  deps: ScripDeps,
  merchant: Merchant,
  asked: {
    readonly orderInput: OrderInput;
    readonly isPaid: boolean;
    /** Numbers from another country pass: they need a confirmation, or are allowed. */
    readonly allowsOtherCountry: boolean;
  },
): Promise<Rehearsed> {
  const offer = await quoted(deps, merchant, asked.orderInput);
  const [stranger] = strangersAmong(offer.lines.map(({ recipient }) => recipient));
  if (stranger !== undefined && !asked.allowsOtherCountry) {
    throw otherCountryError(stranger.elsewhere);
  }
  if (!asked.isPaid || offer.price === undefined) return { offer };
  return { offer, money: await weigh(deps, merchant, offer) };
}
