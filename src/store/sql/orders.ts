import type { Kysely } from 'kysely';
import type { OrderRow, Orders } from '../checkout-orders.ts';
import type { Database } from '../database.ts';
import { insertDeliveries } from './deliveries.ts';
import { statement } from './statement.ts';

const INSERT = statement((db, row: OrderRow) => db.insertInto('orders').values(row));

const BY_ID = statement((db, { orderId }: Pick<OrderRow, 'orderId'>) =>
  db.selectFrom('orders').selectAll().where('orderId', '=', orderId),
);

const BY_SESSION = statement((db, { sessionId }: Pick<OrderRow, 'sessionId'>) =>
  db.selectFrom('orders').selectAll().where('sessionId', '=', sessionId),
);

const SET_STATUS = statement(
  (db, { orderId, ...after }: Pick<OrderRow, 'orderId' | 'status' | 'updatedAtMs'>) =>
    db
      .updateTable('orders')
      .set(after)
      .where('orderId', '=', orderId)
      .where('status', '!=', after.status)
      .returningAll(),
);

export function ordersIn(db: Kysely<Database>): Orders {
  return {
    insert: async (row, deliveries) => {
      await INSERT.run(db, row);
      await insertDeliveries(db, deliveries);
    },
    byId: (orderId) => BY_ID.first(db, { orderId }),
    bySession: (sessionId) => BY_SESSION.first(db, { sessionId }),
    setStatus: (orderId, status, updatedAtMs) =>
      SET_STATUS.first(db, { orderId, status, updatedAtMs }),
  };
}
