import type { Kysely } from 'kysely';
import type { Settlements } from '../checkout-orders.ts';
import type { Database } from '../database.ts';
import { changedOne } from './changes.ts';

export function settlementsIn(db: Kysely<Database>): Settlements {
  return {
    insert: async (row) => {
      await db.insertInto('settlements').values(row).execute();
    },
    bySession: (sessionId) =>
      db
        .selectFrom('settlements')
        .selectAll()
        .where('sessionId', '=', sessionId)
        .executeTakeFirst(),
    byMessage: (messageHash) =>
      db
        .selectFrom('settlements')
        .selectAll()
        .where('messageHash', '=', messageHash)
        .executeTakeFirst(),
    byPaymentId: (paymentId) =>
      db
        .selectFrom('settlements')
        .selectAll()
        .where('paymentId', '=', paymentId)
        .where('state', '!=', 'failed')
        .executeTakeFirst(),
    name: async (messageHash, paymentId) => {
      await db
        .updateTable('settlements')
        .set({ paymentId })
        .where('messageHash', '=', messageHash)
        .where('paymentId', 'is', null)
        .execute();
    },
    decide: async (messageHash, { state, transaction, reason, settledAtMs }) =>
      changedOne(
        await db
          .updateTable('settlements')
          .set({ state, transaction, reason, settledAtMs })
          .where('messageHash', '=', messageHash)
          .where('state', '=', 'submitting')
          .executeTakeFirst(),
      ),
    undecided: (limit, after) => {
      const query = db
        .selectFrom('settlements')
        .selectAll()
        .where('state', '=', 'submitting')
        .orderBy('createdAtMs')
        .orderBy('messageHash')
        .limit(limit);
      if (after === undefined) return query.execute();
      return query
        .where((eb) =>
          eb.or([
            eb('createdAtMs', '>', after.createdAtMs),
            eb.and([
              eb('createdAtMs', '=', after.createdAtMs),
              eb('messageHash', '>', after.messageHash),
            ]),
          ]),
        )
        .execute();
    },
  };
}
