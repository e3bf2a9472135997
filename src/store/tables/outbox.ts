/** Webhooks that report events of orders. */
import { sql } from 'kysely';
import { createIndex, createTable, inTurn } from '../columns.ts';
import type { Db } from '../database.ts';
import { dueWorkOf } from '../due-work.ts';
import { statement } from '../statement.ts';

/** A webhook that reports an event; inserted in the same write. */
export interface OutboxRow {
  readonly webhookId: string;
  readonly orderId: string;
  /** The event's `seq`. */
  readonly seq: number;
  readonly url: string;
  readonly attempts: number;
  readonly nextAttemptAtMs: number;
  readonly state: 'pending' | 'delivered' | 'dead';
  readonly lastError: string | null;
  readonly createdAtMs: number;
}

declare module '../database.ts' {
  interface Database {
    readonly outbox: OutboxRow;
  }
}

export const createOutbox = inTurn(
  createTable('outbox', {
    webhookId: 'text key',
    orderId: 'text',
    seq: 'integer',
    url: 'text',
    attempts: 'integer',
    nextAttemptAtMs: 'bigint',
    state: 'text',
    lastError: 'text?',
    createdAtMs: 'bigint',
  }),
  createIndex('outbox_due', 'outbox', ['state', 'nextAttemptAtMs']),
);

/** For sending an order's webhooks one after another. */
export const orderWebhooks = createIndex('outbox_of_order', 'outbox', ['orderId', 'seq']);

/**
 * What is pending. SQLite takes the index for how long the oldest waits only where no index has an equal
 * state to offer.
 */
export const UNDECIDED = sql<boolean>`state <> 'delivered' and state <> 'dead'`;

export const ageWebhooks = createIndex('outbox_by_age', 'outbox', ['createdAtMs'], {
  where: UNDECIDED,
});

const INSERT = statement((db, row: OutboxRow) => db.insertInto('outbox').values(row));

const BY_ID = statement((db, { webhookId }: Pick<OutboxRow, 'webhookId'>) =>
  db.selectFrom('outbox').selectAll().where('webhookId', '=', webhookId),
);

interface StatePage {
  readonly state: OutboxRow['state'];
  readonly limit: number;
}

const inState = (db: Db, { state, limit }: StatePage) =>
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

/** Due is what is `pending`, unless an earlier webhook of its order is pending. */
export function outboxIn(db: Db, locksRows: boolean) {
  return {
    ...dueWebhooks(db, locksRows),
    insert: (row: OutboxRow) => INSERT.run(db, row),
    byId: (webhookId: string): Promise<OutboxRow | undefined> => BY_ID.first(db, { webhookId }),
    /** An order's webhooks, oldest change first. */
    ofOrder: (orderId: string): Promise<readonly OutboxRow[]> =>
      db
        .selectFrom('outbox')
        .selectAll()
        .where('orderId', '=', orderId)
        .orderBy('seq')
        .orderBy('createdAtMs')
        .execute(),
    byState: (state: OutboxRow['state'], limit: number): Promise<readonly OutboxRow[]> =>
      IN_STATE.all(db, { state, limit }),
    /** Compare-and-swap on `attempts`; false if another process was first. */
    update: (
      { webhookId, attempts: known }: Pick<OutboxRow, 'webhookId' | 'attempts'>,
      {
        state,
        attempts,
        nextAttemptAtMs,
        lastError,
      }: Pick<OutboxRow, 'state' | 'attempts' | 'nextAttemptAtMs' | 'lastError'>,
    ) =>
      UPDATE.changesOne(db, {
        before: { webhookId, attempts: known },
        after: { state, attempts, nextAttemptAtMs, lastError },
      }),
  };
}
