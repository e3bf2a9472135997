/** From checked lines to the orders that buy what is not bought yet. */

import type { PurchaseRequest } from '../../api/checkout/purchase-deps.ts';
import { sha256 } from '../../api/payment/digest.ts';
import {
  MAX_ITEMS_PER_ORDER,
  orderRequest,
  type WireOrderItem,
  type WireOrderRequest,
} from '../../contract/checkout.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { checkCap, defaultCap, type OverCap } from '../../domain/cap.ts';
import { capsWithin, type HeldOrder, itemsOf, splitItems } from '../../domain/cart-items.ts';
import { ScripError } from '../../domain/errors.ts';
import { factOf, type Intent, lastAttempt } from '../../domain/journal.ts';
import { t } from '../../domain/message.ts';
import { type Atomic, atomic, parseAtomic } from '../../domain/money.ts';
import { formatUsdc } from '../amount.ts';
import type { CartRow, Offer } from './checking.ts';

/** One thing for one person, and the id that it is known by from run to run. */
export interface RowItem {
  readonly row: CartRow;
  readonly id: string;
}

/** An order to be placed, or one of an earlier run to be finished or looked up. */
export interface PlannedOrder {
  readonly request: PurchaseRequest;
  /** Ids of its items, and what each was quoted at. */
  readonly items: readonly string[];
  readonly pricesAtomic: readonly Atomic[];
  /** Paid, or perhaps paid, by an earlier run. */
  readonly isHeld: boolean;
}

/** Long enough that no two items of anybody's carts are ever taken for one. */
const ID_LENGTH = 32;

export async function identify(rows: readonly CartRow[]): Promise<readonly RowItem[]> {
  const items = itemsOf(rows).flatMap(({ wish, identity }) => {
    const row = rows[wish];
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
  readonly allowsDuplicate: boolean;
  readonly note: string | undefined;
}

/** Orders of at most ten items of one country, in the order of the lines. */
export async function planOrders(
  items: readonly RowItem[],
  offers: ReadonlyMap<CartRow, Offer>,
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

type Offered = RowItem & { readonly offer: Offer };

async function planOrder(
  group: readonly Offered[],
  { scope, host, email, note }: PlanOptions,
): Promise<PlannedOrder> {
  const body: WireOrderRequest = { email, items: group.map(wireItem) };
  const items = group.map(({ id }) => id);
  const pricesAtomic = group.map(({ offer }) => offer.goods.priceAtomic);
  const quotedAtomic = sum(pricesAtomic);
  const kinds = group.flatMap(({ offer }) => offer.goods.kind ?? []);
  const digest = await sha256(canonicalJson([host, scope, items, body]));
  return {
    items,
    pricesAtomic,
    isHeld: false,
    request: {
      key: `cart-${scope === '' ? '' : `${scope}-`}${digest.slice(0, ID_LENGTH)}`,
      body,
      quotedAtomic,
      capAtomic: defaultCap(quotedAtomic),
      summary: summaryOf(group),
      note,
      // One kind that is not known, and the policy is told of none.
      ...(kinds.length < group.length ? {} : { kinds: [...new Set(kinds)] }),
      // Twins were looked for in the whole cart before the first order.
      allowsDuplicate: true,
      cart: { scope, items, pricesAtomic: pricesAtomic.map(String) },
    },
  };
}

function wireItem({ row, offer }: Offered): WireOrderItem {
  const { productValue } = offer.goods;
  return {
    product_id: row.productId,
    beneficiary_account: offer.recipient.account,
    ...(productValue === undefined ? {} : { product_value: productValue }),
  };
}

function summaryOf(group: readonly Offered[]): Intent['summary'] {
  const [first] = group;
  const quote = first?.offer.goods.quote;
  const more = group.length > 1 ? ` and ${group.length - 1} more` : '';
  return {
    productId: first?.row.productId ?? '',
    productName: `${quote?.product_name ?? quote?.brand_name ?? ''}${more}`,
    brandName: quote?.brand_name ?? '',
    countryCode: first?.offer.goods.countryCode ?? '',
    faceValue: String(quote?.face_value ?? ''),
    currency: quote?.currency ?? '',
    beneficiary: `${first?.offer.recipient.account ?? ''}${more}`,
  };
}

/** An order of an earlier run, asked for again in its own words. @throws {ScripError} JOURNAL_UNUSABLE */
export function plannedBefore({ entry, items }: HeldOrder): PlannedOrder {
  const { intent } = entry;
  const body = orderRequest().safeParse(JSON.parse(intent.body));
  if (!body.success) {
    const what = t`The order ${intent.intentId} of this cart cannot be read`;
    throw new ScripError('JOURNAL_UNUSABLE', what, { cause: body.error });
  }
  const { key, summary, kinds, cart } = intent;
  return {
    items,
    pricesAtomic: (cart?.pricesAtomic ?? []).map(parseAtomic),
    isHeld: true,
    request: {
      key,
      summary,
      body: body.data,
      quotedAtomic: parseAtomic(intent.quotedAtomic),
      capAtomic: parseAtomic(intent.capAtomic),
      ...(kinds === undefined ? {} : { kinds }),
    },
  };
}

/** What an order of an earlier run has cost, or may still. */
function costBefore({ entry }: HeldOrder): Atomic {
  const attempt = lastAttempt(entry);
  const isOver = factOf(entry, 'goods') !== undefined;
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
  const quotes = orders.map(({ request }) => request.quotedAtomic);
  const total = sum(quotes);
  if (orders.length === 0) return orders;
  checkCap(before + total, budgetAtomic, () => overBudget(atomic(before + total), budgetAtomic));
  const usual = orders.map(({ request }) => request.capAtomic);
  const caps = capsWithin(quotes, usual, budgetAtomic - before);
  return orders.map((order, at) => ({
    ...order,
    request: { ...order.request, capAtomic: atomic(caps[at] ?? order.request.quotedAtomic) },
  }));
}

function overBudget(totalAtomic: Atomic, budgetAtomic: Atomic): OverCap {
  const [total, budget] = [formatUsdc(totalAtomic), formatUsdc(budgetAtomic)];
  return {
    message: t`the cart costs ${total} USDC, more than the ${budget} allowed; nothing was sent`,
    hint: t`Raise --max-total if the price is right for you.`,
    details: { total_usdc: total, max_total_usdc: budget },
  };
}

export function sum(amounts: readonly Atomic[]): Atomic {
  return atomic(amounts.reduce((total, amount) => total + amount, 0n));
}
