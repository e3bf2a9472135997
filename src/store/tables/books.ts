/** Reads whole tables in pages, so that an audit can compare them, and what operators look for. */
import { sql } from 'kysely';
import { type Db, rowsOf } from '../statement.ts';
import type { DeliveryRow } from './deliveries.ts';
import type { OrderRow } from './orders.ts';
import type { PartnerOrderRow } from './partner-orders.ts';
import type { PurchaseRow } from './purchases.ts';
import type { RefundRow } from './refunds.ts';
import type { SettlementRow } from './settlements.ts';

/** Rows after the key `after`, in key order; from the first row if it is omitted. */
export interface Page<Key> {
  readonly after?: Key | undefined;
  readonly limit: number;
}

/** Keys are non-empty text, so all of them sort after the empty string. */
type TextPage = Page<string>;

export function booksIn(db: Db) {
  return {
    settlements: pageOf<SettlementRow>(db, 'settlements', 'messageHash'),
    partnerOrders: pageOf<PartnerOrderRow>(db, 'partnerOrders', 'orderId'),
    purchases: pageOf<PurchaseRow>(db, 'purchases', 'reference'),
    deliveries: pageOf<DeliveryRow>(db, 'deliveries', 'deliveryId'),
    refunds: pageOf<RefundRow>(db, 'refunds', 'refundId'),
    /** Orders of the partner API in one of these states, the oldest first. */
    partnerOrdersIn: (
      states: readonly PartnerOrderRow['orderState'][],
      limit: number,
    ): Promise<readonly PartnerOrderRow[]> =>
      rowsOf(
        db,
        sql`select * from partner_orders where order_state in (${sql.join(states)})
        order by created_at_ms limit ${limit}`,
      ),
    /** Orders of the checkout host with this status, the oldest first. */
    ordersIn: (status: OrderRow['status'], limit: number): Promise<readonly OrderRow[]> =>
      rowsOf(
        db,
        sql`select * from orders where status = ${status} order by created_at_ms limit ${limit}`,
      ),
    /** Ids of orders of both surfaces that begin so; reads all ids. */
    orderIds: async (beginning: string, limit: number) => {
      const begins = sql`substr(order_id, 1, ${beginning.length}) = ${beginning} limit ${limit}`;
      const found = await Promise.all([
        rowsOf(db, sql<IdOf>`select order_id from partner_orders where ${begins}`),
        rowsOf(db, sql<IdOf>`select order_id from orders where ${begins}`),
      ]);
      return found.flat().map(({ orderId }) => orderId);
    },
    delivery: async (deliveryId: string) =>
      (
        await rowsOf(
          db,
          sql<DeliveryRow>`select * from deliveries where delivery_id = ${deliveryId}`,
        )
      )[0],
    partnerOrderPaidAt: async (walletAddress: string) =>
      (
        await rowsOf(
          db,
          sql<PartnerOrderRow>`select * from partner_orders
        where wallet_address = ${walletAddress}`,
        )
      )[0],
  };
}

type IdOf = Pick<OrderRow, 'orderId'>;

function pageOf<Row>(db: Db, name: string, key: keyof Row & string) {
  const [table, column] = [sql.table(name), sql.ref(key)];
  return ({ after = '', limit }: TextPage) =>
    rowsOf(
      db,
      sql<Row>`select * from ${table}
      where ${column} > ${after} order by ${column} limit ${limit}`,
    );
}
