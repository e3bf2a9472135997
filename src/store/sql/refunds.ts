import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import { openPayout } from '../payouts.ts';
import type { Refunds } from '../refunds.ts';
import { payoutsIn } from './payouts.ts';

export function refundsIn(db: Kysely<Database>): Refunds {
  const rows = () => db.selectFrom('refunds').selectAll();
  const payouts = payoutsIn(db);
  return {
    record: async (row) => {
      const written = await db
        .insertInto('refunds')
        .values(row)
        .onConflict((conflict) => conflict.column('refundId').doNothing())
        .executeTakeFirst();
      if (written.numInsertedOrUpdatedRows !== 1n) return false;
      if (row.kind === 'refund') await payouts.insert(openPayout(row.refundId, row.createdAtMs));
      return true;
    },
    byId: (refundId) => rows().where('refundId', '=', refundId).executeTakeFirst(),
    ofOrder: (orderId) =>
      rows().where('orderId', '=', orderId).orderBy('createdAtMs').orderBy('refundId').execute(),
    address: async (orderId, recipient) => {
      await db
        .updateTable('refunds')
        .set({ recipient })
        .where('orderId', '=', orderId)
        .where('recipient', 'is', null)
        .execute();
    },
    redirect: async (refundId, recipient) => {
      await db.updateTable('refunds').set({ recipient }).where('refundId', '=', refundId).execute();
    },
  };
}
