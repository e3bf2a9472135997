/** The shop's accounts that orders are paid to; each belongs to one order for good. */

import type { Invariant } from './holds.ts';

/**
 * Whom an account belongs to; `late` where money came to one that had no order. Older versions gave accounts to
 * sessions too, and to one order after another.
 */
export type Lease = Extract<Invariant, `session ${string}` | `order ${string}`> | 'late';

export interface ReceivingAccountRow {
  /** Address of the wallet that owns the account. */
  readonly owner: string;
  /** Index from which the owner's key is derived, from 0. */
  readonly position: number;
  /** Null while no order has it. */
  readonly lease: Lease | null;
  /** The previous lease, of an older version. */
  readonly lastLease: Lease | null;
  readonly leasedAtMs: number | null;
  /** Id of the account's last transaction before the lease; null if it had none. */
  readonly baseline: string | null;
  /** Message hash of the pending transfer to the treasury. */
  readonly sweep: string | null;
  /** When its rent was taken back; null while it is open. */
  readonly closedAtMs: number | null;
  readonly createdAtMs: number;
  /** Increases with every change. */
  readonly version: number;
}

export interface ReceivingAccounts {
  insert(row: ReceivingAccountRow): Promise<void>;
  byOwner(owner: string): Promise<ReceivingAccountRow | undefined>;
  /** Ordered by position. */
  all(): Promise<readonly ReceivingAccountRow[]>;
  /** Those that are not closed, ordered by position. */
  open(): Promise<readonly ReceivingAccountRow[]>;
  /** Those that were closed since then. */
  closedSince(atMs: number): Promise<readonly ReceivingAccountRow[]>;
  /** The index of the next account. */
  nextPosition(): Promise<number>;
  /** Compare-and-swap on `version`, which it increases; false if another process was first. */
  update(
    before: Pick<ReceivingAccountRow, 'owner' | 'version'>,
    changes: Partial<Omit<ReceivingAccountRow, 'owner' | 'version'>>,
  ): Promise<boolean>;
}
