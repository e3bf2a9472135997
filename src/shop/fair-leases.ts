/**
 * Which unpaid session gives up its account for a newcomer, when every account is in use. Only the shop can let
 * a session's payment land, so a session that loses its account loses no money. Counted by each server for itself.
 */

import { giverOf } from '../domain/fair-share.ts';
import type { SessionCaller } from '../rails/merchant-rail.ts';
import type { Lease, ReceivingAccountRow } from '../storage/receiving-accounts.ts';
import type { Store } from '../storage/store.ts';
import { retire } from './leases.ts';

export interface FairLeases {
  /** Remembers who has a lease. */
  note(lease: Lease, caller: SessionCaller): void;
  /**
   * Picks the oldest unpaid session of the network that has most; for a caller who paid before, of any.
   * @param tried owners that are not asked again
   */
  giver(
    rows: readonly ReceivingAccountRow[],
    newcomer: SessionCaller,
    tried: ReadonlySet<string>,
  ): ReceivingAccountRow | undefined;
}

interface Held {
  readonly row: ReceivingAccountRow;
  readonly network: string;
}

export function createFairLeases(): FairLeases {
  const callers = new Map<Lease, SessionCaller>();
  return {
    note: (lease, caller) => {
      callers.set(lease, caller);
    },
    giver(rows, { network, hasPaid }, tried) {
      const current = new Set(rows.map(({ lease }) => lease));
      for (const lease of callers.keys()) if (!current.has(lease)) callers.delete(lease);
      const held = rows
        .filter(({ owner }) => !tried.has(owner))
        .flatMap((row): readonly Held[] => {
          const caller = row.lease === null ? undefined : callers.get(row.lease);
          return caller === undefined || caller.hasPaid ? [] : [{ row, network: caller.network }];
        })
        .toSorted((one, other) => (one.row.leasedAtMs ?? 0) - (other.row.leasedAtMs ?? 0));
      const giver = giverOf(
        held.map((one) => one.network),
        hasPaid ? '' : network,
      );
      const found = held.find((one) => one.network === giver) ?? (hasPaid ? held[0] : undefined);
      return found?.row;
    },
  };
}

/** Ends an unpaid session; gives its account, or undefined if a payment for it has begun. */
export async function takeBack(
  store: Store,
  row: ReceivingAccountRow,
): Promise<ReceivingAccountRow | undefined> {
  const { lease } = row;
  if (lease === null || lease === 'late') return undefined;
  const [, sessionId = ''] = lease.split(' ');
  return store.write(async (tables) => {
    await tables.holds.take(lease);
    // A session that is being made has no row yet.
    if (!(await tables.sessions.byId(sessionId))) return undefined;
    if (await tables.settlements.bySession(sessionId)) return undefined;
    const ended = { lease: null, lastLease: lease, leasedAtMs: null, baseline: null };
    if (!(await tables.receivingAccounts.update(row, ended))) return undefined;
    await retire(tables, lease);
    return { ...row, ...ended, version: row.version + 1 };
  });
}
