import type { Kysely } from 'kysely';
import type { Deliveries } from '../checkout-orders.ts';
import type { Database } from '../database.ts';
import { changedOne } from './changes.ts';
import { ALONE } from './engine.ts';

export function deliveriesIn(db: Kysely<Database>, { locksRows } = ALONE): Deliveries {
  return {
    ofOrder: (orderId) =>
      db
        .selectFrom('deliveries')
        .selectAll()
        .where('orderId', '=', orderId)
        .orderBy('line')
        .$if(locksRows, (query) => query.forUpdate())
        .execute(),
    release: async (orderId, atMs) => {
      await db
        .updateTable('deliveries')
        .set({ state: 'pending', nextAttemptAtMs: atMs })
        .where('orderId', '=', orderId)
        .where('state', '=', 'waiting')
        .execute();
    },
    due: (atMs, limit) =>
      db
        .selectFrom('deliveries')
        .selectAll()
        .where('state', '=', 'pending')
        .where('nextAttemptAtMs', '<=', atMs)
        .orderBy('nextAttemptAtMs')
        .orderBy('deliveryId')
        .limit(limit)
        .execute(),
    update: async (before, after) =>
      changedOne(
        await db
          .updateTable('deliveries')
          .set({
            state: after.state,
            attempts: after.attempts,
            nextAttemptAtMs: after.nextAttemptAtMs,
            voucher: after.voucher,
            failureReason: after.failureReason,
          })
          .where('deliveryId', '=', before.deliveryId)
          .where('attempts', '=', before.attempts)
          .executeTakeFirst(),
      ),
  };
}
