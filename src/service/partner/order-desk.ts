/** What others ask of the partner API's orders: streams, the sandbox's buttons, the tick. */
import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import type { OrderEvent } from '../../domain/order-transitions.ts';
import type { PartnerOrderRow } from '../../storage/partner-orders.ts';
import type { Tables } from '../../storage/store.ts';
import type { OrderDesk } from './desk.ts';
import { lookAt, settleOrder } from './looking.ts';
import { moveOrder } from './moves.ts';
import { orderView } from './order-view.ts';

export interface PartnerOrderDesk {
  find(orderId: string): Promise<PartnerOrderRow | undefined>;
  /** The order as the wire has it, codes included. */
  view(row: PartnerOrderRow): Promise<WirePartnerOrder>;
  /** Looks for its payment now. @throws {ScripError} CHAIN_UNREACHABLE */
  look(row: PartnerOrderRow): Promise<void>;
  /** Applies an event that a person causes; false when it is not legal now. */
  apply(orderId: string, event: OrderEvent): Promise<boolean>;
}

export function createOrderDesk(desk: OrderDesk): PartnerOrderDesk {
  return {
    find: (orderId) => desk.store.tables.partnerOrders.byId(orderId),
    view: (row) => orderView(desk, row),
    look: (row) => lookAt(desk, row),
    apply: (orderId, event) =>
      desk.store.write(async (tables) => {
        const row = await tables.partnerOrders.byId(orderId);
        const atMs = desk.clock.now();
        const moved = row && (await moveOrder(tables, row, event, { atMs }));
        if (moved === undefined) return false;
        if (event === 'manual_resolved') await tryAgain(tables, orderId, atMs);
        await settleOrder(desk, tables, orderId);
        return true;
      }),
  };
}

/** The same reference is asked for again, as often as if it were the first time. */
async function tryAgain(
  { deliveries }: Pick<Tables, 'deliveries'>,
  orderId: string,
  atMs: number,
): Promise<void> {
  for (const row of await deliveries.ofOrder(orderId)) {
    if (row.state === 'completed') continue;
    const again = { state: 'pending', attempts: 0, nextAttemptAtMs: atMs } as const;
    await deliveries.update(row, { ...row, ...again, failureReason: null });
  }
}
