/** The purchases of this machine: found by any of their ids, and how each stands. */
import { paymentSummary } from '../client/outcome.ts';
import { ScripError } from '../domain/errors.ts';
import {
  acceptedOrder,
  currentAttempt,
  type Entry,
  factOf,
  fruitlessEnd,
  type Journal,
  lastAttempt,
  nextStep,
} from '../domain/journal.ts';
import type { Signer } from '../rails/rail.ts';
import type { Context } from './context.ts';
import type { PurchaseStatus } from './purchase-status.ts';
import type { Receipt } from './receipt.ts';

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

/** @param id order id, intent id or idempotency key. @throws {ScripError} ORDER_UNKNOWN */
export async function findEntry(journal: Journal, id: string): Promise<Entry> {
  const entries = await journal.all();
  const found = entries.find(
    (entry) => orderIdOf(entry) === id || entry.intent.intentId === id || entry.intent.key === id,
  );
  if (found) return found;
  throw new ScripError('ORDER_UNKNOWN', `this wallet has no purchase "${id}"`);
}

/** Signed for, or made at the merchant and still to be paid. */
export function isSigned(entry: Entry): boolean {
  return entry.attempts.length > 0 || factOf(entry, 'created') !== undefined;
}

function orderIdOf(entry: Entry): string | undefined {
  return acceptedOrder(entry)?.orderId ?? factOf(entry, 'created')?.orderId;
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
