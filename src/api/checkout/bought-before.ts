/** Finds an earlier purchase of an idempotency key at the checkout host, using only the journal. */

import { type Entry, eventOf } from '../../domain/journal/journal.ts';
import type { Bought, Merchant, OrderInput, OrderTerms } from '../merchant.ts';
import { type ScripDeps, walletIfThere } from '../scrip.ts';
import { canonicalValue, offerAgain } from './checkout-quote.ts';
import { checkoutHostName } from './merchant.ts';

/**
 * Returns the purchase of a key; undefined if there is none at this host.
 * @throws {ScripError} JOURNAL_UNUSABLE
 */
export async function begunWith(deps: ScripDeps, key: string): Promise<Entry | undefined> {
  const signer = await walletIfThere(deps);
  if (signer === undefined) return undefined;
  const entry = await (await deps.journal(signer)).byKey(key);
  const isOurs = entry?.intent.host === checkoutHostName(deps.place);
  return isOurs && entry?.intent.partner === undefined ? entry : undefined;
}

/** Returns the chosen face value of its first item; undefined for a fixed product. */
export function valueBegun({ intent }: Entry): string | undefined {
  const value = offerAgain(intent).body.items[0]?.product_value;
  return value === undefined ? undefined : canonicalValue(String(value));
}

/** Returns a finished purchase when exactly the same is ordered, without a request to the merchant. */
export async function goodsBefore(
  merchant: Merchant,
  {
    entry,
    orderInput,
    terms,
  }: { readonly entry: Entry; readonly orderInput: OrderInput; readonly terms: OrderTerms },
): Promise<Bought | undefined> {
  if (eventOf(entry, 'goods') === undefined) return undefined;
  if (!isSame(entry, orderInput)) return undefined;
  return merchant.pay({ entry }, offerAgain(entry.intent), terms);
}

/** Whether the same is ordered, in the same words. @throws {ScripError} JOURNAL_UNUSABLE */
export function isSame(
  { intent }: Entry,
  { email: wanted = '', items: [chosen], callbackUrl }: OrderInput,
): boolean {
  const { email, items, callback_url: url } = offerAgain(intent).body;
  const [item, ...others] = items;
  if (item === undefined || chosen === undefined || others.length > 0) return false;
  const value = chosen.value === undefined ? undefined : Number(canonicalValue(chosen.value));
  return (
    email === wanted.trim() &&
    url === callbackUrl &&
    item.product_id === chosen.productId &&
    item.product_value === value &&
    item.beneficiary_account === chosen.to.trim()
  );
}
