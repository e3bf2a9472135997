/** Orders of the checkout host. */
import type { Db } from '../database.ts';
import { statement } from '../statement.ts';
import { table } from '../table.ts';
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

const orders = table<OrderRow>('orders', 'orderId');

/** No foreign key to the session: sessions may be deleted while orders are kept. */
export const createOrders = orders.create({
  orderId: 'text key',
  sessionId: 'text unique',
  email: 'text',
  status: 'text',
  callbackUrl: 'text?',
  createdAtMs: 'bigint',
  updatedAtMs: 'bigint',
});

/** For lists and monitors. */
export const indexOrdersByStatus = orders.index('orders_by_status', ['status', 'createdAtMs']);

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
  const { insert, first } = orders.in(db);
  return {
    insert: async (row: OrderRow, deliveries: readonly DeliveryRow[]) => {
      await insert(row);
      await insertDeliveries(db, deliveries);
    },
    byId: (orderId: string) => first({ orderId }),
    bySession: (sessionId: string) => first({ sessionId }),
    /** Returns the changed order; undefined if it has this status already, or there is none. */
    setStatus: (orderId: string, status: OrderRow['status'], updatedAtMs: number) =>
      SET_STATUS.first(db, { orderId, status, updatedAtMs }),
  };
}
