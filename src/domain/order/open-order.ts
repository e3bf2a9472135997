/** Finds the orders in the journal that are still in progress at a merchant. */

import {
  type Entry,
  type Intent,
  merchantOrderId,
  nextStep,
  orderName,
} from '../journal/journal.ts';

export interface OpenOrder {
  readonly orderId: string;
  /** The merchant's order id, for requests. */
  readonly merchantId: string;
  readonly intent: Intent;
}

/**
 * Lists each order once, oldest first. Skips orders that need the merchant's support: waiting does not finish
 * them. `withoutOrder` counts purchases that may be paid without a known order: `orders resume` finds out.
 */
export function openOrders(entries: readonly Entry[]) {
  const orders = new Map<string, OpenOrder>();
  let withoutOrder = 0;
  for (const entry of entries) {
    const { intent } = entry;
    const step = nextStep(entry);
    // A further payment for an order: the order has its own entry.
    if (intent.partner?.topUpOf !== undefined || step === 'finished' || step === 'attention')
      continue;
    const merchantId = merchantOrderId(entry);
    if (merchantId !== undefined) {
      const orderId = orderName(intent, merchantId);
      orders.set(orderId, { orderId, merchantId, intent });
    } else if (step === 'settle') withoutOrder += 1;
  }
  return { orders: [...orders.values()], withoutOrder };
}
