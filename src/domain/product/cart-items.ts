/** Expands cart lines to single items, groups them into orders, and finds the ones already bought. */

import { canonicalJson } from '../canonical-json.ts';
import { type Entry, isPaidFor } from '../journal/journal.ts';

/** One line of a cart: product, value, recipient, note and quantity. */
export interface CartLineInput {
  readonly productId: string;
  /** Face value without trailing zeros, if the line names one. */
  readonly value?: string | undefined;
  readonly to: string;
  readonly note?: string | undefined;
  readonly quantity: number;
}

/**
 * Lists, for each line, a text for each of its items, to be hashed; the same item of the same cart has the same
 * text in any order of the lines. Equal items get a running number, so that they stay distinct whichever lines
 * they come from.
 */
export function itemsOf(lines: readonly CartLineInput[]): readonly (readonly string[])[] {
  const counts = new Map<string, number>();
  return lines.map(({ quantity, productId, value, to, note }) =>
    Array.from({ length: quantity }, () => {
      const goods = canonicalJson([productId, value ?? null, to, note ?? null]);
      const occurrence = (counts.get(goods) ?? 0) + 1;
      counts.set(goods, occurrence);
      return canonicalJson([goods, occurrence]);
    }),
  );
}

/** Groups items by kind into groups of at most `size`, in their order. */
export function splitItems<Item>(
  items: readonly Item[],
  { size, kindOf }: { readonly size: number; readonly kindOf: (item: Item) => string },
): readonly (readonly Item[])[] {
  const groups: Item[][] = [];
  const open = new Map<string, Item[]>();
  for (const item of items) {
    const kind = kindOf(item);
    const group = open.get(kind);
    if (group !== undefined && group.length < size) {
      group.push(item);
      continue;
    }
    const next = [item];
    open.set(kind, next);
    groups.push(next);
  }
  return groups;
}

/** A cart order with a payment that has landed or still may. */
export interface HeldOrder {
  readonly entry: Entry;
  readonly items: readonly string[];
}

/**
 * Returns the orders of this cart whose items must not be bought again. An order that was never signed, or
 * whose payment provably cannot land, does not count.
 */
export function heldOrders(
  entries: readonly Entry[],
  { scope, host }: { readonly scope: string; readonly host: string },
): readonly HeldOrder[] {
  return entries.flatMap((entry) => {
    const { cart } = entry.intent;
    const isOurs = cart?.scope === scope && entry.intent.host === host;
    return isOurs && isPaidFor(entry) ? [{ entry, items: cart.items }] : [];
  });
}

/**
 * Divides the amount paid for an order among its items in proportion to their prices. The shares add up to
 * the amount; the last one takes the rounding remainder.
 */
export function shareOut(paid: bigint, prices: readonly bigint[]): readonly bigint[] {
  const total = prices.reduce((sum, price) => sum + price, 0n);
  const shares = prices.map((price) => (total === 0n ? 0n : (paid * price) / total));
  const rest = paid - shares.reduce((sum, share) => sum + share, 0n);
  return shares.map((share, at) => (at === shares.length - 1 ? share + rest : share));
}

/**
 * Returns the maximum cost of each order: its quote plus a share of what the budget leaves, and at most its
 * own cap.
 * @param quotes prices of the orders; their sum must be within the budget
 */
export function capsWithin(
  quotes: readonly bigint[],
  caps: readonly bigint[],
  budget: bigint | undefined,
): readonly bigint[] {
  const total = quotes.reduce((sum, quote) => sum + quote, 0n);
  if (budget === undefined || total === 0n) return caps;
  const spare = budget - total;
  return quotes.map((quote, at) => {
    const most = quote + (spare * quote) / total;
    const cap = caps[at] ?? quote;
    return cap < most ? cap : most;
  });
}
