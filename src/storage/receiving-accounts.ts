/** The shop's accounts that orders are paid to; each is leased to one order at a time. */

import type { Invariant } from './holds.ts';

/** Holder of a lease; money that arrives at a free account leases it to `late`. */
export type Lease = Extract<Invariant, `session ${string}` | `order ${string}`> | 'late';

export interface ReceivingAccountRow {
  /** Address of the wallet that owns the account. */
  readonly owner: string;
  /** Index from which the owner's key is derived, from 0. */
  readonly position: number;
  /** Null while the account is free. */
  readonly lease: Lease | null;
  /** The previous lease. */
  readonly lastLease: Lease | null;
  readonly leasedAtMs: number | null;
  /** Id of the account's last transaction before the lease; null if it had none. */
  readonly baseline: string | null;
  /** Message hash of the pending transfer to the treasury. */
  readonly sweep: string | null;
  readonly createdAtMs: number;
  /** Increases with every change. */
  readonly version: number;
}

export interface ReceivingAccounts {
  insert(row: ReceivingAccountRow): Promise<void>;
  byOwner(owner: string): Promise<ReceivingAccountRow | undefined>;
  /** Ordered by position. */
  all(): Promise<readonly ReceivingAccountRow[]>;
  /** Compare-and-swap on `version`, which it increases; false if another process was first. */
  update(
    before: Pick<ReceivingAccountRow, 'owner' | 'version'>,
    changes: Partial<Omit<ReceivingAccountRow, 'owner' | 'version'>>,
  ): Promise<boolean>;
}
