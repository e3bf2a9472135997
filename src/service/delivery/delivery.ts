/** Delivers paid lines: buys each under one reference until the outcome is known. No code goes to two lines. */

import { ScripError } from '../../domain/message/errors.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import type { Tables } from '../../store/store.ts';
import type { DeliveryFault, DeliveryRow } from '../../store/tables/deliveries.ts';
import { decodeLine } from '../checkout/line.ts';
import { setOrderStatus } from '../checkout/order-events.ts';
import { leaseDue } from '../lease-due.ts';
import type { ServiceOptions } from '../options.ts';
import { atOnce, STUCK_ATTEMPTS } from '../partner/orders/progress.ts';
import { settleOrder, unchecked } from '../partner/orders/reconcile.ts';
import { bookLoss, refundFailedLines } from '../refunds/refunds.ts';
import { goodsIn, noteSupplierFault, type SupplyOutcome } from './supplier.ts';
import { codeDigest, type VoucherVault } from './vouchers.ts';

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

/** The error of one delivery; its subject marks repeated reports as the same, and tells another reason. */
function delayed(deliveryId: string | undefined, cause: unknown): ScripError {
  const why = cause instanceof Error ? cause.message : 'an unknown fault';
  return new ScripError('MERCHANT_ERROR', t`Delivery ${deliveryId ?? ''} will be retried: ${why}`, {
    cause,
    details: { subject: `${deliveryId} ${why}` },
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
  const written = store.write(async (tables) => {
    await tables.holds.take(`order ${row.orderId}`);
    const lines = await tables.deliveries.ofOrder(row.orderId);
    const recorded = await record(tables, { leased: row, after, lines });
    if (outcome.outcome === 'fulfilled' && outcome.cost) {
      await tables.sales.noteCost({ deliveryId: row.deliveryId, ...outcome.cost });
    }
    if (recorded === 'ours') await closeOrder(delivering, tables, { after, lines });
    const isLoss = recorded === 'too late' && (await keepLate(delivering, tables, after));
    return isLoss ? 'loss' : recorded;
  });
  const recorded = await written.catch((error: unknown) =>
    refuseUsedCode(delivering, row, { after, error }),
  );
  if (recorded === 'loss') delivering.report?.(lateGoods(row));
  if (recorded === 'ours' && after.state === 'failed') delivering.report?.(refusedGoods(after));
}

function refusedGoods({ deliveryId, orderId, failureReason }: DeliveryRow): ScripError {
  const why = verbatim(failureReason ?? '');
  const message = t`The supplier refused delivery ${deliveryId} of order ${orderId}, which is paid: ${why}`;
  return new ScripError('MERCHANT_ERROR', message, {
    details: { subject: `${deliveryId} refused` },
  });
}

/** An answer without goods is no outcome: it may be a fault of the supplier, which has the money. */
async function askSupplier(delivering: Delivering, row: DeliveryRow): Promise<SupplyOutcome> {
  const line = decodeLine(row.goods);
  const outcome = await delivering.supplier
    .fulfil(row.deliveryId, line)
    .catch((error: unknown) => putOff(delivering, row, { error, fault: faultAt(row.attempts) }));
  if (outcome.outcome !== 'fulfilled' || goodsIn(outcome.voucher, line)) return outcome;
  const error = new ScripError(
    'MERCHANT_ERROR',
    t`The supplier says fulfilled, and gives no code`,
    {
      hint: ASK_HINT,
    },
  );
  return putOff(delivering, row, { error, fault: 'no_goods' });
}

const ASK_HINT = t`Ask the supplier what it sold under this reference; it is asked again with the same one.`;

function faultAt(attempts: number): DeliveryFault | null {
  return attempts < STUCK_ATTEMPTS ? null : 'no_outcome';
}

interface Unanswered {
  readonly error: unknown;
  readonly fault: DeliveryFault | null;
}

/** Ends the lease if the outcome is unknown, and throws: the supplier is asked again after a while. */
async function putOff(
  { store, clock }: Delivering,
  row: DeliveryRow,
  { error, fault }: Unanswered,
): Promise<never> {
  const atMs = clock.now();
  const nextAttemptAtMs = atMs + retryDelayMs(row.attempts);
  await store.write(async ({ deliveries, facts }) => {
    await deliveries.update(row, { ...row, nextAttemptAtMs, fault });
    await noteSupplierFault(facts, row.deliveryId, { error, atMs });
  });
  throw error;
}

/** The first line with a code keeps it: a second one is no outcome. */
async function refuseUsedCode(
  delivering: Delivering,
  row: DeliveryRow,
  { after, error }: { readonly after: DeliveryRow; readonly error: unknown },
): Promise<never> {
  const isTaken = error instanceof ScripError && error.code === 'RECORD_EXISTS';
  if (!isTaken || after.codeDigest === null) throw error;
  const owner = await delivering.store.tables.deliveries.byCodeDigest(after.codeDigest);
  if (owner === undefined || owner.deliveryId === row.deliveryId) throw error;
  const used = new ScripError(
    'MERCHANT_ERROR',
    t`The supplier gives a code that was delivered for order ${owner.orderId}`,
    { hint: ASK_HINT },
  );
  return putOff(delivering, row, { error: used, fault: 'used_code' });
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
  const lines = await tables.deliveries.ofOrder(after.orderId);
  const row = lines.find(({ deliveryId }) => deliveryId === after.deliveryId);
  if (!row) return false;
  await tables.deliveries.update(row, {
    ...after,
    attempts: row.attempts + 1,
    failureReason: null,
  });
  return bookLoss(tables, row, clock.now());
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
    case 'fulfilled': {
      const voucher = await vault.seal(outcome.voucher, row);
      const digest = codeDigest(vault, row, outcome.voucher);
      return { ...row, state: 'completed', voucher, codeDigest: digest, fault: null };
    }
    case 'refused':
      return { ...row, state: 'failed', failureReason: outcome.reason, fault: null };
    case 'pending': {
      const nextAttemptAtMs = clock.now() + outcome.retryAfterMs;
      return { ...row, nextAttemptAtMs, fault: faultAt(row.attempts) };
    }
  }
}

async function closeOrder(
  { clock }: Delivering,
  tables: Tables,
  { after, lines }: Outcome,
): Promise<void> {
  const { orderId, deliveryId } = after;
  const now = lines.map((line) => (line.deliveryId === deliveryId ? after : line));
  // What the checkout host closed is no order of the partner API.
  if (await closeDecided(tables, now, clock.now())) return;
  await settleOrder({ clock, compliance: unchecked, setup: atOnce }, tables, orderId);
}

/**
 * Closes an order of the checkout host once all its lines are decided, and refunds those that failed. Ours: one
 * delivered line makes it completed; the partner API has its own rules. False if it is open, or of the partner API.
 */
export async function closeDecided(
  tables: Tables,
  lines: readonly DeliveryRow[],
  atMs: number,
): Promise<boolean> {
  const [orderId = ''] = lines.map((line) => line.orderId);
  const states = lines.map(({ state }) => state);
  if (states.some((state) => state === 'waiting' || state === 'pending')) return false;
  const status = states.includes('completed') ? 'completed' : 'failed';
  const isClosed = await setOrderStatus(tables, orderId, status, atMs);
  if (states.includes('failed')) await refundFailedLines(tables, orderId, atMs);
  return isClosed;
}
