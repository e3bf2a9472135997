import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { Outbox, OutboxRow } from '../order-events.ts';
import { dueWorkOf } from './due-work.ts';
import { ALONE } from './engine.ts';
import { statement } from './statement.ts';

const INSERT = statement((db, row: OutboxRow) => db.insertInto('outbox').values(row));

const BY_ID = statement((db, { webhookId }: Pick<OutboxRow, 'webhookId'>) =>
  db.selectFrom('outbox').selectAll().where('webhookId', '=', webhookId),
);

interface StatePage {
  readonly state: OutboxRow['state'];
  readonly limit: number;
}

const inState = (db: Kysely<Database>, { state, limit }: StatePage) =>
  db
    .selectFrom('outbox')
    .selectAll()
    .where('state', '=', state)
    .orderBy('nextAttemptAtMs')
    .orderBy('webhookId')
    .limit(limit);

const IN_STATE = statement(inState);

const dueWebhooks = dueWorkOf<OutboxRow>(
  { name: 'outbox', key: 'webhookId', dueAt: 'nextAttemptAtMs', count: 'attempts' },
  (db, { atMs, limit }) =>
    inState(db, { state: 'pending', limit })
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
      ),
);

const UPDATE = statement(
  (
    db,
    {
      before: { webhookId, attempts },
      after,
    }: {
      readonly before: Pick<OutboxRow, 'webhookId' | 'attempts'>;
      readonly after: Pick<OutboxRow, 'state' | 'attempts' | 'nextAttemptAtMs' | 'lastError'>;
    },
  ) =>
    db
      .updateTable('outbox')
      .set(after)
      .where('webhookId', '=', webhookId)
      .where('attempts', '=', attempts),
);

export function outboxIn(db: Kysely<Database>, { locksRows } = ALONE): Outbox {
  return {
    insert: async (row) => {
      await INSERT.run(db, row);
    },
    byId: (webhookId) => BY_ID.first(db, { webhookId }),
    ofOrder: (orderId) =>
      db
        .selectFrom('outbox')
        .selectAll()
        .where('orderId', '=', orderId)
        .orderBy('seq')
        .orderBy('createdAtMs')
        .execute(),
    ...dueWebhooks(db, locksRows),
    byState: (state, limit) => IN_STATE.all(db, { state, limit }),
    update: ({ webhookId, attempts: known }, { state, attempts, nextAttemptAtMs, lastError }) =>
      UPDATE.changesOne(db, {
        before: { webhookId, attempts: known },
        after: { state, attempts, nextAttemptAtMs, lastError },
      }),
  };
}
