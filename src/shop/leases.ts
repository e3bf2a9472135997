/** When the lease of a receiving account is over, by the order that has it. */

import type { Lease, ReceivingAccountRow } from '../storage/receiving-accounts.ts';
import type { Tables } from '../storage/store.ts';

/** `over`: the money may be moved. `ended`: the account may be leased anew, once it is empty. */
type LeaseState = 'open' | 'over' | 'ended';

interface Times {
  readonly nowMs: number;
  readonly lateMs: number;
}

/** An order is on record within seconds of the lease. */
const UNKNOWN_MS = 10 * 60_000;
/** A payment that was begun in time is on record by then; a later one is refused when it is claimed. */
const UNPAID_SESSION_MS = 30_000;

/** A lease as its kind and the id behind it. */
function partsOf(lease: Lease): readonly [kind: string, id: string] {
  const [kind = '', id = ''] = lease.split(' ');
  return [kind, id];
}

/** Whether an order of the partner API has it; sessions of the checkout host have the others. */
export function isOfOrder({ lease }: Pick<ReceivingAccountRow, 'lease'>): boolean {
  return lease?.startsWith('order ') ?? false;
}

export async function leaseState(
  tables: Pick<Tables, 'sessions' | 'settlements' | 'partnerOrders'>,
  { lease, leasedAtMs }: Pick<ReceivingAccountRow, 'lease' | 'leasedAtMs'>,
  times: Times,
): Promise<LeaseState> {
  if (lease === null || lease === 'late') return 'ended';
  const [kind, id] = partsOf(lease);
  const state =
    kind === 'session'
      ? await sessionState(tables, id, times)
      : await orderState(tables, id, times);
  if (state !== undefined) return state;
  return times.nowMs - (leasedAtMs ?? 0) > UNKNOWN_MS ? 'ended' : 'open';
}

/** A session is paid by one transaction, countersigned once its settlement is on record: none comes late. */
async function sessionState(
  { sessions, settlements }: Pick<Tables, 'sessions' | 'settlements'>,
  sessionId: string,
  { nowMs }: Times,
): Promise<LeaseState | undefined> {
  const settlement = await settlements.bySession(sessionId);
  if (settlement) return settlement.state === 'submitting' ? 'open' : 'ended';
  const session = await sessions.byId(sessionId);
  if (!session) return undefined;
  return nowMs - session.expiresAtMs > UNPAID_SESSION_MS ? 'ended' : 'open';
}

async function orderState(
  { partnerOrders }: Pick<Tables, 'partnerOrders'>,
  orderId: string,
  { nowMs, lateMs }: Times,
): Promise<LeaseState | undefined> {
  const order = await partnerOrders.byId(orderId);
  if (!order) return undefined;
  // As long as the service looks for its payment it counts what the account received.
  if (order.nextLookAtMs !== null) return 'open';
  return nowMs - order.updatedAtMs > lateMs ? 'ended' : 'over';
}

/** Within the write that frees the account, and under the hold of the lease. */
export async function retire(
  { sessions, partnerOrders }: Pick<Tables, 'sessions' | 'partnerOrders'>,
  lease: Lease,
): Promise<void> {
  const [kind, id] = partsOf(lease);
  if (kind === 'session') return sessions.retire(id);
  const order = kind === 'order' ? await partnerOrders.byId(id) : undefined;
  if (!order) return;
  await partnerOrders.update(order, { ...order, walletAddress: null, version: order.version + 1 });
}
