/** Orders of both surfaces as an operator lists and finds them; no codes, no whole addresses of people. */

import { ORDER_STATUSES } from '../../contract/checkout.ts';
import { ORDER_STATES, type OrderState } from '../../contract/codes.ts';
import { SOLANA_MAINNET, USDC_DECIMALS } from '../../contract/x402.ts';
import { isoOf } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { COINS, caip2Of } from '../../domain/money/coins.ts';
import { atomic, formatDecimal, parseAtomic } from '../../domain/money/money.ts';
import type { OrdersAsked } from '../../domain/operator/operator.ts';
import { type ShopOrderRecord, storedRefundId } from '../../domain/operator/operator-records.ts';
import { isTerminal } from '../../domain/order/order-states.ts';
import { maskBeneficiary } from '../../domain/product/beneficiary.ts';
import { formatFaceValue, goodsName } from '../../domain/product/product.ts';
import { readAddress } from '../../rails/evm/address.ts';
import type { Store, Tables } from '../../store/store.ts';
import type { DeliveryRow } from '../../store/tables/deliveries.ts';
import type { AmountRange, FoundOrder } from '../../store/tables/order-search.ts';
import type { RefundPayment } from '../../store/tables/refunds.ts';
import { decodeLine } from '../checkout/line.ts';
import { commonRecord } from '../refunds/refunds.ts';

/** The oldest first, unless asked otherwise. @throws {ScripError} ORDER_UNKNOWN for the one to begin after */
export async function listOrders(
  { tables }: Pick<Store, 'tables'>,
  { state, amount, after, ...asked }: OrdersAsked,
): Promise<readonly ShopOrderRecord[]> {
  const last = after === undefined ? undefined : await orderOf(tables, after);
  if (after !== undefined && last === undefined) throw unknownOrder(after);
  const { find } = await tables.orderSearch();
  const found = await find({
    ...asked,
    states: state === 'any' ? undefined : statesOf(state),
    amounts: amount && amountsIn(amount),
    after: last?.row,
  });
  return orderRecords(tables, found);
}

/** Of no state: those of orders under way. */
function statesOf(state: string | undefined): readonly string[] {
  if (state !== undefined) return [state];
  // Safe: these are the keys of the table.
  const known = Object.keys(ORDER_STATES) as OrderState[];
  const open = known.filter((orderState) => !isTerminal({ orderState }));
  return [...open, ...ORDER_STATUSES.filter((status) => status === 'processing')];
}

const MOST_DECIMALS = 18;
const DECIMALS = new Set(COINS.flatMap(({ networks }) => networks.map(({ decimals }) => decimals)));

/** The digits of the amounts in each number of decimals that coins have. */
function amountsIn({ least, most }: NonNullable<OrdersAsked['amount']>): readonly AmountRange[] {
  return [...DECIMALS].map((decimals) => {
    const unit = 10n ** BigInt(MOST_DECIMALS - decimals);
    return {
      decimals,
      least: least && ((scaled(least) + unit - 1n) / unit).toString(),
      most: most && (scaled(most) / unit).toString(),
    };
  });
}

function scaled(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, MOST_DECIMALS).padEnd(MOST_DECIMALS, '0'));
}

/** Orders that a text names, or else those with it in their id; the newest first. @throws {ScripError} ORDER_UNKNOWN */
export async function findOrders(
  tables: Tables,
  typed: string,
  limit: number,
): Promise<readonly ShopOrderRecord[]> {
  const text = markIn(typed.trim());
  const named = { marks: waysToWrite(text), isNewestFirst: true, limit };
  const found = await (await tables.orderSearch()).find(named);
  const orders = found.length > 0 ? found : await withPart(tables, text, limit);
  if (orders.length === 0) throw unknownOrder(typed);
  return orderRecords(tables, orders);
}

/** Of a link to an explorer: the transaction or account at the end of its path. */
function markIn(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return text;
  return new URL(text).pathname.split('/').findLast((part) => part !== '') ?? text;
}

/** Hex digits and ids of refunds are told in other ways than they are kept in. */
function waysToWrite(text: string): readonly string[] {
  const hex = /^0x[0-9a-f]+$/i.test(text) ? [text.toLowerCase()] : [];
  const address = readAddress(text);
  return [...new Set([text, storedRefundId(text), ...hex, ...(address ? [address] : [])])];
}

const LEAST_PART = 4;
const MOST_NAMED = 5;

async function withPart(
  { orderSearch }: Tables,
  partOfId: string,
  limit: number,
): Promise<readonly FoundOrder[]> {
  if (partOfId.length < LEAST_PART) return [];
  return (await orderSearch()).find({ partOfId, isNewestFirst: true, limit });
}

/** The order with this id, or the id of its payment page. */
async function orderOf(
  { partnerOrders, orders }: Tables,
  id: string,
): Promise<FoundOrder | undefined> {
  const ofPartner = (await partnerOrders.byId(id)) ?? (await partnerOrders.ofPage(id));
  if (ofPartner) return { surface: 'partner', row: ofPartner };
  const row = await orders.byId(id);
  return row && { surface: 'checkout', row };
}

/** @param typed its id, or the beginning of it. @throws {ScripError} ORDER_UNKNOWN, INPUT_INVALID */
export async function orderMeant(tables: Tables, typed: string): Promise<FoundOrder> {
  const whole = await orderOf(tables, typed);
  if (whole) return whole;
  const found = (await withPart(tables, typed, MOST_NAMED * MOST_NAMED)).filter(({ row }) =>
    row.orderId.startsWith(typed),
  );
  const [order, ...others] = found;
  if (order === undefined) throw unknownOrder(typed);
  if (others.length === 0) return order;
  const ids = found.slice(0, MOST_NAMED).map(({ row }) => row.orderId);
  throw new ScripError('INPUT_INVALID', t`"${typed}" is the beginning of several orders`, {
    hint: t`Give more of the id: ${ids.join(', ')}`,
    details: { ids },
  });
}

function unknownOrder(typed: string): ScripError {
  return new ScripError('ORDER_UNKNOWN', t`There is no order "${typed}" in this shop`);
}

/** What a list has of each order. */
export async function orderRecords(
  tables: Tables,
  found: readonly FoundOrder[],
): Promise<readonly ShopOrderRecord[]> {
  const ids = found.map(({ row }) => row.orderId);
  const [lines, refunds, settlements, requests] = await Promise.all([
    tables.deliveries.ofOrders(ids),
    tables.payouts.ofOrders(ids),
    tables.settlements.ofOrders(ids),
    tables.paymentRequests.landedOf(ids),
  ]);
  const [linesOf, refundsOf] = [byOrder(lines), byOrder(refunds)];
  const [paidBy, requestedBy] = [byOrder(settlements), byOrder(requests)];
  return Promise.all(
    found.map(async (order) => {
      const { row } = order;
      const [settlement] = paidBy.get(row.orderId) ?? [];
      return {
        order_id: row.orderId,
        surface: order.surface,
        ...(order.surface === 'partner'
          ? {
              ...{ state: order.row.orderState, payment_state: order.row.paymentState },
              partner_id: order.row.applicationId,
              amount: formatDecimal(parseAtomic(order.row.coinAmountAtomic), order.row.decimals),
              coin: order.row.coin,
              network: caip2Of(order.row.network, order.row.coin) ?? order.row.network,
              payer: requestedBy.get(row.orderId)?.[0]?.account ?? null,
              transactions: JSON.parse(order.row.transactions),
            }
          : {
              ...{ state: order.row.status, payment_state: null, partner_id: null },
              amount: formatDecimal(atomic(BigInt(await usdcOf(tables, order.row))), USDC_DECIMALS),
              ...{ coin: 'USDC', network: settlement?.network ?? SOLANA_MAINNET },
              payer: settlement?.payer ?? null,
              transactions: settlement?.transaction == null ? [] : [settlement.transaction],
            }),
        email: maskBeneficiary(row.email),
        product: productOf(linesOf.get(row.orderId) ?? []),
        ...refundOf(refundsOf.get(row.orderId) ?? []),
        created_at: isoOf(row.createdAtMs),
        updated_at: isoOf(row.updatedAtMs),
      };
    }),
  );
}

/** Digits. */
async function usdcOf(
  { sessions }: Tables,
  { amountAtomic, sessionId }: Extract<FoundOrder, { surface: 'checkout' }>['row'],
): Promise<string> {
  return amountAtomic ?? (await sessions.byId(sessionId))?.amountAtomic ?? '0';
}

function byOrder<Row extends { readonly orderId: string }>(rows: readonly Row[]) {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(row.orderId, [...(groups.get(row.orderId) ?? []), row]);
  return groups;
}

function productOf([first, ...others]: readonly DeliveryRow[]): string {
  if (first === undefined) return '';
  const { product, faceValue } = decodeLine(first.goods);
  const { currency } = product.brand;
  const name = goodsName({ name: product.name, faceValue: formatFaceValue(faceValue), currency });
  return others.length === 0 ? name : `${name} and ${others.length} more`;
}

/** What is owed or was sent back, in the coin of the order; what was refused only where all was. */
function refundOf(payments: readonly RefundPayment[]) {
  const taken = payments.filter(({ state }) => state !== 'refused');
  const counted = taken.length > 0 ? taken : payments;
  const [last] = counted.toSorted((one, other) => (other.nextAtMs ?? 0) - (one.nextAtMs ?? 0));
  if (last === undefined) return { refund: null, refund_state: null };
  const sum = counted.reduce((total, { amountAtomic }) => total + BigInt(amountAtomic), 0n);
  return {
    refund: formatDecimal(atomic(sum), last.decimals),
    refund_state: commonRecord(last).state,
  };
}
