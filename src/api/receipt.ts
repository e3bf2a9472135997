/** The receipt of a purchase, from the outcome of a run or from the journal alone. */

import type { WireDelivery } from '../contract/checkout.ts';
import type { WirePartnerOrder } from '../contract/partner-orders.ts';
import {
  currentAttempt,
  type Entry,
  eventOf,
  fruitlessEnd,
  type Intent,
  lastAttempt,
  merchantOrderId,
  nextStep,
  type OrderNames,
  orderNames,
} from '../domain/journal/journal.ts';
import { type Atomic, parseAtomic } from '../domain/money/money.ts';
import { type PurchaseStatus, purchaseStatus } from '../domain/order/order-states.ts';
import { type PaymentSummary, type PurchaseOutcome, paymentSummary } from './payment/outcome.ts';

export interface Receipt extends OrderNames {
  readonly intent: Intent;
  readonly status: PurchaseStatus;
  readonly payment: PaymentSummary | null;
  readonly deliveries: readonly WireDelivery[];
  /** What the chain proved to have come back; undefined if nothing did. */
  readonly returnedAtomic?: Atomic | undefined;
}

const STATUS: Readonly<Record<PurchaseOutcome['kind'], PurchaseStatus>> = {
  delivered: 'completed',
  pending: 'processing',
  failed: 'failed',
  unknown: 'unknown',
  attention: 'attention',
  unpaid: 'unpaid',
};

export function receiptOf(outcome: PurchaseOutcome): Receipt {
  const { intent, orderId, merchantOrderId, payment } = outcome;
  const deliveries = 'deliveries' in outcome ? outcome.deliveries : [];
  return { intent, status: STATUS[outcome.kind], orderId, merchantOrderId, payment, deliveries };
}

/** Whether an earlier run paid, and this one paid nothing. */
export function isAlreadyBought({ signatures, payment, kind }: PurchaseOutcome): boolean {
  return signatures === 0 && payment !== null && kind !== 'unpaid' && kind !== 'unknown';
}

/**
 * Returns the receipt of a purchase from the journal, without its goods.
 * @param told the partner API's order as just read
 */
export function receiptFrom(entry: Entry, told?: WirePartnerOrder): Omit<Receipt, 'deliveries'> {
  const attempt = currentAttempt(entry) ?? lastAttempt(entry);
  const returned = eventOf(entry, 'returned', currentAttempt(entry)?.number);
  return {
    intent: entry.intent,
    status: told === undefined ? statusOf(entry) : toldStatus(entry, told),
    ...orderNames(entry.intent, merchantOrderId(entry)),
    payment: attempt === undefined ? null : paymentSummary(entry, attempt),
    returnedAtomic: returned && parseAtomic(returned.amountAtomic),
  };
}

/** The journal knows more of a payment from here: one that may still land keeps its order open. */
function toldStatus(entry: Entry, order: WirePartnerOrder): PurchaseStatus {
  const states = { orderState: order.order_state, paymentState: order.payment_state };
  const told = purchaseStatus(states);
  return entry.attempts.length === 0 || told === 'completed' ? told : statusOf(entry);
}

export function statusOf(entry: Entry): PurchaseStatus {
  const goods = eventOf(entry, 'goods');
  if (goods !== undefined) return goods.status;
  const isTopUp = entry.intent.partner?.topUpOf !== undefined;
  if (isTopUp && eventOf(entry, 'landed') !== undefined) return 'completed';
  const statuses = {
    challenge: 'unpaid',
    finished: fruitlessEnd(entry) ?? 'unpaid',
    settle: 'unknown',
    follow: 'processing',
    attention: 'attention',
  } as const;
  return statuses[nextStep(entry)];
}
