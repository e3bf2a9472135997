/** Money that the merchant owes or has lost, and how it is paid back: a row of `payouts` for each refund. */
import type { RefundFilter } from '../../domain/operator/operator.ts';
import { ANY, dueWorkOf } from '../due-work.ts';
import { type Db, type Sql, sql, within } from '../sql.ts';
import { table } from '../table.ts';

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

/** A refund with its payment. */
export type RefundPayment = RefundRow & PayoutRow;

export const refunds = table<RefundRow>('refunds', 'refundId');
const payouts = table<PayoutRow>('payouts', 'refundId');

export function refundsIn(db: Db) {
  const { add, first, select, update, rows } = refunds.in(db);
  return {
    /** Records it, and a refund's open payment. Returns false if it is already recorded. */
    record: async (row: RefundRow) => {
      if (!(await add(row))) return false;
      const payout = openPayout(row.refundId, row.createdAtMs);
      if (row.kind === 'refund') await payouts.in(db).insert(payout);
      return true;
    },
    rows,
    byId: (refundId: string) => first({ refundId }),
    ofOrder: (orderId: string) =>
      select(sql`where order_id = ${orderId} order by created_at_ms, refund_id`),
    /** Names the recipient of an order's refunds that have none. */
    address: async (orderId: string, recipient: string) => {
      await db.run(sql`update refunds set recipient = ${recipient}
        where order_id = ${orderId} and recipient is null`);
    },
    /** Replaces the recipient of one refund. */
    redirect: async (refundId: string, recipient: string) => {
      await update({ refundId }, { recipient });
    },
  };
}

const duePayouts = dueWorkOf<PayoutRow>({
  name: 'payouts',
  key: 'refundId',
  dueAt: 'nextAtMs',
  count: 'version',
});

/** Due is what is not final. */
export function payoutsIn(db: Db, locksRows = false) {
  const { insert, first, update } = payouts.in(db);
  return {
    ...duePayouts(db, locksRows),
    insert,
    byRefund: (refundId: string) => first({ refundId }),
    byTransaction: (transaction: string) => first({ transaction }),
    /** An order's refunds with their payments; losses have none. */
    ofOrder: (orderId: string) => refundsWhere(db, sql`refunds.order_id = ${orderId}`),
    ofOrders: (orderIds: readonly string[]) =>
      refundsWhere(db, within(sql`refunds.order_id`, orderIds)),
    /** Makes an order's rows due that wait for an address. */
    wake: async (orderId: string, atMs: number) => {
      await db.run(sql`update payouts set next_at_ms = ${atMs}, version = version + 1
        where state = 'open' and ${isOf(orderId)}`);
    },
    /** Sum of the amounts counted since an instant, in atomic units of USDC. */
    reservedSince: async (atMs: number) => {
      type Counted = Pick<RefundRow, 'amountAtomic'>;
      const rows = await db.all(
        sql<Counted>`select refunds.amount_atomic from payouts
          inner join refunds on refunds.refund_id = payouts.refund_id
          where payouts.reserved_at_ms >= ${atMs}`,
      );
      return rows.reduce((sum, { amountAtomic }) => sum + BigInt(amountAtomic), 0n);
    },
    /** Compare-and-swap on `version`, which it increases; false if another process was first. */
    update: (
      { refundId, version }: Pick<PayoutRow, 'refundId' | 'version'>,
      changes: Partial<Omit<PayoutRow, 'refundId' | 'version'>>,
    ) => update({ refundId, version }, { ...changes, version: version + 1 }),
    list: (filter: RefundFilter, limit: number) =>
      refundsWhere(
        db,
        filter === 'waiting' ? sql`payouts.state in ('open', 'sending')` : sql`true`,
        limit,
      ),
  };
}

/** Payouts of an order's refunds. */
function isOf(orderId: string) {
  return sql`refund_id in (select refund_id from refunds where order_id = ${orderId})`;
}

/** The oldest first. */
function refundsWhere(db: Db, which: Sql, limit = ANY) {
  return db.all(
    sql<RefundPayment>`select refunds.*, payouts.* from refunds
      inner join payouts on payouts.refund_id = refunds.refund_id
      where ${which} order by refunds.created_at_ms, refunds.refund_id limit ${limit}`,
  );
}
