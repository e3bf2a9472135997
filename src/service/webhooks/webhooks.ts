/** Sends webhooks for changes of orders, at least once: Standard Webhooks, from the durable outbox. */

import type { SendWebhook } from '../../domain/address/webhook-address.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { type Clock, isoOf } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { ResendRequest, WebhookAdmin } from '../../domain/operator/operator.ts';
import type { WebhookRecord } from '../../domain/operator/operator-records.ts';
import { orderUpdatedBody } from '../../domain/order/played-event.ts';
import type { Store, Tables } from '../../store/store.ts';
import { ENDPOINT_GONE } from '../../store/tables/facts.ts';
import type { OrderEventRow } from '../../store/tables/order-events.ts';
import type { OutboxRow } from '../../store/tables/outbox.ts';
import { SINGLE } from '../../store/writes.ts';
import { LONGEST_LEASE_MS, leaseDue } from '../lease-due.ts';
import {
  createWebhookKeys,
  signedHeaders,
  signingGenerations,
  type WebhookKeys,
} from './webhook-signature.ts';

export interface WebhookOptions {
  readonly send: SendWebhook;
  /** 32 bytes that all webhook secrets derive from; kept outside the store. */
  readonly key: Uint8Array;
  /** Allows http, any port and private addresses, for tests of the sandbox. */
  readonly isPrivateAllowed?: boolean;
}

interface WebhookDeps {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly webhooks: WebhookOptions;
  random(length: number): Uint8Array;
  report?(error: unknown): void;
}

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** Waits between attempts from Standard Webhooks: ten attempts in 75.6 hours. */
export const WEBHOOK_RETRY_MS: readonly number[] = [
  5 * SECOND_MS,
  300 * SECOND_MS,
  1800 * SECOND_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const JITTER = 0.1;
const PER_HOST = 4;
const AT_ONCE = 64;
/** Delay of a message whose host is busy, so messages of other hosts go first. */
const BUSY_MS = SECOND_MS;
const GONE = 410;

export function createWebhookWorker(deps: WebhookDeps) {
  const running = new Map<string, Promise<void>>();
  const byHost = new Map<string, number>();
  const keys = createWebhookKeys(deps.webhooks.key);
  const run = (row: OutboxRow): void => {
    const host = hostOf(row.url);
    byHost.set(host, (byHost.get(host) ?? 0) + 1);
    const work = attempt(deps, keys, row)
      .catch((error: unknown) => deps.report?.(error))
      .finally(() => {
        byHost.set(host, (byHost.get(host) ?? 1) - 1);
        if (byHost.get(host) === 0) byHost.delete(host);
        running.delete(row.webhookId);
      });
    running.set(row.webhookId, work);
  };
  return {
    /** Starts due messages that may be sent now, without waiting for them. */
    async start(): Promise<void> {
      const limit = AT_ONCE - running.size;
      if (limit <= 0) return;
      const atMs = deps.clock.now();
      // Longer than the sender's own timeout.
      const term = { atMs, untilMs: atMs + LONGEST_LEASE_MS, limit };
      const leased = await leaseDue(deps.store, ({ outbox }) => outbox, term);
      const waiting: OutboxRow[] = [];
      for (const row of leased) {
        if ((byHost.get(hostOf(row.url)) ?? 0) < PER_HOST) run(row);
        else waiting.push(row);
      }
      if (waiting.length > 0) await giveBack(deps, waiting);
    },
    /** Resolves once all started messages are done. */
    async drain(): Promise<void> {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}

/** Ends leases without an attempt. */
async function giveBack({ store, clock }: WebhookDeps, rows: readonly OutboxRow[]): Promise<void> {
  const nextAttemptAtMs = clock.now() + BUSY_MS;
  await store.write(async ({ outbox }) => {
    for (const row of rows) {
      await outbox.update(row, { ...row, attempts: row.attempts - 1, nextAttemptAtMs });
    }
  });
}

/** Sends a leased message: a crash causes one message too many, never a missing one. */
async function attempt(deps: WebhookDeps, keys: WebhookKeys, row: OutboxRow): Promise<void> {
  const { store, clock } = deps;
  const message = await composeMessage(store.tables, row);
  const isGone = message === undefined || (await isDisabled(store.tables, row, message.madeAtMs));
  if (isGone) return end(deps, row, 'dead', 'ENDPOINT_GONE');
  const atMs = clock.now();
  const { applicationId } = message;
  const partner =
    applicationId === undefined ? undefined : await store.tables.partners.byId(applicationId);
  const generations = signingGenerations(partner, atMs);
  const headers = await signedHeaders(keys, { ...row, ...message, generations, atMs });
  const posted = await deps.webhooks.send({ url: row.url, headers, body: message.body });
  await conclude(deps, row, posted);
}

async function conclude(
  deps: WebhookDeps,
  row: OutboxRow,
  posted: Awaited<ReturnType<SendWebhook>>,
): Promise<void> {
  if ('status' in posted && posted.status >= 200 && posted.status < 300) {
    return end(deps, row, 'delivered', null);
  }
  const reason = 'status' in posted ? `HTTP_${posted.status}` : posted.failure;
  if (reason === `HTTP_${GONE}`) {
    const atMs = String(deps.clock.now());
    await deps.store.write(({ facts }) => facts.set(disabledFact(row.url), atMs), SINGLE);
    return end(deps, row, 'dead', reason);
  }
  const waitMs = WEBHOOK_RETRY_MS[row.attempts - 1];
  if (waitMs === undefined) return end(deps, row, 'dead', reason);
  const nextAttemptAtMs = deps.clock.now() + withJitter(waitMs, deps.random(1)[0] ?? 0);
  await deps.store.write(
    ({ outbox }) => outbox.update(row, { ...row, nextAttemptAtMs, lastError: reason }),
    SINGLE,
  );
}

async function end(
  { store }: WebhookDeps,
  row: OutboxRow,
  state: 'delivered' | 'dead',
  lastError: string | null,
): Promise<void> {
  await store.write(({ outbox }) => outbox.update(row, { ...row, state, lastError }), SINGLE);
}

/** Within ±10%, so many failed messages are not retried at the same instant. */
function withJitter(waitMs: number, byte: number): number {
  return Math.round(waitMs * (1 - JITTER + (2 * JITTER * byte) / 255));
}

interface Message {
  readonly body: string;
  /** Partner that created the order; undefined for one of the checkout host. */
  readonly applicationId: string | undefined;
  readonly madeAtMs: number;
}

/** Contains no vouchers, which are read from the order itself. */
async function composeMessage(tables: Tables, row: OutboxRow): Promise<Message | undefined> {
  const event = await tables.orderEvents.at(row.orderId, row.seq);
  const partnerOrder = await tables.partnerOrders.byId(row.orderId);
  const order = partnerOrder ?? (await tables.orders.byId(row.orderId));
  if (!event || !order) return undefined;
  const facts: unknown = JSON.parse(event.body);
  const { orderId, seq } = row;
  const body = orderUpdatedBody({ orderId, atMs: event.atMs, facts, seq });
  return { body, applicationId: partnerOrder?.applicationId, madeAtMs: order.createdAtMs };
}

/** An endpoint that answered 410 gets no webhooks of older orders; orders that name it later do. */
async function isDisabled(tables: Tables, { url }: OutboxRow, madeAtMs: number): Promise<boolean> {
  const disabledAtMs = await tables.facts.get(disabledFact(url));
  return disabledAtMs !== undefined && madeAtMs <= Number(disabledAtMs);
}

/** Enables an endpoint again that answered 410. */
async function enableEndpoint(facts: Pick<Tables['facts'], 'set'>, url: string): Promise<void> {
  await facts.set(disabledFact(url), '0');
}

function disabledFact(url: string): string {
  return ENDPOINT_GONE + url;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

// The operator's actions on webhooks: listing and sending again.

export function createWebhookAdmin(store: Store, clock: Pick<Clock, 'now'>): WebhookAdmin {
  return {
    list: async (state, limit) =>
      (await store.tables.outbox.byState(state, limit)).map(webhookRecord),
    replay: (webhookId) =>
      store.write(async (tables) => {
        const row = await tables.outbox.byId(webhookId);
        if (!row) throw new ScripError('WEBHOOK_UNKNOWN', t`There is no webhook ${webhookId}`);
        if (row.state === 'pending') throw stillTried(row);
        return webhookRecord(await sendAgain(tables, row, clock.now()));
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
  { outbox, facts }: Tables,
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
