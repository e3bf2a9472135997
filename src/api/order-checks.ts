/** The price of an order, and what is checked about policy and wallet before the order is made. */

import { canonicalJson } from '../domain/canonical-json.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import type { Merchant, OrderInput, OrderTerms, Price, Quote } from './merchant.ts';
import { problemsError } from './partner/problems.ts';
import { openPaying, type Paying } from './paying.ts';
import { checkHeld, heldOf, shortageOf } from './payment/funds.ts';
import type { Intention } from './payment/measure.ts';
import { checkIntention } from './payment/spending.ts';
import { otherCountryError, strangersAmong } from './recipient.ts';
import type { ScripDeps } from './scrip.ts';

/** Asks the merchant for the price. @throws {ScripError} the codes of `quote` */
export async function quoted(
  deps: ScripDeps,
  merchant: Merchant,
  orderInput: OrderInput,
): Promise<Quote> {
  deps.progress.step(t`Asking for the price`);
  const quote = await merchant.quote(orderInput);
  deps.progress.done();
  return quote;
}

/** Returns the price; an order with problems is not created. @throws {ScripError} ORDER_PROBLEMS */
export function pricedOrThrow({ problems, price }: Quote): Price {
  const problem = problemsError(problems);
  if (problem !== undefined) throw problem;
  if (price !== undefined) return price;
  throw new ScripError('MERCHANT_REPLY_INVALID', t`The merchant returned no price`);
}

/**
 * Checks that policy and wallet allow the purchase.
 * @returns what the policy leaves to spend, and the wallet's balance in the coin of the order: undefined when
 * the chain was not read
 * @throws {ScripError} the policy's refusals, FUNDS_TOO_LOW, USAGE
 */
export async function meansFor(
  { clock }: ScripDeps,
  { host, ordersFirst }: Merchant,
  quote: Quote & { readonly price: Price },
  paying: Paying,
  {
    key,
    consent,
  }: Pick<OrderTerms, 'key'> & { readonly consent: { readonly isBalanceTold?: boolean } },
) {
  if (ordersFirst) checkSendable(quote);
  const { coin, price } = quote;
  const room = await checkIntention({ ...paying, clock }, intentionOf(host, quote, price));
  if (!ordersFirst && !consent.isBalanceTold) return { room };
  const heldAtomic = await heldOf(paying, coin);
  // Create no order that cannot be paid: unpaid orders count against the partner. At a checkout host, skip
  // the check for a purchase with a key: the money may be missing because this key has already paid from
  // another machine, which is detected before paying again.
  if (ordersFirst || key === undefined) {
    checkHeld(paying, heldAtomic, { ...price, coin });
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
    kinds,
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
      hint: t`With --pay, order in USDC or SOL on Solana. To pay USDC on Base from this wallet, leave out --via, --coin and --pay. Without --pay alone, the order shows address, payment URI and QR code.`,
    },
  );
}

/** Price, balance and limits of an order that the wallet would pay. */
export type Weighed = Awaited<ReturnType<typeof weigh>>;

/**
 * Returns whether the wallet holds enough, and what the policy leaves, as for an interactive purchase.
 * `shortage` is the error for a wallet that holds less than the price.
 * @throws {ScripError} the policy's refusals, the codes of the wallet
 */
export async function weigh(deps: ScripDeps, merchant: Merchant, quote: Quote) {
  const price = pricedOrThrow(quote);
  const paying = await openPaying(deps, merchant.url, { channel: 'terminal' });
  const { address } = paying.signer;
  const held = await heldOf(paying, quote.coin);
  const shortage = shortageOf(paying, held, { ...price, coin: quote.coin });
  const intention = intentionOf(merchant.host, quote, price);
  const room = await checkIntention({ ...paying, clock: deps.clock }, intention);
  const { network } = paying.rail;
  const { isPlayMoney } = paying.spending;
  return { price, network, payer: address, balanceAtomic: held, shortage, room, isPlayMoney };
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
