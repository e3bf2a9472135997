/** Operations on the partner API's orders for other parts: streams, the sandbox's actions, the tick. */
import type { OrderEvent } from '../../../domain/order/order-transitions.ts';
import type { Tables } from '../../../store/store.ts';
import type { PartnerOrderRow } from '../../../store/tables/partner-orders.ts';
import { orderOfPage } from '../../page/path.ts';
import type { PartnerOrderDeps } from '../order-deps.ts';
import { orderView } from './order-view.ts';
import { lookAt, settleOrder } from './reconcile.ts';
import { transitionOrder } from './transition.ts';

export type PartnerOrderAdmin = ReturnType<typeof createOrderAdmin>;

export function createOrderAdmin(deps: PartnerOrderDeps) {
  return {
    find: (orderId: string) => deps.store.tables.partnerOrders.byId(orderId),
    ofPage: (pageId: string) => orderOfPage(deps.store.tables, pageId),
    /** The order on the wire, voucher codes included. */
    view: (row: PartnerOrderRow) => orderView(deps, row),
    /** Checks for its payment now. @throws {ScripError} CHAIN_UNREACHABLE */
    look: (row: PartnerOrderRow) => lookAt(deps, row),
    apply: (orderId: string, event: OrderEvent) => applyByHand(deps, orderId, event),
  };
}

type ByHand = Pick<PartnerOrderDeps, 'store' | 'clock' | 'compliance' | 'setup'>;

/** Applies an event that a person triggers; false if it is not allowed now. */
export function applyByHand(deps: ByHand, orderId: string, event: OrderEvent): Promise<boolean> {
  return deps.store.write(async (tables) => {
    await tables.holds.take(`order ${orderId}`);
    const row = await tables.partnerOrders.byId(orderId);
    const atMs = deps.clock.now();
    const moved = row && (await transitionOrder(tables, row, event, { atMs }));
    if (moved === undefined) return false;
    if (event === 'manual_resolved') await tryAgain(tables, orderId, atMs);
    await settleOrder(deps, tables, orderId);
    return true;
  });
}

/** Asks the supplier again with the same references, counting attempts from zero. */
export async function tryAgain(
  { deliveries }: Tables,
  orderId: string,
  atMs: number,
): Promise<void> {
  for (const row of await deliveries.ofOrder(orderId)) {
    if (row.state === 'completed') continue;
    const again = { state: 'pending', attempts: 0, nextAttemptAtMs: atMs, fault: null } as const;
    await deliveries.update(row, { ...row, ...again, failureReason: null });
  }
}
