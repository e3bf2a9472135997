/**
 * What was sold, line by line and with nothing of the buyer, each order under a receipt number; and what an accountant
 * needs beside it.
 */
import { type Db, join, sql } from '../sql.ts';
import { table } from '../table.ts';
import type { PaidClaim } from './claims.ts';
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

export type SoldLine = SaleRow & {
  readonly cost: string | null;
  readonly costCurrency: string | null;
};

/** A paid order that has no receipt yet, of either surface. */
export interface PaidOrder {
  readonly orderId: string;
  readonly paidAtMs: number;
  readonly partnerId: string | null;
  /** Of the partner API its name, of the checkout host its CAIP-2 id. */
  readonly network: string | null;
  readonly coin: string;
  readonly decimals: number;
  readonly amountAtomic: string;
  /** JSON of the partner API’s parts. */
  readonly lines: string | null;
  /** JSON at the partner API, an id at the checkout host. */
  readonly transactions: string | null;
}

export interface Period {
  readonly sinceMs: number;
  /** The first instant after it. */
  readonly untilMs: number;
}

interface Sponsored {
  readonly transaction: string;
  readonly lamports: string;
  readonly createdAtMs: number;
}

/** What of sold lines is not delivered yet, or what is owed back. */
export interface OpenRow {
  readonly what: 'undelivered' | 'refunds_due';
  readonly coin: string;
  readonly decimals: number;
  readonly amountAtomic: string;
}

const sales = table<SaleRow>('sales', 'deliveryId');
const costs = table<CostRow>('purchaseCosts', 'deliveryId');

const PAGE_ROWS = 5_000;

const paidOrders = (sinceMs: number) => sql`
  select order_id, closed_at_ms as paid_at_ms, application_id as partner_id, network, coin, decimals,
    coin_amount_atomic as amount_atomic, lines, transactions
  from partner_orders where payment_state = 'PaymentReceived' and closed_at_ms >= ${sinceMs}
  union all
  select settlements.order_id, settled_at_ms, null, settlements.network, 'USDC', 6,
    sessions.amount_atomic, null, settlements."transaction"
  from settlements inner join sessions on sessions.session_id = settlements.session_id
  where settlements.state = 'settled' and settled_at_ms >= ${sinceMs}`;

const LINES = sql`select sales.*, purchase_costs.amount as cost, purchase_costs.currency as cost_currency
  from sales left join purchase_costs on purchase_costs.delivery_id = sales.delivery_id`;

export function salesIn(db: Db) {
  const { select, insert } = sales.in(db);
  return {
    /** Those paid since then that are not recorded, the first paid first. */
    unrecorded: (sinceMs: number, limit: number) =>
      db.all(sql<PaidOrder>`select * from (${paidOrders(sinceMs)}) as paid
        where not exists (select 1 from sales where sales.order_id = paid.order_id)
        order by paid_at_ms, order_id limit ${limit}`),
    deliveriesOf: (orderIds: readonly string[]) =>
      db.all(sql<Pick<DeliveryRow, 'deliveryId' | 'orderId' | 'line' | 'goods'>>`
        select delivery_id, order_id, line, goods from deliveries
        where order_id in (${join(orderIds)}) order by line`),
    /** The newest receipt, and the latest payment that has one. */
    last: async () =>
      db.only(sql<{ readonly receipt: number | null; readonly paidAtMs: number | null }>`
        select max(receipt) as receipt, max(paid_at_ms) as paid_at_ms from sales`),
    insert,
    ofOrders: (orderIds: readonly string[]) =>
      select(sql`where order_id in (${join(orderIds)}) order by receipt, line`),
    /** What was sold in a period, by its time. */
    async *lines({ sinceMs, untilMs }: Period): AsyncIterable<SoldLine> {
      for (let from = sql`paid_at_ms >= ${sinceMs}`; ; ) {
        const page = await db.all(sql<SoldLine>`${LINES} where ${from} and paid_at_ms < ${untilMs}
          order by paid_at_ms, receipt, line limit ${PAGE_ROWS}`);
        yield* page;
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE_ROWS) return;
        from = sql`(paid_at_ms, receipt, line) > (${last.paidAtMs}, ${last.receipt}, ${last.line})`;
      }
    },
    /** All refunds of sold orders that have one since then, oldest first. */
    refunds: (sinceMs: number) =>
      db.all(sql<RefundPayment>`select refunds.*, payouts.* from refunds
        inner join payouts on payouts.refund_id = refunds.refund_id
        where state <> 'refused' and refunds.order_id in (
          select order_id from refunds where created_at_ms >= ${sinceMs})
        and exists (select 1 from sales where sales.order_id = refunds.order_id)
        order by created_at_ms, refunds.refund_id`),
    /** Claims of a period that cost a fee or moved money to the treasury, oldest first. */
    claims: ({ sinceMs, untilMs }: Period) =>
      db.all(sql<
        Omit<PaidClaim, 'wire'>
      >`select message_hash, "transaction", landed_in, state, network, swept, fee, created_at_ms from claims
        where created_at_ms >= ${sinceMs} and created_at_ms < ${untilMs} and state <> 'submitting'
          and (fee not in ('', '0') or swept is not null) order by created_at_ms, message_hash`),
    /** Network fees of buyers’ payments that the fee payer signed, and that landed in a period. */
    sponsored: ({ sinceMs, untilMs }: Period) =>
      db.all(sql<Sponsored>`select "transaction", lamports, created_at_ms from payment_requests
        where created_at_ms >= ${sinceMs} and created_at_ms < ${untilMs} and state = 'landed'
          and lamports <> '0' order by created_at_ms`),
    /** What of sold lines waits for its goods, and what is owed back, now. */
    open: () =>
      db.all(sql<OpenRow>`
        select 'undelivered' as what, coin, decimals, amount_atomic from sales
        inner join deliveries on deliveries.delivery_id = sales.delivery_id
        where state in ('pending', 'waiting')
        union all
        select 'refunds_due', coin, decimals, amount_atomic from refunds
        inner join payouts on payouts.refund_id = refunds.refund_id
        where payouts.state in ('open', 'sending')`),
    /** The first that is told of a line counts. */
    noteCost: (row: CostRow) => costs.in(db).add(row),
    costOf: (deliveryId: string) => costs.in(db).first({ deliveryId }),
  };
}
