/** Orders that the journal says are under way at a merchant: what there is to be followed. */
import { type Entry, type Intent, merchantOrderId, nextStep, orderName } from './journal.ts';

export interface OpenOrder {
  readonly orderId: string;
  /** What the merchant calls it: requests name it so. */
  readonly merchantId: string;
  readonly intent: Intent;
}

export interface OpenOrders {
  readonly orders: readonly OpenOrder[];
  /** Paid, perhaps, and no order is known of: `orders resume` finds out. */
  readonly withoutOrder: number;
}

/**
 * Each order once, oldest first. One that was given up to the merchant's support is left out: nothing
 * that is waited for brings it to an end.
 */
export function openOrders(entries: readonly Entry[]): OpenOrders {
  const orders = new Map<string, OpenOrder>();
  let withoutOrder = 0;
  for (const entry of entries) {
    const { intent } = entry;
    const step = nextStep(entry);
    // A further payment for an order: the order has an entry of its own.
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
