/** Orders of the checkout host. */
import { createIndex, createTable } from '../columns.ts';
import type { Db } from '../database.ts';
import { statement } from '../statement.ts';
import { type DeliveryRow, insertDeliveries } from './deliveries.ts';

export interface OrderRow {
  readonly orderId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly status: 'processing' | 'completed' | 'failed' | 'expired';
  readonly callbackUrl: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

declare module '../database.ts' {
  interface Database {
    readonly orders: OrderRow;
  }
}

/** No foreign key to the session: sessions may be deleted while orders are kept. */
export const createOrders = createTable('orders', {
  orderId: 'text key',
  sessionId: 'text unique',
  email: 'text',
  status: 'text',
  callbackUrl: 'text?',
  createdAtMs: 'bigint',
  updatedAtMs: 'bigint',
});

/** For lists and monitors. */
export const indexOrdersByStatus = createIndex('orders_by_status', 'orders', [
  'status',
  'createdAtMs',
]);

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

export function ordersIn(db: Db) {
  return {
    insert: async (row: OrderRow, deliveries: readonly DeliveryRow[]) => {
      await INSERT.run(db, row);
      await insertDeliveries(db, deliveries);
    },
    byId: (orderId: string): Promise<OrderRow | undefined> => BY_ID.first(db, { orderId }),
    bySession: (sessionId: string): Promise<OrderRow | undefined> =>
      BY_SESSION.first(db, { sessionId }),
    /** Returns the changed order; undefined if it has this status already, or there is none. */
    setStatus: (
      orderId: string,
      status: OrderRow['status'],
      updatedAtMs: number,
    ): Promise<OrderRow | undefined> => SET_STATUS.first(db, { orderId, status, updatedAtMs }),
  };
}
