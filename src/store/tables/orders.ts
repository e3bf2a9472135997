/** Orders of the checkout host. */
import { type Db, sql } from '../sql.ts';
import { table } from '../table.ts';
import { type DeliveryRow, insertDeliveries } from './deliveries.ts';

export interface OrderRow {
  readonly orderId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly status: 'processing' | 'completed' | 'failed' | 'expired';
  readonly callbackUrl: string | null;
  /** Digits, in atomic units of USDC; null of an order that a server of before wrote. */
  readonly amountAtomic: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export const orders = table<OrderRow>('orders', 'orderId');

export function ordersIn(db: Db) {
  const { insert, first } = orders.in(db);
  return {
    insert: async (row: OrderRow, deliveries: readonly DeliveryRow[]) => {
      await insert(row);
      await insertDeliveries(db, deliveries);
    },
    byId: (orderId: string) => first({ orderId }),
    /** Returns the changed order; undefined if it has this status already, or there is none. */
    setStatus: (orderId: string, status: OrderRow['status'], updatedAtMs: number) =>
      db.first(sql<OrderRow>`update orders set status = ${status}, updated_at_ms = ${updatedAtMs}
        where order_id = ${orderId} and status <> ${status} returning *`),
  };
}
