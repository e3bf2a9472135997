/** The operator's actions on webhooks: listing and sending again. */

import { canonicalJson } from '../domain/canonical-json.ts';
import { type Clock, isoOf } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { ResendRequest, WebhookAdmin } from '../domain/operator.ts';
import type { WebhookRecord } from '../domain/webhook-record.ts';
import type { Store, Tables } from '../store/store.ts';
import type { OrderEventRow } from '../store/tables/order-events.ts';
import type { OutboxRow } from '../store/tables/outbox.ts';
import { enableEndpoint } from './webhooks.ts';

export function createWebhookAdmin(store: Store, clock: Pick<Clock, 'now'>): WebhookAdmin {
  return {
    list: async (state, limit) =>
      (await store.tables.outbox.byState(state, limit)).map(webhookRecord),
    replay: (webhookId) =>
      store.write(async ({ outbox, facts }) => {
        const row = await outbox.byId(webhookId);
        if (!row) throw new ScripError('WEBHOOK_UNKNOWN', t`There is no webhook ${webhookId}`);
        if (row.state === 'pending') throw stillTried(row);
        return webhookRecord(await sendAgain({ outbox, facts }, row, clock.now()));
      }),
    resend: (request) =>
      store.write(async (tables) => {
        const { orderId, webhookId } = request;
        const url = await addressOf(tables, orderId);
        const { seq } = await changeOf(tables, request);
        const atMs = clock.now();
        const row: OutboxRow = {
          ...{ webhookId, orderId, seq, url, attempts: 0, state: 'pending', lastError: null },
          nextAttemptAtMs: atMs,
          createdAtMs: atMs,
        };
        await tables.outbox.insert(row);
        await enableEndpoint(tables.facts, url);
        return webhookRecord(row);
      }),
  };
}

/** Makes a webhook due with all its attempts, within a write. */
export async function sendAgain(
  { outbox, facts }: Pick<Tables, 'outbox' | 'facts'>,
  row: OutboxRow,
  atMs: number,
): Promise<OutboxRow> {
  const again = { ...row, state: 'pending', attempts: 0, nextAttemptAtMs: atMs } as const;
  await outbox.update(row, again);
  await enableEndpoint(facts, row.url);
  return again;
}

async function addressOf(tables: Tables, orderId: string): Promise<string> {
  const partnerOrder = await tables.partnerOrders.byId(orderId);
  const order = await tables.orders.byId(orderId);
  if (!partnerOrder && !order) {
    throw new ScripError('ORDER_UNKNOWN', t`There is no order "${orderId}" in this sandbox`, {
      hint: t`Name its data folder with --data, or send the event to an address with --to.`,
    });
  }
  const url = partnerOrder?.notificationUrl ?? order?.callbackUrl ?? null;
  if (url !== null) return url;
  throw new ScripError('INPUT_INVALID', t`Order ${orderId} has no callback address`, {
    hint: t`Name one with --to, or set it when ordering: --callback-url <url>.`,
  });
}

async function changeOf(tables: Tables, { orderId, facts }: ResendRequest): Promise<OrderEventRow> {
  const events = await tables.orderEvents.since(orderId, 0);
  const wanted = facts === undefined ? undefined : canonicalJson(facts);
  const found = events.findLast(
    ({ body }) => wanted === undefined || canonicalJson(JSON.parse(body)) === wanted,
  );
  if (found) return found;
  throw new ScripError('INPUT_INVALID', t`Order ${orderId} never had this state`, {
    hint: t`Only a change that happened is sent again; to simulate one, name an address with --to.`,
    details: { order_id: orderId, changes: events.map(({ body }) => JSON.parse(body)) },
  });
}

function stillTried({ webhookId, nextAttemptAtMs }: OutboxRow): ScripError {
  const when = isoOf(nextAttemptAtMs);
  return new ScripError(
    'INPUT_INVALID',
    t`${webhookId} is retried automatically, next at ${when}`,
    {
      hint: t`Only a delivered or dead webhook can be sent again.`,
    },
  );
}

/** A webhook as its operator sees it. */
export function webhookRecord(row: OutboxRow): WebhookRecord {
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
