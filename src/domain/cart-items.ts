/** What a cart comes to: items that are told apart, orders of a few of them, and which are bought. */
import { canonicalJson } from './canonical-json.ts';
import { currentAttempt, type Entry, eventOf } from './journal.ts';

/** One line of a cart, as far as it says what is wanted. */
export interface CartLineInput {
  readonly productId: string;
  /** Face value without trailing zeros, where the line names one. */
  readonly value: string | undefined;
  readonly to: string;
  readonly note: string | undefined;
  readonly quantity: number;
}

/** One thing for one person. */
export interface CartItem {
  /** Index of its line among the lines. */
  readonly line: number;
  /** Equal for the same item of the same cart, in any order of the lines; a text to be hashed. */
  readonly identity: string;
}

/**
 * The items of a cart in its order, a line as often as its quantity says. Equal items are kept
 * apart by counting: the third of them is the third whichever line it stands in.
 */
export function itemsOf(lines: readonly CartLineInput[]): readonly CartItem[] {
  const counts = new Map<string, number>();
  return lines.flatMap(({ quantity, productId, value, to, note }, line) =>
    Array.from({ length: quantity }, () => {
      const goods = canonicalJson([productId, value ?? null, to, note ?? null]);
      const occurrence = (counts.get(goods) ?? 0) + 1;
      counts.set(goods, occurrence);
      return { line, identity: canonicalJson([goods, occurrence]) };
    }),
  );
}

/** Splits into groups of at most `size`; a group holds one kind, and keeps the order. */
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

/** An order of a cart that is paid, or may be. */
export interface HeldOrder {
  readonly entry: Entry;
  readonly items: readonly string[];
}

/**
 * Orders of this cart that nothing may be bought in place of. What was never signed, or is proven
 * unable to land, holds nothing.
 */
export function heldOrders(
  entries: readonly Entry[],
  { scope, host }: { readonly scope: string; readonly host: string },
): readonly HeldOrder[] {
  return entries.flatMap((entry) => {
    const { cart } = entry.intent;
    const isOurs = cart?.scope === scope && entry.intent.host === host;
    const isHeld = currentAttempt(entry) !== undefined || eventOf(entry, 'goods') !== undefined;
    return isOurs && isHeld ? [{ entry, items: cart.items }] : [];
  });
}

/**
 * Divides what was paid for an order among its items in proportion to their prices; the shares add
 * up to it, what rounding leaves goes to the last.
 */
export function shareOut(paid: bigint, prices: readonly bigint[]): readonly bigint[] {
  const total = prices.reduce((sum, price) => sum + price, 0n);
  const shares = prices.map((price) => (total === 0n ? 0n : (paid * price) / total));
  const rest = paid - shares.reduce((sum, share) => sum + share, 0n);
  return shares.map((share, at) => (at === shares.length - 1 ? share + rest : share));
}

/**
 * The most that each order may cost: its quote and the tolerance above it, and all of them together
 * no more than the budget.
 * @param quotes prices of the orders; their sum is within the budget
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
