/** What the operator does with webhooks: looks at them, and has one sent again. */
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import type { WebhookRecord, WebhookState } from '../domain/webhook-record.ts';
import type { OutboxRow, Store } from '../storage/store.ts';
import { enableEndpoint } from './webhooks.ts';

export interface WebhookDesk {
  /** Those in one state, those due first at the top. */
  list(state: WebhookState, limit: number): Promise<readonly WebhookRecord[]>;
  /**
   * Makes it due now, with all of its attempts, under the same id; an endpoint that said 410 is told
   * again.
   * @throws {ScripError} WEBHOOK_UNKNOWN; INPUT_INVALID while it is being tried anyway
   */
  replay(webhookId: string): Promise<WebhookRecord>;
}

export function createWebhookDesk(store: Store, clock: Pick<Clock, 'now'>): WebhookDesk {
  return {
    list: async (state, limit) => (await store.tables.outbox.byState(state, limit)).map(record),
    replay: (webhookId) =>
      store.write(async ({ outbox, facts }) => {
        const row = await outbox.byId(webhookId);
        if (!row) throw new ScripError('WEBHOOK_UNKNOWN', `no webhook is called ${webhookId}`);
        if (row.state === 'pending') throw stillTried(row);
        const again = { state: 'pending', attempts: 0, nextAttemptAtMs: clock.now() } as const;
        await outbox.update(row, { ...row, ...again });
        await enableEndpoint(facts, row.url);
        return record({ ...row, ...again });
      }),
  };
}

function stillTried({ webhookId, nextAttemptAtMs }: OutboxRow): ScripError {
  const when = new Date(nextAttemptAtMs).toISOString();
  return new ScripError('INPUT_INVALID', `${webhookId} is tried by itself, next at ${when}`, {
    hint: 'Only what was delivered or is dead can be sent again.',
  });
}

function record(row: OutboxRow): WebhookRecord {
  return {
    webhook_id: row.webhookId,
    order_id: row.orderId,
    url: row.url,
    state: row.state,
    attempts: row.attempts,
    next_attempt_at: row.state === 'pending' ? isoOf(row.nextAttemptAtMs) : null,
    last_error: row.lastError,
    created_at: isoOf(row.createdAtMs),
  };
}

function isoOf(atMs: number): string {
  return new Date(atMs).toISOString();
}
