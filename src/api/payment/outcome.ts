/** The outcome of a purchase when the program stops working on it. */

import type { WireDelivery, WireOrderStatus } from '../../contract/checkout.ts';
import {
  type Attempt,
  type Entry,
  eventOf,
  type Intent,
  lastAttempt,
  type OrderNames,
  orderNames,
} from '../../domain/journal/journal.ts';
import type { Code } from '../../domain/message/errors.ts';
import { type Message, type Said, t, verbatim } from '../../domain/message/message.ts';
import { type Atomic, parseAtomic } from '../../domain/money/money.ts';
import { recipientsOf } from '../../domain/order/ordered-products.ts';
import { isCodeless } from '../../domain/product/delivered.ts';
import { hex } from '../../domain/uuid.ts';
import type { LivePayment } from './pay-loop.ts';

/** The payment signed for an order. */
export interface PaymentSummary {
  readonly amountAtomic: Atomic;
  readonly asset: string;
  readonly network: string;
  readonly payer: string;
  readonly payTo: string;
  /** Transaction id, as found on the chain or, before that, as the merchant reports it. */
  readonly transaction: string | null;
  /** Finalized on the chain, so paid beyond doubt. */
  readonly isFinalized: boolean;
}

/**
 * Evidence for a merchant that was paid and does not deliver. Holds the session: share it only with the
 * merchant.
 */
export interface Bundle {
  readonly host: string;
  readonly session_id: string | null;
  readonly order_id: string | null;
  readonly transaction: string | null;
  readonly slot: number | null;
  readonly amount_atomic: string;
  readonly asset: string;
  readonly pay_to: string;
  /** Hex sha256 of the order request; null when that is lost. */
  readonly body_sha256: string | null;
}

export type Conclusion =
  | {
      readonly kind: 'delivered';
      readonly deliveries: readonly WireDelivery[];
      /** The code that determines the exit status; null for plain success. */
      readonly code: Code | null;
    }
  /** Paid or accepted, but not delivered within the wait. */
  | {
      readonly kind: 'pending';
      readonly deliveries: readonly WireDelivery[];
      /** Undefined while the merchant merely takes its time. */
      readonly reason: Said | undefined;
      readonly code: 'DELIVERY_PENDING';
    }
  /** Paid, but the merchant gave the order up. */
  | {
      readonly kind: 'failed';
      readonly deliveries: readonly WireDelivery[];
      readonly reason: Said;
      readonly code: 'ORDER_FAILED';
    }
  /** A payment may have been made: the order must not be paid again until that is known. */
  | { readonly kind: 'unknown'; readonly reason: Said; readonly code: 'OUTCOME_UNKNOWN' }
  | {
      readonly kind: 'attention';
      readonly reason: Said;
      readonly bundle: Bundle;
      readonly code: 'ATTENTION_NEEDED' | 'PAID_ELSEWHERE';
    }
  /** Proven: nothing was charged, and no signed payment can still land. */
  | {
      readonly kind: 'unpaid';
      readonly reason: Said;
      readonly code: 'PAYMENT_REFUSED' | 'CHALLENGE_EXPIRED';
    };

/** A conclusion, with the journal's data on the purchase. */
export type Outcome = Conclusion &
  OrderNames & {
    readonly intent: Intent;
    readonly payment: PaymentSummary | null;
  };

export type PurchaseOutcome = Outcome & {
  /** Number of payments that this run signed, without those that can never land; 0 when others paid. */
  readonly signatures: number;
};

/** Joins a conclusion with the journal's data on the purchase. */
export function outcomeOf(entry: Entry, conclusion: Conclusion): Outcome {
  const attempt = lastAttempt(entry);
  return {
    ...conclusion,
    intent: entry.intent,
    ...orderNames(entry.intent, orderOf(entry, attempt)),
    payment: attempt === undefined ? null : paymentSummary(entry, attempt),
  };
}

/** Returns the merchant's order id. */
function orderOf(entry: Entry, attempt: Attempt | undefined): string | null {
  return eventOf(entry, 'accepted', attempt?.number)?.orderId ?? null;
}

/** Returns the payment of an attempt, as far as the journal knows it. */
export function paymentSummary(entry: Entry, attempt: Attempt): PaymentSummary {
  const landed = eventOf(entry, 'landed', attempt.number);
  return {
    amountAtomic: parseAtomic(attempt.amountAtomic),
    asset: attempt.asset,
    network: attempt.network ?? entry.intent.network,
    payer: attempt.payer,
    payTo: attempt.payTo,
    transaction:
      landed?.transaction ??
      eventOf(entry, 'accepted', attempt.number)?.transaction ??
      eventOf(entry, 'named', attempt.number)?.transaction ??
      attempt.foundIn ??
      null,
    isFinalized: landed !== undefined,
  };
}

/** Collects everything that a merchant needs to find the payment. */
export async function bundleOf({ entry, attempt }: LivePayment): Promise<Bundle> {
  const landed = eventOf(entry, 'landed', attempt.number);
  return {
    host: entry.intent.host,
    session_id: attempt.sessionId,
    order_id: orderOf(entry, attempt),
    transaction: paymentSummary(entry, attempt).transaction,
    slot: landed?.slot ?? null,
    amount_atomic: attempt.amountAtomic,
    asset: attempt.asset,
    pay_to: attempt.payTo,
    body_sha256: entry.intent.body === '' ? null : await sha256(entry.intent.body),
  };
}

/** Returns the conclusion for delivered goods, with CODES_MISSING if nothing redeems them. */
export function delivered(
  { intent }: Entry,
  { deliveries = [] }: WireOrderStatus,
): Conclusion & { readonly kind: 'delivered' } {
  const code = isCodeless(deliveries, recipientsOf(intent)) ? 'CODES_MISSING' : null;
  return { kind: 'delivered', deliveries, code };
}

/** Returns the conclusion for a paid order that the merchant gave up. */
export function failed(order: WireOrderStatus): Conclusion {
  const deliveries = order.deliveries ?? [];
  return { kind: 'failed', deliveries, reason: failureReason(order), code: 'ORDER_FAILED' };
}

/** Returns why an order was given up, in the merchant's words if there are any. */
export function failureReason(order: WireOrderStatus): Message {
  const reasons = (order.deliveries ?? []).flatMap(({ failure_reason }) => failure_reason ?? []);
  if (reasons.length > 0) return verbatim(reasons.join('; '));
  return order.status === 'expired' ? t`it expired` : t`the merchant gives no reason`;
}

/** Returns the hex sha256 of a text. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return hex(new Uint8Array(digest));
}

/** Above this, the payment is from an earlier run, and its duration means nothing. */
const LONGEST_MS = 120_000;
const SHOWN = 4;

/**
 * Returns a text such as `Paid 25.25 USDC  3Gh2…  0.6 s`.
 * @param paid the amount with its coin
 * @param tookMs time since the signature
 */
export function paidText(
  { amount, transaction }: { readonly amount: string; readonly transaction: string | undefined },
  tookMs: number,
): Message {
  const name = transaction === undefined ? '' : `  ${transaction.slice(0, SHOWN)}…`;
  const isTold = tookMs >= 0 && tookMs < LONGEST_MS;
  return t`Paid ${amount}${name}${isTold ? `  ${(tookMs / 1_000).toFixed(1)} s` : ''}`;
}
