/** The shop's accounts that orders are paid to; each belongs to one order for good. */

import { type Db, sql } from '../sql.ts';
import { table } from '../table.ts';
import type { Invariant } from '../writes.ts';

/** Whom an account belongs to; `late` where money came to one that had no order. */
export type Lease = Extract<Invariant, `order ${string}`> | 'late';

export interface ReceivingAccountRow {
  /** Address of the wallet that owns the account. */
  readonly owner: string;
  /** CAIP-2 id of the chain that it is on. */
  readonly network: string;
  /** Index from which the owner's key is derived, from 0. */
  readonly position: number;
  /** Null while no order has it. */
  readonly lease: Lease | null;
  /** Always empty. */
  readonly lastLease?: null;
  readonly leasedAtMs: number | null;
  /** What came before the lease, in the terms of its rail; null if nothing did. */
  readonly baseline: string | null;
  /** Message hash of the pending transfer to the treasury. */
  readonly sweep: string | null;
  /** When its rent was taken back; null while it is open. */
  readonly closedAtMs: number | null;
  readonly createdAtMs: number;
  /** Increases with every change. */
  readonly version: number;
}

const receivingAccounts = table<ReceivingAccountRow>('receivingAccounts', 'owner');

export function receivingAccountsIn(db: Db) {
  const { insert, first, select, update } = receivingAccounts.in(db);
  return {
    insert,
    byOwner: (owner: string) => first({ owner }),
    all: (network: string) => select(sql`where network = ${network} order by position`),
    /** Those that are not closed. */
    open: (network: string) =>
      select(sql`where network = ${network} and closed_at_ms is null order by position`),
    /** Those that were closed since then. */
    closedSince: (network: string, atMs: number) =>
      select(sql`where network = ${network} and closed_at_ms >= ${atMs} order by position`),
    /** The index of the next account, on any chain. */
    nextPosition: async () => {
      const [last] = await select(sql`order by position desc limit 1`);
      return last === undefined ? 0 : last.position + 1;
    },
    /** Compare-and-swap on `version`, which it increases; false if another process was first. */
    update: (
      { owner, version }: Pick<ReceivingAccountRow, 'owner' | 'version'>,
      changes: Partial<Omit<ReceivingAccountRow, 'owner' | 'version'>>,
    ) => update({ owner, version }, { ...changes, version: version + 1 }),
  };
}
