/**
 * One purchase from any merchant: quoted, confirmed, paid once. `scrip order`, the wizard, agents' tools and
 * the library all buy through it.
 */

import { networkTitle } from '../contract/usdc.ts';
import { canonicalJson } from '../domain/canonical-json.ts';
import {
  currentAttempt,
  type Entry,
  eventOf,
  isFinished,
  isPaidFor,
  NO_WALLET,
} from '../domain/journal/journal.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t, verbatim } from '../domain/message/message.ts';
import type { Atomic } from '../domain/money/money.ts';
import type { PurchaseStatus } from '../domain/order/order-states.ts';
import type { Bought, Merchant, OrderInput, OrderTerms, Placed, Price, Quote } from './merchant.ts';
import { meansFor, pricedOrThrow, quoted } from './order-checks.ts';
import type { Paying } from './paying.ts';
import { duplicateError, findTwin, lookUp } from './payment/intent.ts';
import { checkMerchant, type Headroom } from './payment/spending.ts';
import { otherCountryError, type Stranger, strangersAmong } from './recipient.ts';
import { type ScripDeps, walletIfThere } from './scrip.ts';
import { timeoutsAfter } from './timeouts.ts';

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
  /** The merchant has taken the payment of an earlier run, which this one continues. */
  readonly isPaidAlready: boolean;
  /** The same was ordered a moment ago: why it is refused unless it is agreed to all the same. */
  readonly repeated: ScripError | undefined;
}

/** The questions to confirm before money moves. Without one, the order is refused. */
export interface Consent {
  /** Asks about a phone number of another country than the product's. */
  readonly otherCountry?: ((stranger: Stranger) => Promise<boolean>) | undefined;
  /** Whether a person is asked: also about goods ordered a moment ago, not about what is paid already. */
  readonly isAsking?: boolean;
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
  const asked = await quoted(deps, merchant, orderInput);
  const timeouts = timeoutsAfter(request.timeouts, deps.clock.now() - askedMs);
  const price = pricedOrThrow(asked);
  await agreeOnCountries(asked, request);
  const paying = isPaid ? await merchant.paying() : undefined;
  const quote =
    paying === undefined || merchant.ordersFirst
      ? asked
      : { ...asked, network: networkTitle(paying.rail.network) };
  // Unlock the key before creating an order that it must pay.
  await paying?.vault();
  const { known, repeated } = await findBefore(deps, merchant, quote, { request, paying });
  const isNew = known === undefined || eventOf(known, 'goods') === undefined;
  // The limits of a purchase that is paid for were checked already.
  const isRoomNeeded = paying !== undefined && (known === undefined || !isPaidFor(known));
  const means = isRoomNeeded
    ? await meansFor(deps, merchant, { ...quote, price }, paying, request)
    : undefined;
  const isPaidAlready = isPaid && isTaken(known);
  const signsNothing = isPaidAlready && consent.isAsking === true;
  // A delivered order is shown again without a confirmation, and a paid one is waited for.
  if (isNew && !signsNothing) {
    const { room, heldAtomic } = means ?? {};
    const isPlayMoney = paying?.spending.isPlayMoney ?? deps.place.isEmbedded;
    const sums = { price, room, heldAtomic, isPaid, isPaidAlready, isPlayMoney };
    const agreement = { offer: quote, merchant, ...sums, repeated };
    if (!(await consent.purchase(agreement))) throw declined(isPaid);
  }
  if (paying !== undefined) {
    const { reconcileUnfinished } = await import('./reconcile-unfinished.ts');
    await reconcileUnfinished(deps, merchant, { body: quote.body, key });
  }
  const allowsDuplicate = request.allowsDuplicate || repeated !== undefined;
  const terms = { ...request, timeouts, allowsDuplicate, signsNothing };
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

/**
 * Finds earlier purchases in the journal: the one to continue, and the error for the same goods ordered a
 * moment ago, which the user may want again.
 * @throws {ScripError} DUPLICATE_PURCHASE if it cannot ask
 */
async function findBefore(
  deps: ScripDeps,
  { host, isStillMeant, ordersFirst }: Merchant,
  { body, summary }: Quote,
  { request, paying }: { readonly request: OrderRequest; readonly paying: Paying | undefined },
) {
  const { key, consent } = request;
  const ownJournal = async () =>
    deps.journal({ address: (await walletIfThere(deps))?.address ?? NO_WALLET });
  const journal = paying?.journal ?? (await ownJournal());
  const order = { host, body: canonicalJson(body), summary, nowMs: deps.clock.now() };
  const { known, twin: own } = await lookUp(journal, { ...order, key, isStillMeant });
  // Also before there was a wallet, paid from elsewhere.
  const old = async () => findTwin(await deps.journal({ address: NO_WALLET }), order);
  const twin = own ?? (known === undefined ? await old() : undefined);
  if (known !== undefined && request.isPaid && isTaken(known)) {
    deps.notify({ kind: 'paid-already', begun: known.intent, key });
  } else if (known !== undefined && key === undefined && !ordersFirst) {
    deps.notify({ kind: 'resuming', begun: known.intent });
  }
  if (twin === undefined || request.allowsDuplicate) return { known, repeated: undefined };
  const repeated = duplicateError(twin);
  if (consent.isAsking !== true) throw repeated;
  return { known, repeated };
}

/** Whether the merchant or the chain has its payment, and its goods have not come yet. */
function isTaken(known: Entry | undefined): boolean {
  const attempt = known && currentAttempt(known);
  if (known === undefined || attempt === undefined || isFinished(known)) return false;
  return (['accepted', 'landed'] as const).some((kind) => eventOf(known, kind, attempt.number));
}

function declined(isPaid: boolean): ScripError {
  return new ScripError(
    'DECLINED',
    isPaid ? t`You declined; nothing was charged` : t`You declined; no order was placed`,
  );
}
