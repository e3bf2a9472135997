import type { Kysely } from 'kysely';
import type { Orders } from '../checkout-orders.ts';
import type { Database } from '../database.ts';

export function ordersIn(db: Kysely<Database>): Orders {
  return {
    insert: async (row, deliveries) => {
      await db.insertInto('orders').values(row).execute();
      if (deliveries.length > 0) await db.insertInto('deliveries').values(deliveries).execute();
    },
    byId: (orderId) =>
      db.selectFrom('orders').selectAll().where('orderId', '=', orderId).executeTakeFirst(),
    bySession: (sessionId) =>
      db.selectFrom('orders').selectAll().where('sessionId', '=', sessionId).executeTakeFirst(),
    setStatus: async (orderId, status, atMs) => {
      await db
        .updateTable('orders')
        .set({ status, updatedAtMs: atMs })
        .where('orderId', '=', orderId)
        .execute();
    },
  };
}
