/** Delivers paid lines: buys each under one reference until the outcome is known. */

import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { DeliveryRow } from '../storage/checkout-orders.ts';
import type { Tables } from '../storage/store.ts';
import { decodeLine } from './line.ts';
import type { ServiceOptions } from './options.ts';
import { setOrderStatus } from './order-events.ts';
import { settleOrder, unchecked } from './partner/reconcile.ts';
import { atOnce } from './partner/setup.ts';
import { bookLoss, refundFailedLines } from './refunds.ts';
import type { SupplyOutcome } from './suppliers/supplier.ts';
import type { VoucherVault } from './voucher-vault.ts';

type Delivering = Pick<ServiceOptions, 'store' | 'supplier' | 'clock' | 'report'> & {
  readonly vault: VoucherVault;
};

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;

/** Wait before the next attempt if the last outcome is unknown: 0.5 s, doubling to 30 s. */
export function retryDelayMs(attempts: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 16));
}

/** Delivers what is due; an error of one line does not delay the others. */
export async function deliverDue(delivering: Delivering, limit: number): Promise<void> {
  const { store, clock, report } = delivering;
  const due = await store.tables.deliveries.due(clock.now(), limit);
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
 * Books the next attempt before it asks the supplier: after a crash, the supplier is asked again
 * with the same reference, and of two processes only one asks.
 */
async function deliver(delivering: Delivering, row: DeliveryRow): Promise<void> {
  const { store, clock, supplier } = delivering;
  const attempts = row.attempts + 1;
  const booked = { ...row, attempts, nextAttemptAtMs: clock.now() + retryDelayMs(attempts) };
  const isOurs = await store.write((tables) => tables.deliveries.update(row, booked));
  if (!isOurs) return;
  const outcome = await supplier.fulfil(row.deliveryId, decodeLine(row.goods));
  const after = await applyOutcome(delivering, booked, outcome);
  const isLoss = await store.write(async (tables) => {
    await tables.holds.take(`order ${row.orderId}`);
    const recorded = await record(tables, booked, after);
    if (recorded === 'ours') await closeOrder(delivering, tables, row.orderId);
    return recorded === 'too late' && (await keepLate(delivering, tables, after));
  });
  if (isLoss) delivering.report?.(lateGoods(row));
}

/**
 * Records an outcome. A reference's outcome is final, whichever attempt received it: it is recorded
 * even if another attempt was booked meanwhile, and raises `attempts` so that attempt changes
 * nothing. It is too late if the line has failed meanwhile.
 */
async function record(
  { deliveries }: Tables,
  booked: DeliveryRow,
  after: DeliveryRow,
): Promise<'ours' | 'known' | 'too late'> {
  const ofOrder = await deliveries.ofOrder(booked.orderId);
  const row = ofOrder.find(({ deliveryId }) => deliveryId === booked.deliveryId);
  if (row?.state === 'failed' && after.state === 'completed') return 'too late';
  if (row?.state !== 'pending') return 'known';
  const change = after.state === 'pending' ? after : { ...after, attempts: row.attempts + 1 };
  const before = after.state === 'pending' ? booked : row;
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
async function closeOrder({ clock }: Delivering, tables: Tables, orderId: string): Promise<void> {
  await settleOrder({ clock, compliance: unchecked, setup: atOnce }, tables, orderId);
  const states = (await tables.deliveries.ofOrder(orderId)).map(({ state }) => state);
  if (states.some((state) => state === 'waiting' || state === 'pending')) return;
  const status = states.includes('completed') ? 'completed' : 'failed';
  await setOrderStatus(tables, orderId, status, clock.now());
  await refundFailedLines(tables, orderId, clock.now());
}
