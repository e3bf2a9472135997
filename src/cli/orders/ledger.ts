/** The purchases of this machine: found by any of their ids, and how each stands. */
import { paymentSummary } from '../../client/outcome.ts';
import { ScripError } from '../../domain/errors.ts';
import {
  acceptedOrder,
  currentAttempt,
  type Entry,
  factOf,
  fruitlessEnd,
  type Journal,
  lastAttempt,
  nextStep,
} from '../../domain/journal.ts';
import type { Signer } from '../../rails/rail.ts';
import type { PurchaseStatus } from '../buying/purchase-status.ts';
import type { Receipt } from '../buying/receipt.ts';
import type { Context } from '../context.ts';

/** Reading the journal needs no payment: the wallet may be of another host. */
export async function openBooks(
  context: Context,
): Promise<{ readonly signer: Signer; readonly journal: Journal }> {
  const signer = await context.wallets.open(context.settings.keypairPath);
  return { signer, journal: await context.journal(signer) };
}

/** On a machine without a wallet nothing was bought yet. */
export async function everyEntry(context: Context): Promise<readonly Entry[]> {
  try {
    return await (await openBooks(context)).journal.all();
  } catch (error) {
    if (error instanceof ScripError && error.code === 'WALLET_MISSING') return [];
    throw error;
  }
}

/** With fewer characters an id means nothing in particular. */
const LEAST_PREFIX = 4;

/**
 * @param id order id, intent id, idempotency key or transaction; or how one of the ids or the
 * transaction begins, where one purchase alone has such a one
 * @throws {ScripError} ORDER_UNKNOWN, INPUT_INVALID for a beginning that fits several
 */
export async function findEntry(journal: Journal, id: string): Promise<Entry> {
  const entries = await journal.all();
  const whole = entries.find((entry) => [entry.intent.key, ...idsOf(entry)].includes(id));
  if (whole !== undefined) return whole;
  const begun =
    id.length < LEAST_PREFIX
      ? []
      : entries.filter((entry) => idsOf(entry).some((one) => one.startsWith(id)));
  const [only, ...others] = begun;
  if (only !== undefined && others.length === 0) return only;
  if (begun.length > 1) throw ambiguous(id, begun);
  throw new ScripError('ORDER_UNKNOWN', `this wallet has no purchase "${id}"`);
}

/** @throws {ScripError} ORDER_UNKNOWN */
export async function findWhole(journal: Journal, id: string): Promise<Entry> {
  const entry = await findEntry(journal, id);
  if ([entry.intent.key, ...idsOf(entry)].includes(id)) return entry;
  throw new ScripError('ORDER_UNKNOWN', `"${id}" is only the beginning of an id`, {
    hint: `Name all of it: ${orderIdOf(entry) ?? entry.intent.intentId}`,
  });
}

function ambiguous(id: string, entries: readonly Entry[]): ScripError {
  const ids = entries.map((entry) => orderIdOf(entry) ?? entry.intent.intentId);
  return new ScripError('INPUT_INVALID', `"${id}" fits ${ids.length} purchases`, {
    hint: `Name more of it: ${ids.slice(0, 3).join(', ')}`,
    details: { ids },
  });
}

function idsOf(entry: Entry): readonly string[] {
  const transactions = entry.facts.flatMap((fact) =>
    'transaction' in fact && fact.transaction !== undefined ? [fact.transaction] : [],
  );
  return [orderIdOf(entry) ?? [], entry.intent.intentId, transactions].flat();
}

/** Signed for, or made at the merchant and still to be paid. */
export function isSigned(entry: Entry): boolean {
  return entry.attempts.length > 0 || factOf(entry, 'created') !== undefined;
}

/** Whether what was signed has left the wallet, as far as the journal knows. */
export function madePayment(entry: Entry): 'made' | 'unknown' | 'none' {
  const attempt = currentAttempt(entry);
  // Nothing was signed, or all that was is proven unable to land.
  if (attempt === undefined) return 'none';
  const isMade =
    factOf(entry, 'landed', attempt.number) !== undefined ||
    factOf(entry, 'goods', attempt.number) !== undefined;
  return isMade ? 'made' : 'unknown';
}

function orderIdOf(entry: Entry): string | undefined {
  return acceptedOrder(entry)?.orderId ?? factOf(entry, 'created')?.orderId;
}

/** How many of the purchases `scrip orders` lists as processing or unknown: they go on, or may. */
export function underWay(entries: readonly Entry[]): number {
  const open: readonly PurchaseStatus[] = ['processing', 'unknown'];
  return entries.filter((entry) => isSigned(entry) && open.includes(statusOf(entry))).length;
}

/** A purchase as far as the journal knows it, without its goods. */
export function standingOf(entry: Entry): Omit<Receipt, 'deliveries'> {
  const attempt = currentAttempt(entry) ?? lastAttempt(entry);
  return {
    intent: entry.intent,
    status: statusOf(entry),
    orderId: orderIdOf(entry) ?? null,
    payment: attempt === undefined ? null : paymentSummary(entry, attempt),
  };
}

function statusOf(entry: Entry): PurchaseStatus {
  const goods = factOf(entry, 'goods');
  if (goods !== undefined) return goods.status;
  const isTopUp = entry.intent.partner?.topUpOf !== undefined;
  if (isTopUp && factOf(entry, 'landed') !== undefined) return 'completed';
  const statuses = {
    challenge: 'unpaid',
    finished: fruitlessEnd(entry) ?? 'unpaid',
    settle: 'unknown',
    follow: 'processing',
    attention: 'attention',
  } as const;
  return statuses[nextStep(entry)];
}
