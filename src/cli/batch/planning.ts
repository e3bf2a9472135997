/** From checked lines to the orders that buy what is not bought yet. */

import {
  offerAgain,
  offerOf,
  type PricedLine,
  type PricedQuote,
} from '../../api/checkout/checkout-quote.ts';
import type { OrderTerms } from '../../api/merchant.ts';
import { sha256 } from '../../api/payment/digest.ts';
import type { Timeouts } from '../../api/timeouts.ts';
import { MAX_ITEMS_PER_ORDER } from '../../contract/checkout.ts';
import { USDC_DECIMALS } from '../../contract/usdc.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { checkCap, defaultCap, type OverCap } from '../../domain/cap.ts';
import { capsWithin, type HeldOrder, itemsOf, splitItems } from '../../domain/cart-items.ts';
import { eventOf, lastAttempt } from '../../domain/journal.ts';
import { t } from '../../domain/message.ts';
import { type Atomic, atomic, parseAtomic } from '../../domain/money.ts';
import { formatUsdc } from '../amount.ts';
import type { CartRow } from './checking.ts';

/** One thing for one person, and the id that it is known by from run to run. */
export interface RowItem {
  readonly row: CartRow;
  readonly id: string;
}

/** An order to be placed, or one of an earlier run to be finished or looked up. */
export interface PlannedOrder {
  readonly offer: PricedQuote;
  readonly terms: OrderTerms;
  /** Ids of its items, and what each was quoted at. */
  readonly items: readonly string[];
  readonly pricesAtomic: readonly Atomic[];
  /** Paid, or perhaps paid, by an earlier run. */
  readonly isHeld: boolean;
}

/** Long enough that two items never share an id. */
const ID_LENGTH = 32;

export async function identify(rows: readonly CartRow[]): Promise<readonly RowItem[]> {
  const items = itemsOf(rows).flatMap(({ line, identity }) => {
    const row = rows[line];
    return row === undefined ? [] : [{ row, identity }];
  });
  return Promise.all(
    items.map(async ({ row, identity }) => ({
      row,
      id: (await sha256(identity)).slice(0, ID_LENGTH),
    })),
  );
}

interface PlanOptions {
  readonly scope: string;
  readonly host: string;
  readonly email: string;
  readonly note: string | undefined;
  readonly timeouts: Timeouts;
}

/** Orders of at most ten items of one country, in the order of the lines. */
export async function planOrders(
  items: readonly RowItem[],
  offers: ReadonlyMap<CartRow, PricedLine>,
  options: PlanOptions,
): Promise<readonly PlannedOrder[]> {
  const wanted = items.flatMap(({ row, id }) => {
    const offer = offers.get(row);
    return offer === undefined ? [] : [{ row, id, offer }];
  });
  const groups = splitItems(wanted, {
    size: MAX_ITEMS_PER_ORDER,
    kindOf: ({ offer }) => offer.goods.countryCode,
  });
  return Promise.all(groups.map((group) => planOrder(group, options)));
}

type Offered = RowItem & { readonly offer: PricedLine };

async function planOrder(
  group: readonly Offered[],
  { scope, host, email, note, timeouts }: PlanOptions,
): Promise<PlannedOrder> {
  const offer = offerOf(
    group.map((item) => item.offer),
    { email, capOf: (priceAtomic) => defaultCap(priceAtomic, USDC_DECIMALS) },
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

/** An order of an earlier run, asked for again. @throws {ScripError} JOURNAL_UNUSABLE */
export function plannedBefore(
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
    // Twins were looked for in the whole cart before the first order.
    allowsDuplicate: true,
    opensAccount: false,
    // What is not here in time is told line by line, whether it was waited for or not.
    isWaiting: true,
  };
}

/** What an order of an earlier run has cost, or may still. */
function costBefore({ entry }: HeldOrder): Atomic {
  const attempt = lastAttempt(entry);
  const isOver = eventOf(entry, 'goods') !== undefined;
  return parseAtomic(
    isOver && attempt !== undefined ? attempt.amountAtomic : entry.intent.capAtomic,
  );
}

/**
 * Lowers the caps so that all orders together stay within the budget of the cart, what earlier runs
 * of it cost included.
 * @throws {ScripError} AMOUNT_OVER_CAP when the quotes alone are over it
 */
export function keepWithin(
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
    message: t`the cart costs ${total} USDC, more than the ${budget} allowed; nothing was sent`,
    hint: t`Raise --max-total to accept the price.`,
    details: { total_usdc: total, max_total_usdc: budget },
  };
}

export function sum(amounts: readonly Atomic[]): Atomic {
  return atomic(amounts.reduce((total, amount) => total + amount, 0n));
}
