/** Reads whole tables in pages, so that an audit can compare them, and what operators look for. */
import { type Db, join, sql } from '../sql.ts';
import type { Page } from '../table.ts';
import { deliveries } from './deliveries.ts';
import { type OrderRow, orders } from './orders.ts';
import { type PartnerOrderRow, partnerOrders } from './partner-orders.ts';
import { purchases } from './purchases.ts';
import { refunds } from './refunds.ts';
import { settlements } from './settlements.ts';

export function booksIn(db: Db) {
  return {
    settlements: (page: Page) => settlements.in(db).page(page),
    partnerOrders: (page: Page) => partnerOrders.in(db).page(page),
    purchases: (page: Page) => purchases.in(db).page(page),
    deliveries: (page: Page) => deliveries.in(db).page(page),
    refunds: (page: Page) => refunds.in(db).page(page),
    /** Orders of the partner API in one of these states, the oldest first. */
    partnerOrdersIn: (states: readonly PartnerOrderRow['orderState'][], limit: number) =>
      partnerOrders
        .in(db)
        .select(sql`where order_state in (${join(states)}) order by created_at_ms limit ${limit}`),
    /** Orders of the checkout host with this status, the oldest first. */
    ordersIn: (status: OrderRow['status'], limit: number) =>
      orders.in(db).select(sql`where status = ${status} order by created_at_ms limit ${limit}`),
    /** Ids of orders of both surfaces that begin so; reads all ids. */
    orderIds: async (beginning: string, limit: number) => {
      type Found = Pick<OrderRow, 'orderId'>;
      const begins = sql`substr(order_id, 1, ${beginning.length}) = ${beginning} limit ${limit}`;
      const found = await Promise.all([
        db.all(sql<Found>`select order_id from partner_orders where ${begins}`),
        db.all(sql<Found>`select order_id from orders where ${begins}`),
      ]);
      return found.flat().map(({ orderId }) => orderId);
    },
    delivery: (deliveryId: string) => deliveries.in(db).first({ deliveryId }),
    partnerOrderPaidAt: (walletAddress: string) => partnerOrders.in(db).first({ walletAddress }),
  };
}
