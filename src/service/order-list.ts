/** Orders of both surfaces for the operator, the oldest first. */

import { ORDER_STATUSES } from '../contract/checkout.ts';
import { ORDER_STATES, type OrderState } from '../contract/codes.ts';
import type { ShopOrderRecord } from '../domain/operator-records.ts';
import { isTerminal } from '../domain/order-states.ts';
import type { Store } from '../store/store.ts';
import type { OrderRow } from '../store/tables/orders.ts';
import type { PartnerOrderRow } from '../store/tables/partner-orders.ts';

/** Orders in one state; without a state, those that are under way. */
export async function listOrders(
  { tables: { books } }: Pick<Store, 'tables'>,
  { state, limit }: { readonly state: string | undefined; readonly limit: number },
): Promise<readonly ShopOrderRecord[]> {
  // Safe: these are the keys of the table.
  const known = Object.keys(ORDER_STATES) as OrderState[];
  const states = known.filter((one) =>
    state === undefined ? !isTerminal({ orderState: one }) : one === state,
  );
  const statuses = ORDER_STATUSES.filter((one) => one === (state ?? 'processing'));
  const found = await Promise.all([
    states.length === 0 ? [] : (await books.partnerOrdersIn(states, limit)).map(ofPartner),
    ...statuses.map(async (status) => (await books.ordersIn(status, limit)).map(ofCheckout)),
  ]);
  const oldestFirst = found
    .flat()
    .sort((one, other) => (one.created_at < other.created_at ? -1 : 1));
  return oldestFirst.slice(0, limit);
}

export function ofPartner(row: PartnerOrderRow): ShopOrderRecord {
  return {
    order_id: row.orderId,
    surface: 'partner',
    state: row.orderState,
    payment_state: row.paymentState,
    partner_id: row.applicationId,
    ...timesOf(row),
  };
}

export function ofCheckout(row: OrderRow): ShopOrderRecord {
  return {
    order_id: row.orderId,
    surface: 'checkout',
    state: row.status,
    payment_state: null,
    partner_id: null,
    ...timesOf(row),
  };
}

function timesOf({ createdAtMs, updatedAtMs }: Pick<OrderRow, 'createdAtMs' | 'updatedAtMs'>) {
  return {
    created_at: new Date(createdAtMs).toISOString(),
    updated_at: new Date(updatedAtMs).toISOString(),
  };
}
