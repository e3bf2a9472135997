import { type Kysely, sql } from 'kysely';
import type { RefundFilter } from '../../domain/operator.ts';
import type { Database } from '../database.ts';
import type { PayoutRow, Payouts, RefundPayment } from '../payouts.ts';
import type { RefundRow } from '../refunds.ts';
import { changedOne } from './changes.ts';
import { dueWorkOf } from './due-work.ts';
import { ALONE } from './engine.ts';

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

export function payoutsIn(db: Kysely<Database>, { locksRows } = ALONE): Payouts {
  const rows = () => db.selectFrom('payouts').selectAll('payouts');
  return {
    insert: async (row) => {
      await db.insertInto('payouts').values(row).execute();
    },
    byRefund: (refundId) => rows().where('refundId', '=', refundId).executeTakeFirst(),
    byTransaction: (transaction) =>
      rows().where('transaction', '=', transaction).executeTakeFirst(),
    ofOrder: (orderId) =>
      rows()
        .innerJoin('refunds', 'refunds.refundId', 'payouts.refundId')
        .where('refunds.orderId', '=', orderId)
        .execute(),
    ...duePayouts(db, locksRows),
    wake: async (orderId, atMs) => {
      await db
        .updateTable('payouts')
        .set((eb) => ({ nextAtMs: atMs, version: eb('version', '+', 1) }))
        .where('state', '=', 'open')
        .where('refundId', 'in', (eb) =>
          eb.selectFrom('refunds').select('refundId').where('orderId', '=', orderId),
        )
        .execute();
    },
    reservedSince: async (atMs) => {
      const found = await db
        .selectFrom('payouts')
        .innerJoin('refunds', 'refunds.refundId', 'payouts.refundId')
        .select('refunds.amountAtomic')
        .where('payouts.reservedAtMs', '>=', atMs)
        .execute();
      return found.reduce((sum, { amountAtomic }) => sum + BigInt(amountAtomic), 0n);
    },
    update: async ({ refundId, version }, changes) =>
      changedOne(
        await db
          .updateTable('payouts')
          .set({ ...changes, version: version + 1 })
          .where('refundId', '=', refundId)
          .where('version', '=', version)
          .executeTakeFirst(),
      ),
    list: (filter, limit) => listed(db, filter, limit),
  };
}

/** Both parts are read apart: a refund of an older version has no payment. */
async function listed(
  db: Kysely<Database>,
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
