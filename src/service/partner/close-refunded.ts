/** When an order that ended unpaid becomes Refunded: when all that it received was sent back. */

import type { Tables } from '../../store/store.ts';
import { paymentsOf } from '../refunds.ts';
import { transitionOrder } from './transition.ts';

/**
 * Within the write that records a refund as paid, under the hold of the order. Does nothing for other
 * orders: support has already made them Refunded or Completed, or the goods were delivered.
 */
export async function closeRefunded(tables: Tables, orderId: string, atMs: number): Promise<void> {
  const order = await tables.partnerOrders.byId(orderId);
  if (order?.orderState !== 'Expired' && order?.orderState !== 'Canceled') return;
  const payments = await paymentsOf(tables, orderId);
  const sent = payments.filter(({ payout }) => payout?.state === 'sent');
  const sum = sent.reduce((total, { refund }) => total + BigInt(refund.amountAtomic), 0n);
  if (sum >= BigInt(order.receivedAtomic))
    await transitionOrder(tables, order, 'refunded', { atMs });
}
