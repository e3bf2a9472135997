/** The outcome of each line of a cart. */

import type { BatchResult } from '../../api/batch/batch.ts';
import { quoteLineOf } from '../../api/checkout/checkout-quote.ts';
import type { Bought } from '../../api/merchant.ts';
import type { Receipt } from '../../api/receipt.ts';
import type { WireDelivery } from '../../contract/checkout.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Said, t, verbatim } from '../../domain/message/message.ts';
import { type Atomic, atomic } from '../../domain/money/money.ts';
import { LINE_STATUSES, type LineStatus } from '../../domain/order/order-states.ts';
import { shareOut } from '../../domain/product/cart-items.ts';
import { codesIn } from '../../domain/product/delivered.ts';
import { describeGoods, type Goods, goodsOf } from '../orders/deliveries.ts';
import { type CartRow, isWrong } from './checking.ts';
import { type PlannedOrder, sum } from './planning.ts';

export type ItemCode = Pick<Goods, 'code' | 'serial' | 'securityCode'>;

/** The outcome of one item. */
export interface ItemResult {
  readonly status: LineStatus;
  readonly orderId: string | null;
  readonly transaction: string | null;
  /** Its share of the order's price. */
  readonly amountAtomic: Atomic | null;
  /** What redeems it; parts that it does not have are empty. */
  readonly codes: readonly ItemCode[];
  /** Bought by an earlier run: nothing was paid for it now. */
  readonly isBefore: boolean;
  readonly error: ScripError | undefined;
  /** As the merchant names it, if it delivered. */
  readonly name?: Said | undefined;
}

/** A line of the cart with its outcome. */
export interface LineResult extends Omit<ItemResult, 'orderId' | 'transaction' | 'error'> {
  readonly row: CartRow;
  readonly orderIds: readonly string[];
  readonly transactions: readonly string[];
  /** Of a line that cannot be bought, all its problems; otherwise at most one. */
  readonly errors: readonly ScripError[];
}

export const NOTHING = {
  orderId: null,
  transaction: null,
  amountAtomic: null,
  codes: [],
  isBefore: false,
  error: undefined,
} as const;

/** Returns the outcomes of an order's items, by item id. */
export function itemResults(
  order: PlannedOrder,
  result: BatchResult,
): ReadonlyMap<string, ItemResult> {
  const resultAt = resultsOf(order, result);
  return new Map(order.items.map((id, at) => [id, resultAt(at)]));
}

function resultsOf(order: PlannedOrder, result: BatchResult): (at: number) => ItemResult {
  const { isHeld, pricesAtomic } = order;
  if (result.kind === 'left') {
    const status = isHeld ? 'processing' : 'open';
    return () => ({ ...NOTHING, status, error: result.cause });
  }
  if (result.kind === 'error') return () => withoutOutcome(isHeld, result.error);
  const { error, isBoughtBefore } = result.bought;
  const { status, orderId, payment, deliveries } = receiptIn(result.bought);
  const isPaid = payment !== null && status !== 'unpaid';
  const shares = isPaid ? shareOut(payment.amountAtomic, pricesAtomic) : [];
  const handed = deliveriesOf(order, deliveries);
  return (at) => ({
    ...itemStatus(LINE_STATUSES.find((known) => known === status) ?? 'unknown', handed[at], error),
    orderId,
    transaction: payment?.transaction ?? null,
    amountAtomic: isPaid ? atomic(shares[at] ?? 0n) : null,
    codes: codesOf(handed[at]),
    isBefore: isBoughtBefore,
    name: handed[at]?.brand_name === undefined ? undefined : describeGoods(handed[at]),
  });
}

/** Carts are bought from the checkout host, so there is always a receipt. */
function receiptIn({ document }: Bought): Receipt {
  if (document.form === 'receipt') return document.receipt;
  throw new ScripError('INTERNAL', verbatim('An order of a cart has no receipt'));
}

/** Either nothing was charged, or the error says what is at risk. */
function withoutOutcome(isHeld: boolean, error: ScripError): ItemResult {
  // Bought and delivered; its codes were forgotten at the user’s request.
  const isDone = error.code === 'CODES_FORGOTTEN';
  const { order_id: orderId } = error.details;
  const isSafe = error.fundsAtRisk === 'none' && !isHeld;
  return {
    ...NOTHING,
    status: isDone ? 'completed' : isSafe ? 'unpaid' : 'unknown',
    orderId: typeof orderId === 'string' ? orderId : null,
    isBefore: isDone,
    error: isDone ? undefined : error,
  };
}

/** An order is completed when one of its items is; each item has its own state. */
function itemStatus(
  status: LineStatus,
  delivery: WireDelivery | undefined,
  error: ScripError | undefined,
): Pick<ItemResult, 'status' | 'error'> {
  if (status !== 'completed' || delivery === undefined) return { status, error };
  if (delivery.delivery_state === 'failed') {
    const reason = delivery.failure_reason ?? t`the merchant gives no reason`;
    return { status: 'failed', error: new ScripError('ORDER_FAILED', t`${reason}`) };
  }
  if (delivery.delivery_state === 'pending') return { status: 'processing', error };
  // A missing code of one item says nothing about the others.
  const isOthers = error?.code === 'CODES_MISSING' && codesIn(delivery).length > 0;
  return { status, error: isOthers ? undefined : error };
}

/** Matches deliveries to items by recipient, in order. */
function deliveriesOf(
  { offer }: PlannedOrder,
  deliveries: readonly WireDelivery[],
): readonly (WireDelivery | undefined)[] {
  const rest = [...deliveries];
  return offer.body.items.map(({ beneficiary_account: to }) => {
    const at = rest.findIndex(({ beneficiary_account: for_ }) => (for_ ?? to) === to);
    return at === -1 ? undefined : rest.splice(at, 1)[0];
  });
}

/**
 * Without a voucher code, uses the URL or the merchant's own fields. A top-up may have nothing but a serial: its
 * confirmation.
 */
function codesOf(delivery: WireDelivery | undefined): readonly ItemCode[] {
  if (delivery === undefined) return [];
  const { url, serial, securityCode, ...goods } = goodsOf(delivery);
  const code = goods.code || url || codesIn({ other_fields: delivery.other_fields }).join('/');
  return [code, serial, securityCode].every((part) => part === '')
    ? []
    : [{ code, serial, securityCode }];
}

/** Joins the results of items into one per line, in the order of the file. @param results by item id */
export function lineResults(
  rows: readonly CartRow[],
  results: ReadonlyMap<string, ItemResult>,
): readonly LineResult[] {
  return rows.map((row) =>
    isWrong(row)
      ? joined(row, [{ ...NOTHING, status: 'invalid' }])
      : joined(
          row,
          row.ids.map((id) => results.get(id) ?? { ...NOTHING, status: 'open' }),
        ),
  );
}

/** Returns the lines of a finished order. Items bought by an earlier run are not shown again. */
export function endedLines(
  rows: readonly CartRow[],
  results: ReadonlyMap<string, ItemResult>,
): readonly LineResult[] {
  return rows.flatMap((row) => {
    const parts = row.ids
      .flatMap((id) => results.get(id) ?? [])
      .filter(({ isBefore }) => !isBefore);
    return parts.length === 0 ? [] : joined(row, parts);
  });
}

function joined(row: CartRow, parts: readonly ItemResult[]): LineResult {
  const status =
    LINE_STATUSES.find((known) => parts.some((part) => part.status === known)) ?? 'open';
  const amounts = parts.flatMap(({ amountAtomic }) => amountAtomic ?? []);
  const error = parts.find((part) => part.status === status)?.error;
  return {
    row,
    status,
    orderIds: distinct(parts.map(({ orderId }) => orderId)),
    transactions: distinct(parts.map(({ transaction }) => transaction)),
    amountAtomic: amounts.length === 0 ? null : sum(amounts),
    codes: parts.flatMap(({ codes }) => codes),
    isBefore: parts.every(({ isBefore }) => isBefore),
    name: parts.find(({ name }) => name !== undefined)?.name,
    errors: isWrong(row) ? firstOfEachField(row) : error === undefined ? [] : [error],
  };
}

function distinct(texts: readonly (string | null)[]): readonly string[] {
  return [...new Set(texts.flatMap((text) => text ?? []))];
}

function firstOfEachField({ problems }: CartRow): readonly ScripError[] {
  const fields = problems.map(({ details }) => details.field);
  return problems.filter((_, at) => fields.indexOf(fields[at]) === at);
}

/** The product's name; of a line that was not priced now, what the file says. */
export function productName({ row, name }: LineResult): Said {
  const { offer, brand, saidValue = '' } = row;
  return offer === undefined ? (name ?? `${brand} ${saidValue}`.trim()) : quoteLineOf(offer).name;
}

/** The recipient as checked, or as typed. */
export function recipientOf({ row: { offer, to } }: LineResult): string {
  return offer?.recipient.account ?? to;
}
