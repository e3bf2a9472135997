import { type Kysely, sql } from 'kysely';
import type { Books, Page } from '../books.ts';
import type { Database } from '../database.ts';
import { UNDIGESTED } from '../supplied-schema.ts';

export function booksIn(db: Kysely<Database>): Books {
  return {
    ...pagesIn(db),
    orderIds: async (beginning, limit) => {
      const begins = sql<boolean>`substr(order_id, 1, ${beginning.length}) = ${beginning}`;
      const found = await Promise.all([
        db.selectFrom('partnerOrders').select('orderId').where(begins).limit(limit).execute(),
        db.selectFrom('orders').select('orderId').where(begins).limit(limit).execute(),
      ]);
      return found.flat().map(({ orderId }) => orderId);
    },
    delivery: (deliveryId) =>
      db
        .selectFrom('deliveries')
        .selectAll()
        .where('deliveryId', '=', deliveryId)
        .executeTakeFirst(),
    partnerOrderPaidAt: (walletAddress) =>
      db
        .selectFrom('partnerOrders')
        .selectAll()
        .where('walletAddress', '=', walletAddress)
        .executeTakeFirst(),
  };
}

/** Keys are non-empty text, so all of them sort after the empty string. */
type Pages = Omit<Books, 'orderIds' | 'delivery' | 'partnerOrderPaidAt'>;

function pagesIn(db: Kysely<Database>): Pages {
  return {
    settlements: ({ after = '', limit }: Page<string>) =>
      db
        .selectFrom('settlements')
        .selectAll()
        .where('messageHash', '>', after)
        .orderBy('messageHash')
        .limit(limit)
        .execute(),
    partnerOrders: ({ after = '', limit }: Page<string>) =>
      db
        .selectFrom('partnerOrders')
        .selectAll()
        .where('orderId', '>', after)
        .orderBy('orderId')
        .limit(limit)
        .execute(),
    purchases: ({ after = '', limit }: Page<string>) =>
      db
        .selectFrom('purchases')
        .selectAll()
        .where('reference', '>', after)
        .orderBy('reference')
        .limit(limit)
        .execute(),
    deliveries: ({ after = '', limit }: Page<string>) =>
      db
        .selectFrom('deliveries')
        .selectAll()
        .where('deliveryId', '>', after)
        .orderBy('deliveryId')
        .limit(limit)
        .execute(),
    undigested: ({ after = '', limit }) =>
      db
        .selectFrom('deliveries')
        .selectAll()
        .where(UNDIGESTED)
        .where('deliveryId', '>', after)
        .orderBy('deliveryId')
        .limit(limit)
        .execute(),
    refunds: ({ after = '', limit }: Page<string>) =>
      db
        .selectFrom('refunds')
        .selectAll()
        .where('refundId', '>', after)
        .orderBy('refundId')
        .limit(limit)
        .execute(),
    partnerOrdersIn: (states, limit) =>
      db
        .selectFrom('partnerOrders')
        .selectAll()
        .where('orderState', 'in', states)
        .orderBy('createdAtMs')
        .limit(limit)
        .execute(),
    ordersIn: (status, limit) =>
      db
        .selectFrom('orders')
        .selectAll()
        .where('status', '=', status)
        .orderBy('createdAtMs')
        .limit(limit)
        .execute(),
  };
}
