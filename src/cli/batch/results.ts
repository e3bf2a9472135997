/** The outcome of each line of a cart. */

import type { BatchResult } from '../../api/batch/batch.ts';
import type { PricedLine } from '../../api/checkout/checkout-quote.ts';
import type { Bought } from '../../api/merchant.ts';
import type { Receipt } from '../../api/receipt.ts';
import type { WireDelivery } from '../../contract/checkout.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Said, t, verbatim } from '../../domain/message/message.ts';
import { type Atomic, atomic } from '../../domain/money/money.ts';
import { LINE_STATUSES, type LineStatus } from '../../domain/order/order-states.ts';
import { shareOut } from '../../domain/product/cart-items.ts';
import { codesIn } from '../../domain/product/delivered.ts';
import { describeGoods } from '../orders/deliveries.ts';
import type { AskedRow, BadLine, CartRow } from './checking.ts';
import { type PlannedOrder, type RowItem, sum } from './planning.ts';
import type { EndedLine } from './progress.ts';

/** What redeems one item; parts that it does not have are empty. */
export interface ItemCode {
  readonly code: string;
  readonly serial: string;
  readonly securityCode: string;
}

/** The outcome of one item. */
export interface ItemResult {
  readonly status: LineStatus;
  readonly orderId: string | null;
  readonly transaction: string | null;
  /** Its share of the order's price. */
  readonly amountAtomic: Atomic | null;
  readonly codes: readonly ItemCode[];
  /** Bought by an earlier run: nothing was paid for it now. */
  readonly isBefore: boolean;
  readonly error: ScripError | undefined;
  /** As the merchant names it, if it delivered. */
  readonly name?: Said | undefined;
}

/** A line of the cart with its outcome. */
export interface LineResult extends Omit<ItemResult, 'orderId' | 'transaction'> {
  readonly number: number;
  readonly row: AskedRow | undefined;
  readonly offer: PricedLine | undefined;
  readonly orderIds: readonly string[];
  readonly transactions: readonly string[];
  /** Further problems of a line that cannot be bought. */
  readonly others: readonly ScripError[];
}

const NOTHING = {
  orderId: null,
  transaction: null,
  amountAtomic: null,
  codes: [],
  isBefore: false,
  error: undefined,
} as const;

/** Returns the outcome of each item of an order, in order. */
export function itemResults(order: PlannedOrder, result: BatchResult): readonly ItemResult[] {
  const { isHeld, pricesAtomic, items } = order;
  if (result.kind === 'left') {
    return items.map(() => ({
      ...NOTHING,
      status: isHeld ? 'processing' : 'open',
      error: result.cause,
    }));
  }
  if (result.kind === 'error') return items.map(() => withoutOutcome(isHeld, result.error));
  const { error, isBoughtBefore } = result.bought;
  const { status, orderId, payment, deliveries } = receiptIn(result.bought);
  const isPaid = payment !== null && status !== 'unpaid';
  const shares = isPaid ? shareOut(payment.amountAtomic, pricesAtomic) : [];
  const handed = deliveriesOf(order, deliveries);
  return items.map((_, at) => ({
    ...itemStatus(LINE_STATUSES.find((known) => known === status) ?? 'unknown', handed[at], error),
    orderId,
    transaction: payment?.transaction ?? null,
    amountAtomic: isPaid ? atomic(shares[at] ?? 0n) : null,
    codes: codesOf(handed[at]),
    isBefore: isBoughtBefore,
    name: nameOf(handed[at]),
  }));
}

function nameOf(delivery: WireDelivery | undefined): Said | undefined {
  return delivery?.brand_name === undefined ? undefined : describeGoods(delivery);
}

/** Returns the lines of a finished order, for the progress display. */
export function endedLines(
  { items, offer }: PlannedOrder,
  results: readonly ItemResult[],
  rows: ReadonlyMap<string, CartRow>,
): readonly EndedLine[] {
  const ended = new Map<CartRow, EndedLine>();
  for (const [at, id] of items.entries()) {
    const [row, result] = [rows.get(id), results[at]];
    // Items bought by an earlier run are not shown again.
    if (row === undefined || result === undefined || result.isBefore) continue;
    const { number, brand, saidValue = '' } = row;
    const line = offer.lines[at];
    const named = {
      name: line?.name ?? `${brand} ${saidValue}`.trim(),
      to: line?.recipient.account ?? row.to,
    };
    const { status, error } = result;
    const reason = status === 'completed' ? undefined : error?.sentence;
    // Of a line with several items, show the first problem.
    if (ended.get(row)?.reason === undefined) ended.set(row, { number, status, ...named, reason });
  }
  return [...ended.values()];
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
  const { voucher_code, url, pin_serial = '', security_code = '' } = delivery ?? {};
  const others = codesIn({ other_fields: delivery?.other_fields }).join('/');
  const code = [voucher_code, url, others].find((one) => one) ?? '';
  const item: ItemCode = { code, serial: pin_serial, securityCode: security_code };
  return Object.values(item).every((part) => part === '') ? [] : [item];
}

/** Joins the results of items into one per line, in the order of the file. */
export function lineResults({
  items,
  results,
  offers,
  bad,
}: {
  readonly items: readonly RowItem[];
  /** By item id. */
  readonly results: ReadonlyMap<string, ItemResult>;
  readonly offers: ReadonlyMap<CartRow, PricedLine>;
  readonly bad: readonly BadLine[];
}): readonly LineResult[] {
  const wrong = new Set(bad.map(({ number }) => number));
  const ofRow = new Map<CartRow, ItemResult[]>();
  for (const { row, id } of items) {
    const result = results.get(id) ?? { ...NOTHING, status: 'open' as const };
    ofRow.set(row, [...(ofRow.get(row) ?? []), result]);
  }
  const good = [...ofRow]
    .filter(([row]) => !wrong.has(row.number))
    .map(([row, parts]) => joined(row, parts, offers.get(row)));
  const wrongLines = [...wrong].map((number) =>
    badResult(
      number,
      bad.filter((one) => one.number === number),
    ),
  );
  return [...good, ...wrongLines].toSorted((one, other) => one.number - other.number);
}

function joined(
  row: CartRow,
  parts: readonly ItemResult[],
  offer: PricedLine | undefined,
): LineResult {
  const status =
    LINE_STATUSES.find((known) => parts.some((part) => part.status === known)) ?? 'open';
  const amounts = parts.flatMap(({ amountAtomic }) => amountAtomic ?? []);
  return {
    number: row.number,
    row,
    offer,
    status,
    orderIds: distinct(parts.map(({ orderId }) => orderId)),
    transactions: distinct(parts.map(({ transaction }) => transaction)),
    amountAtomic: amounts.length === 0 ? null : sum(amounts),
    codes: parts.flatMap(({ codes }) => codes),
    isBefore: parts.every(({ isBefore }) => isBefore),
    name: parts.find(({ name }) => name !== undefined)?.name,
    error: parts.find((part) => part.status === status)?.error,
    others: [],
  };
}

function distinct(texts: readonly (string | null)[]): readonly string[] {
  return [...new Set(texts.flatMap((text) => text ?? []))];
}

/** All problems of one line, the first of each field. */
function badResult(number: number, bad: readonly BadLine[]): LineResult {
  const fields = bad.map(({ problem }) => problem.details.field);
  const [error, ...others] = bad
    .filter((_, at) => fields.indexOf(fields[at]) === at)
    .map(({ problem }) => problem);
  const row = bad.find((one) => one.row !== undefined)?.row;
  const rest = { offer: undefined, orderIds: [], transactions: [] };
  return { number, row, ...rest, ...NOTHING, status: 'invalid', error, others };
}
