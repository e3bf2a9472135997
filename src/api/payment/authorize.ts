/**
 * The one place that signs: checks a payment against the policy, reserves its amount visibly for all
 * processes, and only then signs and journals it (docs/inside/payments.md).
 */

import { expected } from '../../domain/attempt.ts';
import type { Attempt, Intent, Journal, SignedPayment } from '../../domain/journal/journal.ts';
import type { Atomic } from '../../domain/money/money.ts';
import type { SpendLog } from '../../domain/policy/spend-log.ts';
import type { PaymentTerms } from '../../domain/policy/spend-rules.ts';
import type { PayerRail } from '../../rails/rail.ts';
import { type MeasuringDeps, measureBy } from './measure.ts';

export interface SigningDeps extends MeasuringDeps {
  readonly journal: Pick<Journal, 'recent' | 'addAttempt'>;
  readonly failPoint?: ((name: 'reserved' | 'signed') => void) | undefined;
}

export interface Payment {
  readonly intent: Intent;
  /** Number of the attempt. */
  readonly number: number;
  readonly order: Parameters<PayerRail['sign']>[0];
  readonly terms: PaymentTerms;
  /** In atomic units of USDC; undefined for another coin. */
  readonly usdcAtomic: Atomic | undefined;
  /** USDC paid earlier for the same order, if it is paid in parts. */
  readonly ofOrderAtomic?: Atomic | undefined;
  /** Every address that receives goods or the receipt, if the intent does not name them all. */
  readonly recipients?: readonly string[];
  /** Refund address that the merchant was given. */
  readonly refundsTo?: string | undefined;
  /** Last check before signing: returns a payment for it made elsewhere, which it has journaled. */
  lastLook?(): Promise<Attempt | undefined>;
  /** Builds the record of the signed payment. If it throws, the payment is not sent. */
  toAttempt(signed: SignedPayment): Omit<Attempt, 'createdAtMs'>;
}

/** The attempt now in the journal, and where it comes from. */
export interface Authorized {
  readonly attempt: Attempt;
  /** Signed here; by another process with the same purchase, which was faster; or paid elsewhere. */
  readonly origin: 'ours' | 'theirs' | 'elsewhere';
}

/**
 * Signs one payment, as the only caller of a rail's `sign`, and journals it; nothing has been sent when this returns. Of two processes with one
 * purchase, the second gets the first one's attempt. If the purchase was paid elsewhere, returns that
 * attempt.
 * @throws {ScripError} SPENDING_LIMIT, POLICY_REFUSED, HOST_NOT_ALLOWED, RECIPIENT_NOT_ALLOWED,
 * UNATTENDED_OFF; CHAIN_UNREACHABLE, SPENDING_UNKNOWN; JOURNAL_UNUSABLE; what the rail's `sign` throws
 */
export async function authorizePayment(deps: SigningDeps, payment: Payment): Promise<Authorized> {
  const { journal, spending } = deps;
  const { number, datedMs } = await reserve(deps, payment);
  deps.failPoint?.('reserved');
  try {
    const elsewhere = await payment.lastLook?.();
    if (elsewhere !== undefined) {
      await giveBack(spending.log, number);
      return { attempt: elsewhere, origin: 'elsewhere' };
    }
    const signed = payment.toAttempt(await deps.rail.sign(payment.order));
    const attempt = { ...signed, createdAtMs: datedMs };
    deps.failPoint?.('signed');
    const standing = await journal.addAttempt(payment.intent, attempt);
    const isOurs = standing.messageHash === attempt.messageHash;
    return { attempt: standing, origin: isOurs ? 'ours' : 'theirs' };
  } catch (error) {
    await giveBack(spending.log, number);
    throw error;
  }
}

/**
 * Reserves the amount. Processes that decide at once see each other's reservations: each number in the log
 * has one winner, and the others check again.
 */
async function reserve(
  deps: SigningDeps,
  payment: Payment,
): Promise<{ readonly number: number; readonly datedMs: number }> {
  const { intent, terms, usdcAtomic, ofOrderAtomic, recipients, refundsTo } = payment;
  const slot = { intentId: intent.intentId, attempt: payment.number };
  const intention = { ...intent, usdcAtomic, ofOrderAtomic, recipients, refundsTo, terms };
  const measure = await measureBy(deps, intention, slot);
  for (;;) {
    const { last, datedMs } = await measure();
    const number = last + 1;
    const isFirst = await deps.spending.log.reserve({
      ...slot,
      number,
      merchant: intent.host,
      amountAtomic: (usdcAtomic ?? 0n).toString(),
      atMs: datedMs,
    });
    if (isFirst) return { number, datedMs };
  }
}

/** Releases a reservation. If that fails, it becomes free when this process ends. */
function giveBack(log: SpendLog, number: number): Promise<void> {
  return log.release(number).catch(expected(() => undefined));
}
