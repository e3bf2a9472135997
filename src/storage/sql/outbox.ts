import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { Outbox } from '../order-events.ts';
import { changedOne } from './changes.ts';

export function outboxIn(db: Kysely<Database>): Outbox {
  const inState = (state: Database['outbox']['state'], limit: number) =>
    db
      .selectFrom('outbox')
      .selectAll()
      .where('state', '=', state)
      .orderBy('nextAttemptAtMs')
      .orderBy('webhookId')
      .limit(limit);
  return {
    insert: async (row) => {
      await db.insertInto('outbox').values(row).execute();
    },
    byId: (webhookId) =>
      db.selectFrom('outbox').selectAll().where('webhookId', '=', webhookId).executeTakeFirst(),
    due: (atMs, limit) =>
      inState('pending', limit)
        .where('nextAttemptAtMs', '<=', atMs)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('outbox as earlier')
                .select('earlier.webhookId')
                .whereRef('earlier.orderId', '=', 'outbox.orderId')
                .whereRef('earlier.seq', '<', 'outbox.seq')
                .where('earlier.state', '=', 'pending'),
            ),
          ),
        )
        .execute(),
    byState: (state, limit) => inState(state, limit).execute(),
    update: async (before, { state, attempts, nextAttemptAtMs, lastError }) =>
      changedOne(
        await db
          .updateTable('outbox')
          .set({ state, attempts, nextAttemptAtMs, lastError })
          .where('webhookId', '=', before.webhookId)
          .where('attempts', '=', before.attempts)
          .executeTakeFirst(),
      ),
  };
}
