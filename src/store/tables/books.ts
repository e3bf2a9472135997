/** Reads whole tables in pages, so that an audit can compare them, and what operators look for. */
import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { type DeliveryRow, UNDIGESTED } from './deliveries.ts';
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
  const deliveries = ({ after = '', limit }: TextPage) =>
    db
      .selectFrom('deliveries')
      .selectAll()
      .where('deliveryId', '>', after)
      .orderBy('deliveryId')
      .limit(limit);
  return {
    settlements: ({ after = '', limit }: TextPage): Promise<readonly SettlementRow[]> =>
      db
        .selectFrom('settlements')
        .selectAll()
        .where('messageHash', '>', after)
        .orderBy('messageHash')
        .limit(limit)
        .execute(),
    partnerOrders: ({ after = '', limit }: TextPage): Promise<readonly PartnerOrderRow[]> =>
      db
        .selectFrom('partnerOrders')
        .selectAll()
        .where('orderId', '>', after)
        .orderBy('orderId')
        .limit(limit)
        .execute(),
    purchases: ({ after = '', limit }: TextPage): Promise<readonly PurchaseRow[]> =>
      db
        .selectFrom('purchases')
        .selectAll()
        .where('reference', '>', after)
        .orderBy('reference')
        .limit(limit)
        .execute(),
    deliveries: (page: TextPage): Promise<readonly DeliveryRow[]> => deliveries(page).execute(),
    /** Completed lines without a digest of their code: an earlier version delivered them. */
    undigested: (page: TextPage): Promise<readonly DeliveryRow[]> =>
      deliveries(page).where(UNDIGESTED).execute(),
    refunds: ({ after = '', limit }: TextPage): Promise<readonly RefundRow[]> =>
      db
        .selectFrom('refunds')
        .selectAll()
        .where('refundId', '>', after)
        .orderBy('refundId')
        .limit(limit)
        .execute(),
    /** Orders of the partner API in one of these states, the oldest first. */
    partnerOrdersIn: (
      states: readonly PartnerOrderRow['orderState'][],
      limit: number,
    ): Promise<readonly PartnerOrderRow[]> =>
      db
        .selectFrom('partnerOrders')
        .selectAll()
        .where('orderState', 'in', states)
        .orderBy('createdAtMs')
        .limit(limit)
        .execute(),
    /** Orders of the checkout host with this status, the oldest first. */
    ordersIn: (status: OrderRow['status'], limit: number): Promise<readonly OrderRow[]> =>
      db
        .selectFrom('orders')
        .selectAll()
        .where('status', '=', status)
        .orderBy('createdAtMs')
        .limit(limit)
        .execute(),
    /** Ids of orders of both surfaces that begin so; reads all ids. */
    orderIds: async (beginning: string, limit: number) => {
      const begins = sql<boolean>`substr(order_id, 1, ${beginning.length}) = ${beginning}`;
      const found = await Promise.all([
        db.selectFrom('partnerOrders').select('orderId').where(begins).limit(limit).execute(),
        db.selectFrom('orders').select('orderId').where(begins).limit(limit).execute(),
      ]);
      return found.flat().map(({ orderId }) => orderId);
    },
    delivery: (deliveryId: string): Promise<DeliveryRow | undefined> =>
      db
        .selectFrom('deliveries')
        .selectAll()
        .where('deliveryId', '=', deliveryId)
        .executeTakeFirst(),
    partnerOrderPaidAt: (walletAddress: string): Promise<PartnerOrderRow | undefined> =>
      db
        .selectFrom('partnerOrders')
        .selectAll()
        .where('walletAddress', '=', walletAddress)
        .executeTakeFirst(),
  };
}
