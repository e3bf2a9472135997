/** Which accounts orders still need, and which unpaid order gives its own up when all are in use. */

import type { OrderState } from '../contract/codes.ts';
import { giverOf } from '../domain/rate-limit.ts';
import type { Tables } from '../store/store.ts';
import type { PartnerOrderRow } from '../store/tables/partner-orders.ts';
import type { Lease, ReceivingAccountRow } from '../store/tables/receiving-accounts.ts';

/** An order is on record within seconds of its account. */
const UNKNOWN_MS = 10 * 60_000;

/** States in which a payment in time may come. */
const PAYABLE: readonly OrderState[] = [
  'Created',
  'WaitingForNFTCards',
  'NFTCardsSpent',
  'WaitingForCoupon',
  'WaitingForPayment',
  'PaymentStarted',
  'PaymentFailed',
];
/** States in which the service looks for money that comes late. */
const LATE: readonly OrderState[] = ['Expired', 'Canceled', 'Refunded'];

/** Whether an order of the partner API has it. */
export function isOfOrder({ lease }: ReceivingAccountRow): boolean {
  return lease?.startsWith('order ') ?? false;
}

/** The id of the order behind a lease. */
export function idOf(lease: Lease | null): string {
  return lease?.split(' ')[1] ?? '';
}

/**
 * Whether the account has to stay as it is: its order may be paid, or the service has not recorded yet what came
 * late.
 */
export async function isNeeded(
  { partnerOrders }: Tables,
  { lease, leasedAtMs }: ReceivingAccountRow,
  { amount, nowMs }: { readonly amount: bigint; readonly nowMs: number },
): Promise<boolean> {
  if (lease === 'late') return false;
  const order = await partnerOrders.byId(idOf(lease));
  if (order === undefined) return nowMs - (leasedAtMs ?? 0) <= UNKNOWN_MS;
  if (PAYABLE.includes(order.orderState)) return true;
  return amount > 0n && isLookedAt(order) && !isRecorded(order, amount);
}

/** Whether the service itself will notice money that comes now. */
export async function isWatched(
  { partnerOrders }: Tables,
  { lease }: ReceivingAccountRow,
): Promise<boolean> {
  const order = await partnerOrders.byId(idOf(lease));
  return order !== undefined && (PAYABLE.includes(order.orderState) || isLookedAt(order));
}

function isLookedAt({ orderState, nextLookAtMs }: PartnerOrderRow): boolean {
  return LATE.includes(orderState) && nextLookAtMs !== null;
}

function isRecorded({ receivedAtomic, seenAtomic }: PartnerOrderRow, amount: bigint): boolean {
  return receivedAtomic === seenAtomic && BigInt(receivedAtomic) === amount;
}

/** Whether the order of this account was not paid anything yet. */
export async function isUnpaid(
  { partnerOrders }: Tables,
  { lease }: ReceivingAccountRow,
): Promise<boolean> {
  const order = await partnerOrders.byId(idOf(lease));
  return order?.seenAtomic === '0' && PAYABLE.includes(order.orderState);
}

/** The network of orders that another server made, or this one before it started. */
const UNKNOWN = 'unknown';

/** Who has the accounts of unpaid orders, so that no caller keeps others out. Counted by each server for itself. */
export function createCallers() {
  const networks = new Map<string, string>();
  return {
    note: (owner: string, network: string) => {
      networks.set(owner, network);
    },
    /**
     * Returns accounts that may be given up for a newcomer: the oldest first of the network that has most.
     * @param rows the accounts in use
     */
    givers(rows: readonly ReceivingAccountRow[], newcomer: string) {
      const current = new Set(rows.map(({ owner }) => owner));
      for (const owner of networks.keys()) if (!current.has(owner)) networks.delete(owner);
      const networkOf = ({ owner }: ReceivingAccountRow) => networks.get(owner) ?? UNKNOWN;
      const held = rows.filter(isOfOrder);
      const giver = giverOf(held.map(networkOf), newcomer);
      return held
        .filter((row) => networkOf(row) === giver)
        .toSorted((one, other) => (one.leasedAtMs ?? 0) - (other.leasedAtMs ?? 0));
    },
  };
}
