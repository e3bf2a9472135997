/** Money that the merchant owes or has lost, and how it is paid back: a row of `payouts` for each refund. */
import { sql } from 'kysely';
import type { RefundFilter } from '../../domain/operator.ts';
import { createIndex, createTable, inTurn } from '../columns.ts';
import type { Db } from '../database.ts';
import { dueWorkOf } from '../due-work.ts';
import { changedOne } from '../statement.ts';

/** Only its recipient ever changes, and not once it is being sent. */
export interface RefundRow {
  /**
   * Derived from order and cause, so recording it twice has no effect. Of money that paid no order: the id of the
   * transaction that brought it.
   */
  readonly refundId: string;
  /** Empty of money that paid no order. */
  readonly orderId: string;
  /** `loss`: a product delivered although its money had been refunded. */
  readonly kind: 'refund' | 'loss';
  /** Position of the refunded line; null for the whole order. */
  readonly line: number | null;
  readonly coin: string;
  /** Decimal digits, in units of 10^-decimals of the coin. */
  readonly amountAtomic: string;
  readonly decimals: number;
  /** Address that receives it; null if the order names none. */
  readonly recipient: string | null;
  readonly reason: string;
  readonly createdAtMs: number;
}

/** What an open refund waits for; `operator` is one that only a person can pay. */
export type WaitsFor = 'address' | 'account' | 'approval' | 'operator' | 'limit' | 'balance';

export interface PayoutRow {
  readonly refundId: string;
  /** `sending`: a transfer is on record and not decided. `sent` and `refused` are final. */
  readonly state: 'open' | 'sending' | 'sent' | 'refused';
  readonly waitsFor: WaitsFor | null;
  /** Who let it be sent although the limits ask for a person. */
  readonly approvedBy: string | null;
  /** Message hash of the transfer under way, or of the one that paid it. */
  readonly transfer: string | null;
  /** Id of the transaction that paid it. */
  readonly transaction: string | null;
  /** When its amount was last counted for the limit of a day. */
  readonly reservedAtMs: number | null;
  /** Transfers signed so far. */
  readonly attempts: number;
  /** When to advance it next; null once it is final. */
  readonly nextAtMs: number | null;
  readonly updatedAtMs: number;
  /** Increases with every change. */
  readonly version: number;
}

/** The payment of a refund that is just recorded. */
export function openPayout(refundId: string, atMs: number): PayoutRow {
  return {
    refundId,
    state: 'open',
    waitsFor: null,
    approvedBy: null,
    transfer: null,
    transaction: null,
    reservedAtMs: null,
    attempts: 0,
    nextAtMs: atMs,
    updatedAtMs: atMs,
    version: 0,
  };
}

/** A refund and its payment; null for a refund that was recorded before payments were. */
export interface RefundPayment {
  readonly refund: RefundRow;
  readonly payout: PayoutRow | null;
}

declare module '../database.ts' {
  interface Database {
    readonly refunds: RefundRow;
    readonly payouts: PayoutRow;
  }
}

export const createRefunds = inTurn(
  createTable('refunds', {
    refundId: 'text key',
    orderId: 'text',
    kind: 'text',
    line: 'integer?',
    coin: 'text',
    amountAtomic: 'text',
    decimals: 'integer',
    recipient: 'text?',
    reason: 'text',
    createdAtMs: 'bigint',
  }),
  createIndex('refunds_of_order', 'refunds', ['orderId']),
);

/** Refunds that were recorded before it have no row here. */
export const createPayouts = inTurn(
  createTable('payouts', {
    refundId: 'text key',
    state: 'text',
    waitsFor: 'text?',
    approvedBy: 'text?',
    transfer: 'text unique?',
    transaction: 'text unique?',
    reservedAtMs: 'bigint?',
    attempts: 'integer',
    nextAtMs: 'bigint?',
    updatedAtMs: 'bigint',
    version: 'integer',
  }),
  createIndex('payouts_due', 'payouts', ['nextAtMs']),
  createIndex('payouts_reserved', 'payouts', ['reservedAtMs']),
);

export function refundsIn(db: Db) {
  const rows = () => db.selectFrom('refunds').selectAll();
  return {
    /** Records it, and a refund's open payment. Returns false if it is already recorded. */
    record: async (row: RefundRow) => {
      const written = await db
        .insertInto('refunds')
        .values(row)
        .onConflict((conflict) => conflict.column('refundId').doNothing())
        .executeTakeFirst();
      if (written.numInsertedOrUpdatedRows !== 1n) return false;
      if (row.kind === 'refund') await insertPayout(db, openPayout(row.refundId, row.createdAtMs));
      return true;
    },
    byId: (refundId: string): Promise<RefundRow | undefined> =>
      rows().where('refundId', '=', refundId).executeTakeFirst(),
    ofOrder: (orderId: string): Promise<readonly RefundRow[]> =>
      rows().where('orderId', '=', orderId).orderBy('createdAtMs').orderBy('refundId').execute(),
    /** Names the recipient of an order's refunds that have none. */
    address: async (orderId: string, recipient: string) => {
      await db
        .updateTable('refunds')
        .set({ recipient })
        .where('orderId', '=', orderId)
        .where('recipient', 'is', null)
        .execute();
    },
    /** Replaces the recipient of one refund. */
    redirect: async (refundId: string, recipient: string) => {
      await db.updateTable('refunds').set({ recipient }).where('refundId', '=', refundId).execute();
    },
  };
}

async function insertPayout(db: Db, row: PayoutRow): Promise<void> {
  await db.insertInto('payouts').values(row).execute();
}

const duePayouts = dueWorkOf<PayoutRow>(
  { name: 'payouts', key: 'refundId', dueAt: 'nextAtMs', count: 'version' },
  (db, { atMs, limit }) =>
    db
      .selectFrom('payouts')
      .selectAll()
      .where('nextAtMs', '<=', atMs)
      .orderBy('nextAtMs')
      .orderBy('refundId')
      .limit(limit),
);

/** Due is what is not final. */
export function payoutsIn(db: Db, locksRows = false) {
  type Found = Promise<PayoutRow | undefined>;
  const rows = () => db.selectFrom('payouts').selectAll('payouts');
  const withRefunds = () => rows().innerJoin('refunds', 'refunds.refundId', 'payouts.refundId');
  return {
    ...duePayouts(db, locksRows),
    insert: (row: PayoutRow) => insertPayout(db, row),
    byRefund: (refundId: string): Found =>
      rows().where('refundId', '=', refundId).executeTakeFirst(),
    byTransaction: (transaction: string): Found =>
      rows().where('transaction', '=', transaction).executeTakeFirst(),
    ofOrder: (orderId: string): Promise<readonly PayoutRow[]> =>
      withRefunds().where('refunds.orderId', '=', orderId).execute(),
    /** Makes an order's rows due that wait for an address. */
    wake: async (orderId: string, atMs: number) => {
      await db
        .updateTable('payouts')
        .set((eb) => ({ nextAtMs: atMs, version: eb('version', '+', 1) }))
        .where('state', '=', 'open')
        .where('refundId', 'in', (eb) =>
          eb.selectFrom('refunds').select('refundId').where('orderId', '=', orderId),
        )
        .execute();
    },
    /** Sum of the amounts counted since an instant, in atomic units of USDC. */
    reservedSince: async (atMs: number) => {
      const found = await withRefunds()
        .select('refunds.amountAtomic')
        .where('payouts.reservedAtMs', '>=', atMs)
        .execute();
      return found.reduce((sum, { amountAtomic }) => sum + BigInt(amountAtomic), 0n);
    },
    /** Compare-and-swap on `version`, which it increases; false if another process was first. */
    update: async (
      { refundId, version }: Pick<PayoutRow, 'refundId' | 'version'>,
      changes: Partial<Omit<PayoutRow, 'refundId' | 'version'>>,
    ) =>
      changedOne(
        await db
          .updateTable('payouts')
          .set({ ...changes, version: version + 1 })
          .where('refundId', '=', refundId)
          .where('version', '=', version)
          .executeTakeFirst(),
      ),
    /** Refunds with their payments, oldest first; losses are left out. */
    list: (filter: RefundFilter, limit: number) => listed(db, filter, limit),
  };
}

/** Both parts are read apart: a refund of an older version has no payment. */
async function listed(
  db: Db,
  filter: RefundFilter,
  limit: number,
): Promise<readonly RefundPayment[]> {
  const refunds: readonly RefundRow[] = await db
    .selectFrom('refunds')
    .selectAll('refunds')
    .leftJoin('payouts', 'payouts.refundId', 'refunds.refundId')
    .where('kind', '=', 'refund')
    .$if(filter === 'waiting', (query) =>
      query.where(sql<boolean>`coalesce(payouts.state, 'open') in ('open', 'sending')`),
    )
    .orderBy('createdAtMs')
    .orderBy('refunds.refundId')
    .limit(limit)
    .execute();
  if (refunds.length === 0) return [];
  const ids = refunds.map(({ refundId }) => refundId);
  const payouts: readonly PayoutRow[] = await db
    .selectFrom('payouts')
    .selectAll()
    .where('refundId', 'in', ids)
    .execute();
  const byId = new Map(payouts.map((payout) => [payout.refundId, payout]));
  return refunds.map((refund) => ({ refund, payout: byId.get(refund.refundId) ?? null }));
}
