/** Plans the orders that buy those checked lines which were not bought yet. */

import {
  offerAgain,
  offerOf,
  type PricedLine,
  type PricedQuote,
} from '../../api/checkout/checkout-quote.ts';
import type { OrderTerms } from '../../api/merchant.ts';
import { duplicateError } from '../../api/payment/intent.ts';
import { sha256 } from '../../api/payment/outcome.ts';
import type { Timeouts } from '../../api/timeouts.ts';
import { MAX_ITEMS_PER_ORDER } from '../../contract/checkout.ts';
import { USDC_DECIMALS } from '../../contract/usdc.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { type Entry, eventOf, lastAttempt } from '../../domain/journal/journal.ts';
import { t } from '../../domain/message/message.ts';
import { checkCap, defaultCap, type OverCap } from '../../domain/money/cap.ts';
import { type Atomic, atomic, parseAtomic } from '../../domain/money/money.ts';
import { findDuplicate } from '../../domain/order/ordered-products.ts';
import {
  capsWithin,
  type HeldOrder,
  itemsOf,
  splitItems,
} from '../../domain/product/cart-items.ts';
import { formatUsdc } from '../amount.ts';
import { type CartRow, isWrong } from './checking.ts';

/** An order to be placed, or an earlier run's order to finish or look up. */
export interface PlannedOrder {
  readonly offer: PricedQuote;
  readonly terms: OrderTerms;
  /** Ids of its items, and their quoted prices. */
  readonly items: readonly string[];
  readonly pricesAtomic: readonly Atomic[];
  /** Paid, or perhaps paid, by an earlier run. */
  readonly isHeld: boolean;
}

/** Long enough that two items never share an id. */
const ID_LENGTH = 32;

/** Adds the ids of their items to the lines that can be bought. */
export async function identify(rows: readonly CartRow[]): Promise<readonly CartRow[]> {
  const good = rows.filter((row) => !isWrong(row));
  const identities = itemsOf(good.map(({ productId = '', ...row }) => ({ ...row, productId })));
  const idOf = async (identity: string) => (await sha256(identity)).slice(0, ID_LENGTH);
  const ids = await Promise.all(identities.map((texts) => Promise.all(texts.map(idOf))));
  const known = new Map(good.map((row, at) => [row, ids[at]]));
  return rows.map((row) => ({ ...row, ids: known.get(row) ?? [] }));
}

/** What this run may buy, and what earlier runs bought. */
export interface CheckedCart {
  readonly rows: readonly CartRow[];
  /** Orders that may have bought some of their items. */
  readonly held: readonly HeldOrder[];
  /** The whole journal. */
  readonly entries: readonly Entry[];
}

interface PlanOptions {
  readonly scope: string;
  readonly host: string;
  readonly email: string;
  readonly note: string | undefined;
  readonly timeouts: Timeouts;
  readonly allowsDuplicate: boolean;
  readonly budgetAtomic: Atomic | undefined;
  readonly nowMs: number;
}

/**
 * Returns the orders of a cart, those of earlier runs first.
 * @throws {ScripError} DUPLICATE_PURCHASE, AMOUNT_OVER_CAP, JOURNAL_UNUSABLE
 */
export async function planCart(
  { rows, held, entries }: CheckedCart,
  options: PlanOptions,
): Promise<readonly PlannedOrder[]> {
  const planned = await planOrders(rows, held, options);
  if (!options.allowsDuplicate) refuseTwins(entries, planned, options);
  const within = keepWithin(planned, held, options.budgetAtomic);
  return [...held.map((order) => plannedBefore(order, options)), ...within];
}

/** Refuses an order placed a moment ago outside of this cart. @throws {ScripError} DUPLICATE_PURCHASE */
function refuseTwins(
  entries: readonly Entry[],
  orders: readonly PlannedOrder[],
  { scope, host, nowMs }: PlanOptions,
): void {
  const others = entries.filter(({ intent }) => intent.cart?.scope !== scope);
  for (const { offer } of orders) {
    const body = canonicalJson(offer.body);
    const twin = findDuplicate(others, { body, host, nowMs, summary: offer.summary });
    if (twin !== undefined) throw duplicateError(twin);
  }
}

/** Groups items that no earlier run bought into orders of at most ten of one country, in the order of the lines. */
export async function planOrders(
  rows: readonly CartRow[],
  held: readonly HeldOrder[],
  options: PlanOptions,
): Promise<readonly PlannedOrder[]> {
  const before = new Set(held.flatMap(({ items }) => items));
  const wanted = rows.flatMap((row) => {
    const { offer, ids } = row;
    if (offer === undefined || isWrong(row)) return [];
    return ids.filter((id) => !before.has(id)).map((id) => ({ row, id, offer }));
  });
  const groups = splitItems(wanted, {
    size: MAX_ITEMS_PER_ORDER,
    kindOf: ({ offer }) => offer.goods.countryCode,
  });
  return Promise.all(groups.map((group) => planOrder(group, options)));
}

interface Item {
  readonly row: CartRow;
  readonly id: string;
  readonly offer: PricedLine;
}

async function planOrder(
  group: readonly Item[],
  { scope, host, email, note, timeouts }: PlanOptions,
): Promise<PlannedOrder> {
  const offer = offerOf(
    group.map((item) => item.offer),
    { email },
    (priceAtomic) => defaultCap(priceAtomic, USDC_DECIMALS),
  );
  const items = group.map(({ id }) => id);
  const pricesAtomic = group.map((item) => item.offer.goods.priceAtomic);
  const digest = await sha256(canonicalJson([host, scope, items, offer.body]));
  const found = group.map(({ row: { words: line, brand } }) =>
    line === undefined ? null : { line, brand },
  );
  return {
    ...{ items, pricesAtomic, offer },
    isHeld: false,
    terms: {
      ...termsOf(`cart-${scope === '' ? '' : `${scope}-`}${digest.slice(0, ID_LENGTH)}`, timeouts),
      note,
      cart: {
        ...{ scope, items, pricesAtomic: pricesAtomic.map(String) },
        ...(found.some((one) => one !== null) ? { found } : {}),
      },
    },
  };
}

/** Plans an earlier run's order again. @throws {ScripError} JOURNAL_UNUSABLE */
function plannedBefore(
  { entry: { intent }, items }: HeldOrder,
  { timeouts }: Pick<PlanOptions, 'timeouts'>,
): PlannedOrder {
  return {
    items,
    pricesAtomic: (intent.cart?.pricesAtomic ?? []).map(parseAtomic),
    isHeld: true,
    offer: offerAgain(intent),
    terms: termsOf(intent.key, timeouts),
  };
}

function termsOf(key: string, timeouts: Timeouts): OrderTerms {
  return {
    ...{ key, timeouts },
    // Duplicates were looked for in the whole cart before the first order.
    allowsDuplicate: true,
    opensAccount: false,
    // Deliveries still pending are reported by line, with or without --no-wait.
    isWaiting: true,
  };
}

/** What an earlier run's order has cost, or still may. */
function costBefore({ entry }: HeldOrder): Atomic {
  const attempt = lastAttempt(entry);
  const isOver = eventOf(entry, 'goods') !== undefined;
  return parseAtomic(
    isOver && attempt !== undefined ? attempt.amountAtomic : entry.intent.capAtomic,
  );
}

/**
 * Lowers the caps so that all orders, earlier runs' included, stay within the cart's budget.
 * @throws {ScripError} AMOUNT_OVER_CAP when the quoted prices alone exceed it
 */
function keepWithin(
  orders: readonly PlannedOrder[],
  held: readonly HeldOrder[],
  budgetAtomic: Atomic | undefined,
): readonly PlannedOrder[] {
  if (budgetAtomic === undefined) return orders;
  const before = held.reduce((total, order) => total + costBefore(order), 0n);
  const quotes = orders.map(({ offer }) => offer.price.atomic);
  const total = sum(quotes);
  if (orders.length === 0) return orders;
  checkCap(before + total, budgetAtomic, () => overBudget(atomic(before + total), budgetAtomic));
  const usual = orders.map(({ offer }) => offer.price.capAtomic);
  const caps = capsWithin(quotes, usual, budgetAtomic - before);
  return orders.map((order, at) => {
    const { offer } = order;
    const capAtomic = atomic(caps[at] ?? offer.price.atomic);
    return { ...order, offer: { ...offer, price: { ...offer.price, capAtomic } } };
  });
}

function overBudget(totalAtomic: Atomic, budgetAtomic: Atomic): OverCap {
  const [total, budget] = [formatUsdc(totalAtomic), formatUsdc(budgetAtomic)];
  return {
    message: t`The cart costs ${total} USDC, more than the ${budget} allowed; nothing was sent`,
    hint: t`Raise --max-total to accept the price.`,
    details: { total_usdc: total, max_total_usdc: budget },
  };
}

export function sum(amounts: readonly Atomic[]): Atomic {
  return atomic(amounts.reduce((total, amount) => total + amount, 0n));
}
