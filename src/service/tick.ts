/** Advances orders: continues the work that requests recorded but did not finish. */

import type { ChallengeGate } from './challenge-gate.ts';
import { createDeliveries } from './delivery.ts';
import { freeOfDead } from './lease-due.ts';
import type { Limits, ServiceOptions } from './options.ts';
import type { PartnerOrderDeps } from './partner/order-deps.ts';
import type { OrderHub } from './partner/order-hub.ts';
import { hearNews, lookDue } from './partner/reconcile.ts';
import type { RateSharing } from './rate-sharing.ts';
import { settleDue } from './settlement.ts';
import type { VoucherVault } from './voucher-vault.ts';
import type { WebhookWorker } from './webhooks.ts';

type Parts = ServiceOptions & {
  readonly limits: Limits;
  readonly challenges: ChallengeGate;
  readonly vault: VoucherVault;
  readonly partnerDeps: PartnerOrderDeps | undefined;
  readonly hubs: readonly OrderHub[];
  readonly webhookWorker?: WebhookWorker | undefined;
  readonly sharing?: RateSharing | undefined;
  /** Ends waiting for the chain: the service is stopping. */
  readonly stopping: AbortSignal;
};

/** Interval of looking for servers that died. */
const TAKE_OVER_MS = 1_000;

/**
 * Creates the tick. Deliveries don't wait for settlements, which wait for the chain. Calls may
 * overlap: what one has leased, the other skips.
 */
export function createTick(parts: Parts): () => Promise<void> {
  const { limits, stopping, partnerDeps } = parts;
  let freedAtMs = 0;
  const takeOver = async () => {
    const atMs = parts.clock.now();
    if (atMs - freedAtMs < TAKE_OVER_MS) return;
    freedAtMs = atMs;
    await freeOfDead(parts.store, atMs).catch((error: unknown) => parts.report?.(error));
  };
  const deliverDue = createDeliveries(parts);
  const deliver = () => deliverDue(limits.perTick);
  const settle = () => settleDue(parts, limits.perTick, stopping);
  const look = async () => {
    if (partnerDeps === undefined) return false;
    await hearNews(partnerDeps);
    const hasLooked = await lookDue(partnerDeps, limits.looksPerTick);
    if (partnerDeps.hasPages) {
      const { concludeRequests } = await import('./payment-page/transaction-request.ts');
      await concludeRequests(partnerDeps, limits.perTick);
    }
    return hasLooked;
  };
  /** What was paid just now is delivered now. */
  const deliverAfter = async (work: Promise<boolean>) => {
    if (await work) await deliver();
  };
  return async () => {
    if (stopping.aborted) return;
    await takeOver();
    const exchange = parts.sharing?.exchange().catch((error: unknown) => parts.report?.(error));
    await Promise.all([exchange, deliver(), deliverAfter(settle()), deliverAfter(look())]);
    if (stopping.aborted) return;
    await Promise.all([...parts.hubs.map((hub) => hub.tick()), parts.webhookWorker?.start()]);
  };
}
