/**
 * What was sold, line by line and with nothing of the buyer, each order under a receipt number; and what an accountant
 * needs beside it.
 */
import { type Db, join, type Sql, sql } from '../sql.ts';
import { table } from '../table.ts';
import type { DeliveryRow } from './deliveries.ts';
import type { RefundPayment } from './refunds.ts';

/** A line of a paid order as it was sold. Amounts are digits of atomic units. */
export interface SaleRow {
  readonly deliveryId: string;
  /** Of the order: from 1, in the order of recording, without gaps. */
  readonly receipt: number;
  readonly orderId: string;
  readonly line: number;
  readonly paidAtMs: number;
  /** Null at the checkout host. */
  readonly partnerId: string | null;
  /** CAIP-2 id. */
  readonly network: string | null;
  readonly coin: string;
  readonly decimals: number;
  readonly amountAtomic: string;
  /** Ids of the transactions that paid the order, with spaces between. */
  readonly transactions: string;
  readonly productId: string;
  readonly product: string;
  readonly country: string;
  readonly currency: string;
  /** In 10^-6 of the currency. */
  readonly faceValue: string;
  /** Value of one unit of the currency then, in 10^-12 USD; null if the order does not have it. */
  readonly rate: string | null;
}

/** What the supplier asks for a line; the amount is a decimal text. */
export interface CostRow {
  readonly deliveryId: string;
  readonly amount: string;
  readonly currency: string;
}

/** A line with its cost, or equal lines with the sum of their amounts: only what these have in common is there. */
export type SoldLines = Partial<SaleRow> &
  Pick<SaleRow, 'coin' | 'decimals' | 'amountAtomic' | 'currency' | 'rate'> & {
    readonly lines: number;
    readonly cost: string | null;
    readonly costCurrency: string | null;
  };

/** A paid order of either surface without a receipt. Lines and transactions are JSON at the partner API. */
export type PaidOrder = Pick<
  SaleRow,
  'orderId' | 'paidAtMs' | 'partnerId' | 'network' | 'coin' | 'decimals' | 'amountAtomic'
> &
  Readonly<Record<'lines' | 'transactions', string | null>>;

/** What network fees and moves to the treasury came to; by day the transaction is null. */
interface Moved {
  readonly atMs: number;
  readonly network: string | null;
  readonly fee: string | null;
  readonly swept: string | null;
  readonly transaction: string | null;
}

interface Open extends Pick<SaleRow, 'coin' | 'decimals' | 'amountAtomic'> {
  readonly what: 'undelivered' | 'refunds_due';
}

export interface Period {
  readonly sinceMs: number;
  /** The first instant after it. */
  readonly untilMs: number;
}

const sales = table<SaleRow>('sales', 'deliveryId');
const costs = table<CostRow>('purchaseCosts', 'deliveryId');

/** Where a look at paid orders goes on. */
type Seen = Pick<PaidOrder, 'paidAtMs' | 'orderId'>;

/** Of each surface the first that have no receipt: an index has their order. */
const unrecorded = ({ paidAtMs, orderId }: Seen, limit: number) => {
  const some = (
    id: Sql,
    at: Sql,
  ) => sql`${at} >= ${paidAtMs} and (${at} > ${paidAtMs} or ${id} > ${orderId})
    and not exists (select 1 from sales where sales.order_id = ${id})
    order by ${at}, ${id} limit ${limit}`;
  return sql<PaidOrder>`
    select * from (select order_id, closed_at_ms as paid_at_ms, application_id as partner_id, network,
      coin, decimals, coin_amount_atomic as amount_atomic, lines, transactions from partner_orders
      where payment_state = 'PaymentReceived'
        and ${some(sql`partner_orders.order_id`, sql`closed_at_ms`)}) as of_partners
    union all
    select * from (select settlements.order_id, settled_at_ms, null, settlements.network, 'USDC', 6,
      sessions.amount_atomic, null, settlements."transaction"
      from settlements inner join sessions on sessions.session_id = settlements.session_id
      where settlements.state = 'settled'
        and ${some(sql`settlements.order_id`, sql`settled_at_ms`)}) as of_checkout
    order by paid_at_ms, order_id limit ${limit}`;
};

const dayOf = (column: Sql) => sql`${column} / 86400000 * 86400000`;
const sumOf = (column: Sql) => sql`cast(sum(cast(${column} as bigint)) as text) as ${column}`;

/** What lines of one key have in common. */
const KEYS = {
  day: dayOf(sql`paid_at_ms`),
  product: sql`product_id, product`,
  partner: sql`partner_id`,
  country: sql`country`,
};

const LINES = sql`from sales
  left join purchase_costs on purchase_costs.delivery_id = sales.delivery_id`;
const COST = sql`purchase_costs.amount as cost, purchase_costs.currency as cost_currency`;
const LINE = sql`select sales.*, 1 as lines, ${COST} ${LINES}`;

/** The fee of a buyer’s payment that the fee payer signed is known before it lands. */
const moves = ({ sinceMs, untilMs }: Period) => sql`
  select created_at_ms as at_ms, network, nullif(fee, '') as fee,
    case when state = 'landed' then swept end as swept, coalesce(landed_in, "transaction") as tx,
    message_hash
  from claims where state <> 'submitting' and (fee not in ('', '0') or swept is not null)
    and created_at_ms >= ${sinceMs} and created_at_ms < ${untilMs}
  union all
  select created_at_ms, 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', lamports, null, "transaction",
    message_hash
  from payment_requests where state = 'landed' and lamports <> '0'
    and created_at_ms >= ${sinceMs} and created_at_ms < ${untilMs}`;

export function salesIn(db: Db) {
  const { insert } = sales.in(db);
  return {
    /** Those after this one that are not recorded, the first paid first. */
    unrecorded: (seen: Seen, limit: number) => db.all(unrecorded(seen, limit)),
    deliveriesOf: (orderIds: readonly string[]) =>
      db.all(sql<Pick<DeliveryRow, 'deliveryId' | 'orderId' | 'line' | 'goods'>>`
        select delivery_id, order_id, line, goods from deliveries
        where order_id in (${join(orderIds)}) order by line`),
    /** The newest receipt, and the latest payment that has one. */
    last: async () =>
      db.only(sql<{ readonly receipt: number | null; readonly paidAtMs: number | null }>`
        select (select max(receipt) from sales) as receipt,
          (select max(paid_at_ms) from sales) as paid_at_ms`),
    insert,
    ofOrders: (orderIds: readonly string[]) =>
      db.all(sql<SoldLines & SaleRow>`${LINE}
        where order_id in (${join(orderIds)}) order by receipt, line`),
    /** What was sold in a period: each line by its time, or equal ones together. */
    lines: ({ sinceMs, untilMs }: Period, by?: keyof typeof KEYS) => {
      const period = sql`where paid_at_ms >= ${sinceMs} and paid_at_ms < ${untilMs}`;
      if (by === undefined)
        return db.all(sql<SoldLines>`${LINE} ${period} order by paid_at_ms, receipt, line`);
      const key = by === 'day' ? sql`${KEYS.day} as paid_at_ms` : KEYS[by];
      return db.all(sql<SoldLines>`
        select ${key}, coin, decimals, sales.currency, rate, ${COST}, count(*) as lines,
          ${sumOf(sql`amount_atomic`)} ${LINES} ${period}
        group by ${KEYS[by]}, coin, decimals, sales.currency, rate, purchase_costs.amount,
          purchase_costs.currency`);
    },
    /** All refunds of sold orders that have one since then, oldest first. */
    refunds: (sinceMs: number) =>
      db.all(sql<RefundPayment>`select refunds.*, payouts.* from refunds
        inner join payouts on payouts.refund_id = refunds.refund_id
        where state <> 'refused' and refunds.order_id in (
          select order_id from refunds where created_at_ms >= ${sinceMs})
        and exists (select 1 from sales where sales.order_id = refunds.order_id)
        order by created_at_ms, refunds.refund_id`),
    /** Network fees and moves to the treasury in a period, one by one or by day. */
    moves: (period: Period, isByDay: boolean) =>
      db.all(
        isByDay
          ? sql<Moved>`select ${dayOf(sql`at_ms`)} as at_ms, network, ${sumOf(sql`fee`)},
              ${sumOf(sql`swept`)} from (${moves(period)}) as moves group by 1, 2`
          : sql<Moved>`select at_ms, network, fee, swept, tx as "transaction"
              from (${moves(period)}) as moves order by at_ms, tx, message_hash`,
      ),
    /** What of sold lines has neither goods nor a refund, and what is owed back, now. */
    open: () =>
      db.all(sql<Open>`
        select 'undelivered' as what, coin, decimals, amount_atomic from sales
        inner join deliveries on deliveries.delivery_id = sales.delivery_id
        where state in ('pending', 'waiting') or (state = 'failed' and not exists (
          select 1 from refunds where refunds.order_id = sales.order_id and kind = 'refund'
            and coalesce(refunds.line, sales.line) = sales.line and refund_id not like '% excess'))
        union all
        select 'refunds_due', coin, decimals, amount_atomic from refunds
        inner join payouts on payouts.refund_id = refunds.refund_id
        where payouts.state in ('open', 'sending')`),
    /** The first that is told of a line counts. */
    noteCost: (row: CostRow) => costs.in(db).add(row),
    costOf: (deliveryId: string) => costs.in(db).first({ deliveryId }),
  };
}
