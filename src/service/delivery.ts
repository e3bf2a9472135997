/** Hands goods over: every paid line is bought under one reference until its outcome is known. */

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

/** Wait before the next attempt when the last one's outcome is not known: 0.5 s, doubling to 30 s. */
export function retryDelayMs(attempts: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 16));
}

/** Takes on what is due; one line's fault never holds another up. */
export async function deliverDue(delivering: Delivering, limit: number): Promise<void> {
  const { store, clock, report } = delivering;
  const due = await store.tables.deliveries.due(clock.now(), limit);
  const results = await Promise.allSettled(due.map((row) => deliver(delivering, row)));
  for (const [index, result] of results.entries()) {
    if (result.status === 'rejected') report?.(delayed(due[index]?.deliveryId, result.reason));
  }
}

/** The fault of one delivery: repeated reports can be seen to be the same one. */
function delayed(deliveryId: string | undefined, cause: unknown): ScripError {
  const why = cause instanceof Error ? cause.message : 'an unknown fault';
  return new ScripError('MERCHANT_ERROR', t`Delivery ${deliveryId ?? ''} will be retried: ${why}`, {
    cause,
    details: { subject: deliveryId },
  });
}

/**
 * The next attempt is booked before the supplier is asked: a crash in between asks again with the
 * same reference, and of two processes one asks.
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
 * What a reference came to is final, for any caller: it stands although another attempt was booked
 * meanwhile, and counts as one, so that nothing is booked on what it was before. It comes too late when
 * the line was given up meanwhile.
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

/** The supplier has sold, even if the order was ended meanwhile: the goods are kept, the loss is booked. */
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
 * An order is over when all its lines are. On the checkout host one line delivered makes it completed
 * (interface is silent); on the partner API its own rules say what follows.
 */
async function closeOrder({ clock }: Delivering, tables: Tables, orderId: string): Promise<void> {
  await settleOrder({ clock, compliance: unchecked, setup: atOnce }, tables, orderId);
  const states = (await tables.deliveries.ofOrder(orderId)).map(({ state }) => state);
  if (states.some((state) => state === 'waiting' || state === 'pending')) return;
  const status = states.includes('completed') ? 'completed' : 'failed';
  await setOrderStatus(tables, orderId, status, clock.now());
  await refundFailedLines(tables, orderId, clock.now());
}
