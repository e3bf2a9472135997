import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { Refunds } from '../refunds.ts';

export function refundsIn(db: Kysely<Database>): Refunds {
  return {
    record: async (row) => {
      const written = await db
        .insertInto('refunds')
        .values(row)
        .onConflict((conflict) => conflict.column('refundId').doNothing())
        .executeTakeFirst();
      return written.numInsertedOrUpdatedRows === 1n;
    },
    ofOrder: (orderId) =>
      db
        .selectFrom('refunds')
        .selectAll()
        .where('orderId', '=', orderId)
        .orderBy('createdAtMs')
        .orderBy('refundId')
        .execute(),
  };
}
