/** Delivers paid lines: buys each under one reference until the outcome is known. */

import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { DeliveryRow } from '../storage/checkout-orders.ts';
import type { Tables } from '../storage/store.ts';
import { leaseDue } from './lease-due.ts';
import { decodeLine } from './line.ts';
import type { ServiceOptions } from './options.ts';
import { setOrderStatus } from './order-events.ts';
import { settleOrder, unchecked } from './partner/reconcile.ts';
import { atOnce } from './partner/setup.ts';
import { bookLoss, refundFailedLines } from './refunds.ts';
import { noteSupplierFault } from './supplier-faults.ts';
import type { SupplyOutcome } from './suppliers/supplier.ts';
import type { VoucherVault } from './voucher-vault.ts';

type Delivering = Pick<ServiceOptions, 'store' | 'supplier' | 'clock' | 'report'> & {
  readonly vault: VoucherVault;
};

/** Longer than most suppliers take; a second server that asks meanwhile uses the same reference. */
const LEASE_MS = 10_000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;

/** Wait before the next attempt if the last outcome is unknown: 0.5 s, doubling to 30 s. */
export function retryDelayMs(attempts: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 16));
}

/** Delivers what is due; an error of one line does not delay the others. */
export async function deliverDue(delivering: Delivering, limit: number): Promise<void> {
  const { store, clock, report } = delivering;
  const atMs = clock.now();
  const term = { atMs, untilMs: atMs + LEASE_MS, limit };
  const due = await leaseDue(store, ({ deliveries }) => deliveries, term);
  const results = await Promise.allSettled(due.map((row) => deliver(delivering, row)));
  for (const [index, result] of results.entries()) {
    if (result.status === 'rejected') report?.(delayed(due[index]?.deliveryId, result.reason));
  }
}

/** The error of one delivery; its subject marks repeated reports as the same. */
function delayed(deliveryId: string | undefined, cause: unknown): ScripError {
  const why = cause instanceof Error ? cause.message : 'an unknown fault';
  return new ScripError('MERCHANT_ERROR', t`Delivery ${deliveryId ?? ''} will be retried: ${why}`, {
    cause,
    details: { subject: deliveryId },
  });
}

/**
 * Asks the supplier about a leased delivery. After a crash it is asked again with the same
 * reference, when the lease has ended.
 */
async function deliver(delivering: Delivering, row: DeliveryRow): Promise<void> {
  const { store } = delivering;
  const outcome = await askSupplier(delivering, row);
  const after = await applyOutcome(delivering, row, outcome);
  const isLoss = await store.write(async (tables) => {
    await tables.holds.take(`order ${row.orderId}`);
    const lines = await tables.deliveries.ofOrder(row.orderId);
    const recorded = await record(tables, { leased: row, after, lines });
    if (recorded === 'ours') await closeOrder(delivering, tables, { after, lines });
    return recorded === 'too late' && (await keepLate(delivering, tables, after));
  });
  if (isLoss) delivering.report?.(lateGoods(row));
}

/** Ends the lease if the outcome is unknown: the supplier is asked again after a while. */
async function askSupplier(
  { store, clock, supplier }: Delivering,
  row: DeliveryRow,
): Promise<SupplyOutcome> {
  try {
    return await supplier.fulfil(row.deliveryId, decodeLine(row.goods));
  } catch (error) {
    const atMs = clock.now();
    const nextAttemptAtMs = atMs + retryDelayMs(row.attempts);
    await store.write(async ({ deliveries, facts }) => {
      await deliveries.update(row, { ...row, nextAttemptAtMs });
      await noteSupplierFault(facts, row.deliveryId, { error, atMs });
    });
    throw error;
  }
}

/** A line's outcome, and the lines of its order before it was recorded. */
interface Outcome {
  readonly after: DeliveryRow;
  readonly lines: readonly DeliveryRow[];
}

/**
 * Records an outcome. A reference's outcome is final, whichever attempt received it: it is recorded
 * even if another attempt has begun meanwhile, and raises `attempts` so that attempt changes
 * nothing. It is too late if the line has failed meanwhile.
 */
async function record(
  { deliveries }: Tables,
  { leased, after, lines }: Outcome & { readonly leased: DeliveryRow },
): Promise<'ours' | 'known' | 'too late'> {
  const row = lines.find(({ deliveryId }) => deliveryId === leased.deliveryId);
  if (row?.state === 'failed' && after.state === 'completed') return 'too late';
  if (row?.state !== 'pending') return 'known';
  const change = after.state === 'pending' ? after : { ...after, attempts: row.attempts + 1 };
  const before = after.state === 'pending' ? leased : row;
  return (await deliveries.update(before, change)) ? 'ours' : 'known';
}

/** The supplier sold although the order has ended meanwhile: keeps the voucher and records the loss. */
async function keepLate(
  { clock }: Delivering,
  tables: Tables,
  after: DeliveryRow,
): Promise<boolean> {
  const order = await tables.partnerOrders.byId(after.orderId);
  const lines = await tables.deliveries.ofOrder(after.orderId);
  const row = lines.find(({ deliveryId }) => deliveryId === after.deliveryId);
  if (!order || !row) return false;
  await tables.deliveries.update(row, {
    ...after,
    attempts: row.attempts + 1,
    failureReason: null,
  });
  return bookLoss(tables, order, row, clock.now());
}

function lateGoods({ deliveryId }: DeliveryRow): ScripError {
  const message = t`Delivery ${deliveryId} arrived after its refund; a loss was recorded`;
  return new ScripError('MERCHANT_ERROR', message, { details: { subject: deliveryId } });
}

async function applyOutcome(
  { clock, vault }: Delivering,
  row: DeliveryRow,
  outcome: SupplyOutcome,
): Promise<DeliveryRow> {
  switch (outcome.outcome) {
    case 'fulfilled':
      return { ...row, state: 'completed', voucher: await vault.seal(outcome.voucher, row) };
    case 'refused':
      return { ...row, state: 'failed', failureReason: outcome.reason };
    case 'pending':
      return { ...row, nextAttemptAtMs: clock.now() + outcome.retryAfterMs };
  }
}

/**
 * Closes an order once all its lines are decided. Ours: on the checkout host, one delivered line
 * makes it completed; the partner API has its own rules.
 */
async function closeOrder(
  { clock }: Delivering,
  tables: Tables,
  { after, lines }: Outcome,
): Promise<void> {
  const { orderId, deliveryId } = after;
  const states = lines.map((line) => (line.deliveryId === deliveryId ? after : line).state);
  const isOpen = states.some((state) => state === 'waiting' || state === 'pending');
  const status = states.includes('completed') ? 'completed' : 'failed';
  const isClosed = !isOpen && (await setOrderStatus(tables, orderId, status, clock.now()));
  // What the checkout host closed is no order of the partner API.
  if (!isClosed) {
    await settleOrder({ clock, compliance: unchecked, setup: atOnce }, tables, orderId);
  }
  if (!isOpen && states.includes('failed')) {
    await refundFailedLines(tables, orderId, clock.now());
  }
}
