/** How an order is shown that no coin can pay, because a sandbox simulates its payment. */

import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import { commandText } from '../../domain/command-text.ts';
import { type Message, t } from '../../domain/message.ts';
import { isSimulated, purchaseStatus } from '../../domain/order-states.ts';
import type { Line } from '../output/view.ts';
import type { PrintedOrder } from '../schemas/purchase.ts';

/**
 * The merchant's document, with the word of `scrip orders` for its state, and marked for scripts, which would
 * otherwise pay to the address in it.
 */
export function orderRecord(order: WirePartnerOrder): PrintedOrder {
  const { order_state: orderState, payment_state: paymentState } = order;
  return {
    ...order,
    status: purchaseStatus({ orderState, paymentState }),
    payment_simulated: isSimulated(order),
  };
}

/** First in a pipe: the order is not to be paid in coins. */
export function simulatedLines(order: WirePartnerOrder): readonly Line[] {
  if (!isSimulated(order)) return [];
  const { order_id: id } = order;
  const how = commandText`Send no real coins to it. To simulate the payment: scrip sandbox pay ${id}`;
  return [[t`Test order`, how]];
}

export function simulatedNote({ order_id }: WirePartnerOrder): Message {
  return commandText`No wallet can pay test money of this coin. To simulate the payment: scrip sandbox pay ${order_id}`;
}
