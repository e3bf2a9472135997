/** Webhooks that report events of orders. */
import { dueWorkOf } from '../due-work.ts';
import { type Db, sql } from '../sql.ts';
import { table } from '../table.ts';

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

const outbox = table<OutboxRow>('outbox', 'webhookId');

/**
 * What is pending. SQLite takes the index for how long the oldest waits only where no index has an equal
 * state to offer.
 */
export const UNDECIDED = sql`state <> 'delivered' and state <> 'dead'`;

const dueWebhooks = dueWorkOf<OutboxRow>({
  name: 'outbox',
  key: 'webhookId',
  dueAt: 'nextAttemptAtMs',
  count: 'attempts',
  where: sql`state = ${'pending'} and not exists (
    select 1 from outbox as earlier
    where earlier.order_id = outbox.order_id and earlier.seq < outbox.seq
      and earlier.state = ${'pending'}
  )`,
});

/** Due is what is `pending`, unless an earlier webhook of its order is pending. */
export function outboxIn(db: Db, locksRows: boolean) {
  const { insert, first, select, update } = outbox.in(db);
  type Change = Pick<OutboxRow, 'state' | 'attempts' | 'nextAttemptAtMs' | 'lastError'>;
  return {
    ...dueWebhooks(db, locksRows),
    insert,
    byId: (webhookId: string) => first({ webhookId }),
    /** An order's webhooks, oldest change first. */
    ofOrder: (orderId: string) =>
      select(sql`where order_id = ${orderId} order by seq, created_at_ms`),
    byState: (state: OutboxRow['state'], limit: number) =>
      select(sql`where state = ${state} order by next_attempt_at_ms, webhook_id limit ${limit}`),
    /** Compare-and-swap on `attempts`; false if another process was first. */
    update: (
      { webhookId, attempts: known }: Pick<OutboxRow, 'webhookId' | 'attempts'>,
      { state, attempts, nextAttemptAtMs, lastError }: Change,
    ) => update({ webhookId, attempts: known }, { state, attempts, nextAttemptAtMs, lastError }),
  };
}
