/** Advances orders: continues the work that requests recorded but did not finish. */

import type { SettlementRow } from '../storage/checkout-orders.ts';
import type { ChallengeGate } from './challenge-gate.ts';
import { deliverDue, retryDelayMs } from './delivery.ts';
import type { Limits, ServiceOptions } from './options.ts';
import type { PartnerOrderDeps } from './partner/order-deps.ts';
import type { OrderHub } from './partner/order-hub.ts';
import { hearNews, lookDue } from './partner/reconcile.ts';
import { concludeRequests } from './payment-page/transaction-request.ts';
import { advanceSettlement } from './settlement.ts';
import type { VoucherVault } from './voucher-vault.ts';
import type { WebhookWorker } from './webhooks.ts';

type Parts = ServiceOptions & {
  readonly limits: Limits;
  readonly challenges: ChallengeGate;
  readonly vault: VoucherVault;
  readonly partnerDeps: PartnerOrderDeps | undefined;
  readonly hubs: readonly OrderHub[];
  readonly webhookWorker?: WebhookWorker | undefined;
};

/** When to check an undecided settlement again; a new process checks at once. */
interface Backoff {
  readonly attempts: number;
  readonly nextAtMs: number;
}

/**
 * Creates the tick. Settlements wait for the chain, so they run in parallel in one run at a time,
 * and deliveries do not wait for them. Calls may overlap: what one has booked, the other skips.
 */
export function createTick(parts: Parts): () => Promise<void> {
  const waiting = new Map<string, Backoff>();
  const deliver = () => deliverDue(parts, parts.limits.perTick);
  const look = async () => {
    if (parts.partnerDeps === undefined) return;
    await hearNews(parts.partnerDeps);
    await lookDue(parts.partnerDeps, parts.limits.perTick);
    await concludeRequests(parts.partnerDeps, parts.limits.perTick);
  };
  let settling: Promise<void> | undefined;
  return async () => {
    settling ??= settleUndecided(parts, waiting).finally(() => {
      settling = undefined;
    });
    await Promise.all([deliver(), settling.then(deliver), look().then(deliver)]);
    await Promise.all([...parts.hubs.map((hub) => hub.tick()), parts.webhookWorker?.start()]);
  };
}

/** Reads page by page, so settlements that wait for the chain do not block younger ones. */
async function settleUndecided(parts: Parts, waiting: Map<string, Backoff>): Promise<void> {
  const { store, limits } = parts;
  const open = new Set<string>();
  for (let last: SettlementRow | undefined; ; ) {
    const rows = await store.tables.settlements.undecided(limits.perTick, last);
    for (const { messageHash } of rows) open.add(messageHash);
    await Promise.all(rows.map((row) => settleAgain(parts, waiting, row)));
    last = rows.at(-1);
    if (rows.length < limits.perTick) break;
  }
  for (const messageHash of waiting.keys()) if (!open.has(messageHash)) waiting.delete(messageHash);
}

async function settleAgain(
  parts: Parts,
  waiting: Map<string, Backoff>,
  row: SettlementRow,
): Promise<void> {
  const { attempts, nextAtMs } = waiting.get(row.messageHash) ?? { attempts: 0, nextAtMs: 0 };
  if (nextAtMs > parts.clock.now()) return;
  const { row: after } = await advanceSettlement(parts, row);
  if (after.state !== 'submitting') {
    waiting.delete(row.messageHash);
    return;
  }
  const laterMs = parts.clock.now() + retryDelayMs(attempts + 1);
  waiting.set(row.messageHash, { attempts: attempts + 1, nextAtMs: laterMs });
}
