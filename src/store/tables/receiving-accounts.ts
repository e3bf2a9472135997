/** The shop's accounts that orders are paid to; each belongs to one order for good. */
import { addColumn, createIndex, createTable, inTurn } from '../columns.ts';
import type { Db } from '../database.ts';
import { changedOne } from '../statement.ts';
import type { Invariant } from '../writes.ts';

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

declare module '../database.ts' {
  interface Database {
    readonly receivingAccounts: ReceivingAccountRow;
  }
}

export const createReceivingAccounts = createTable('receivingAccounts', {
  owner: 'text key',
  position: 'integer unique',
  lease: 'text?',
  lastLease: 'text?',
  leasedAtMs: 'bigint?',
  baseline: 'text?',
  sweep: 'text?',
  createdAtMs: 'bigint',
  version: 'integer',
});

/** Accounts are closed once they are idle. */
export const closeReceivingAccounts = inTurn(
  addColumn('receivingAccounts', 'closedAtMs', 'bigint'),
  createIndex('receiving_accounts_closed', 'receivingAccounts', ['closedAtMs']),
);

export function receivingAccountsIn(db: Db) {
  type Rows = Promise<readonly ReceivingAccountRow[]>;
  const rows = () => db.selectFrom('receivingAccounts').selectAll();
  const inOrder = () => rows().orderBy('position');
  return {
    insert: async (row: ReceivingAccountRow) => {
      await db.insertInto('receivingAccounts').values(row).execute();
    },
    byOwner: (owner: string): Promise<ReceivingAccountRow | undefined> =>
      rows().where('owner', '=', owner).executeTakeFirst(),
    all: (): Rows => inOrder().execute(),
    /** Those that are not closed. */
    open: (): Rows => inOrder().where('closedAtMs', 'is', null).execute(),
    /** Those that were closed since then. */
    closedSince: (atMs: number): Rows => inOrder().where('closedAtMs', '>=', atMs).execute(),
    /** The index of the next account. */
    nextPosition: async () => {
      const last = await rows().orderBy('position', 'desc').limit(1).executeTakeFirst();
      return last === undefined ? 0 : last.position + 1;
    },
    /** Compare-and-swap on `version`, which it increases; false if another process was first. */
    update: async (
      { owner, version }: Pick<ReceivingAccountRow, 'owner' | 'version'>,
      changes: Partial<Omit<ReceivingAccountRow, 'owner' | 'version'>>,
    ) =>
      changedOne(
        await db
          .updateTable('receivingAccounts')
          .set({ ...changes, version: version + 1 })
          .where('owner', '=', owner)
          .where('version', '=', version)
          .executeTakeFirst(),
      ),
  };
}
