/** Accounts of the shop that orders are paid to, each leased to one order at a time. */

import type { Invariant } from './holds.ts';

/** Who an account is leased to. Money that comes to a free account leases it to `late`. */
export type Lease = Extract<Invariant, `session ${string}` | `order ${string}`> | 'late';

export interface ReceivingAccountRow {
  /** Address of the wallet that owns the account. */
  readonly owner: string;
  /** Number from which the owner's key is derived, from 0. */
  readonly position: number;
  /** Null while the account is free. */
  readonly lease: Lease | null;
  /** The lease before. */
  readonly lastLease: Lease | null;
  readonly leasedAtMs: number | null;
  /** Id of the account's last transaction before the lease; null where it had none. */
  readonly baseline: string | null;
  /** Message hash of the transfer to the treasury that is under way. */
  readonly sweep: string | null;
  readonly createdAtMs: number;
  /** Counts the changes. */
  readonly version: number;
}

export interface ReceivingAccounts {
  insert(row: ReceivingAccountRow): Promise<void>;
  byOwner(owner: string): Promise<ReceivingAccountRow | undefined>;
  /** By position. */
  all(): Promise<readonly ReceivingAccountRow[]>;
  /** Compare-and-swap on `version`, which it raises; false when another was first. */
  update(
    before: Pick<ReceivingAccountRow, 'owner' | 'version'>,
    changes: Partial<Omit<ReceivingAccountRow, 'owner' | 'version'>>,
  ): Promise<boolean>;
}
