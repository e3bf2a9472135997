/** The dry run of a purchase. */

import type { Merchant, OrderInput, Quote } from './merchant.ts';
import { quoted, type Weighed, weigh } from './order-checks.ts';
import { otherCountryError, strangersAmong } from './recipient.ts';
import type { ScripDeps } from './scrip.ts';

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
