/** Requests to the merchant about a payment: sends it, then asks for the order that it pays. */

import type { WireOrderStatus } from '../../contract/checkout.ts';
import { ScripError } from '../../domain/errors.ts';
import type { Attempt } from '../../domain/journal.ts';
import { t } from '../../domain/message.ts';
import { parseAtomic } from '../../domain/money.ts';
import { usdcText } from '../../domain/policy.ts';
import { RETRY_AFTER_CAP_MS } from '../../domain/retry.ts';
import { priceText } from '../../domain/shown-amount.ts';
import { SUBMIT_TIMEOUT_MS, type Submission, submit } from '../checkout/checkout.ts';
import { pollOnce } from '../checkout/follow.ts';
import type { PurchaseDeps } from '../checkout/purchase-deps.ts';
import { CALL_TIMEOUT_MS } from '../http/call.ts';
import { withGrace } from '../http/deadline.ts';
import { type AttemptState, found, record } from './attempt-state.ts';
import { paidText } from './paid-text.ts';

/** Time for a request in flight to complete after the user interrupts. */
const GRACE_MS = 5_000;
/** Minimum time for a response, however little time is left. */
const LEAST_BUDGET_MS = 2_000;

export type Refusal = Extract<Submission, { readonly kind: 'refused' }>;

export interface PurchaseState extends AttemptState {
  /** The order as last read. */
  readonly order?: WireOrderStatus;
  readonly refusal?: Refusal;
  /** How often this run sent the payment. */
  readonly sends: number;
  readonly retryAfterMs: number;
}

/**
 * Reads the order or, if there is none yet, sends the payment. A payment proven dead is not sent again; its
 * order, if any, is still read.
 * @param leftMs time left for the response
 * @throws {ScripError} INTERRUPTED
 */
export async function askMerchant(
  deps: PurchaseDeps,
  known: PurchaseState,
  leftMs: number,
): Promise<PurchaseState> {
  const accepted = found(known, 'accepted');
  if (accepted === undefined && found(known, 'dead') !== undefined) return known;
  const state = { ...known, retryAfterMs: 0 };
  const budgetMs = Math.max(LEAST_BUDGET_MS, leftMs);
  return accepted === undefined
    ? send(deps, state, Math.min(SUBMIT_TIMEOUT_MS, budgetMs))
    : poll(deps, state, {
        orderId: accepted.orderId,
        callMs: Math.min(CALL_TIMEOUT_MS, budgetMs),
      });
}

/** Sends the payment, always the same bytes, while that can lead to an order. */
async function send(
  deps: PurchaseDeps,
  state: PurchaseState,
  timeoutMs: number,
): Promise<PurchaseState> {
  const { attempt, entry } = state;
  if (found(state, 'landed') === undefined) {
    // Don't resend after a refusal, or once the payment expired, unless the money has moved.
    if (state.refusal !== undefined) return state;
    if (!(await isLive(deps, attempt))) {
      return { ...state, problem: t`the signed payment expired before the merchant accepted it` };
    }
  }
  deps.progress?.step(
    state.problem === undefined ? t`Sending the payment` : t`Sending the same payment again`,
  );
  const { fetch, checkoutUrl: baseUrl, clock } = deps;
  const { body } = entry.intent;
  const submission = await withGrace(GRACE_MS, deps.signal, (signal) =>
    submit({ fetch, baseUrl, body, clock, signal, timeoutMs }, attempt),
  );
  deps.failPoint?.('submitted');
  return takeSubmission(deps, { ...state, sends: state.sends + 1 }, submission);
}

async function takeSubmission(
  deps: PurchaseDeps,
  state: PurchaseState,
  submission: Submission,
): Promise<PurchaseState> {
  if (submission.kind === 'refused') {
    deps.progress?.step(t`The merchant refused the payment; waiting for proof that it cannot land`);
    return { ...state, refusal: submission, problem: submission.message };
  }
  if (submission.kind === 'unclear') {
    const retryAfterMs = Math.min(submission.retryAfterMs ?? 0, RETRY_AFTER_CAP_MS);
    return { ...state, problem: submission.reason, retryAfterMs };
  }
  const { order_id, status, deliveries, estimated_delivery_seconds } = submission.receipt;
  const { transaction } = submission;
  const accepted = await record(deps, state, {
    fact: 'accepted',
    attempt: state.attempt.number,
    orderId: order_id,
    ...(transaction === undefined ? {} : { transaction }),
  });
  deps.failPoint?.('accepted-recorded');
  const { amountAtomic, createdAtMs } = state.attempt;
  deps.progress?.done(
    paidText({
      amount: `${priceText(usdcText(parseAtomic(amountAtomic)), 'USDC')} USDC`,
      transaction,
      tookMs: deps.clock.now() - createdAtMs,
    }),
  );
  const usualMs = estimated_delivery_seconds && estimated_delivery_seconds * 1_000;
  deps.progress?.step(t`Waiting for delivery`, {
    usualMs,
    isSafe: true,
  });
  const { refusal: _refusal, problem: _problem, ...known } = accepted;
  // A receipt may omit the deliveries; then it does not show that the order has ended.
  return deliveries === undefined ? known : withOrder(known, { order_id, status, deliveries });
}

async function poll(
  deps: PurchaseDeps,
  state: PurchaseState,
  { orderId, callMs }: { readonly orderId: string; readonly callMs: number },
): Promise<PurchaseState> {
  const { fetch, checkoutUrl: baseUrl, signal } = deps;
  const { problem: _problem, ...known } = state;
  try {
    const asked = { fetch, baseUrl, orderId, signal, callMs };
    const { order, error, retryAfterMs } = await pollOnce(asked);
    if (order !== undefined) return withOrder(known, order);
    return { ...known, problem: error.sentence, retryAfterMs };
  } catch (error) {
    // Even "no such order" proves nothing about the money.
    if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
    return { ...known, problem: error.sentence };
  }
}

/** Accepts a completed order only with deliveries, because it closes the purchase for good. */
function withOrder(state: PurchaseState, order: WireOrderStatus): PurchaseState {
  if (order.status === 'completed' && (order.deliveries ?? []).length === 0) {
    return { ...state, problem: t`the merchant reports the order completed but delivered nothing` };
  }
  return { ...state, order };
}

/**
 * Whether the payment can still land. If the chain is unreachable, assumes so: sending the same bytes cannot
 * pay twice.
 */
async function isLive(deps: PurchaseDeps, attempt: Attempt): Promise<boolean> {
  try {
    return await deps.rail.isLive(attempt);
  } catch (error) {
    if (error instanceof ScripError) return true;
    throw error;
  }
}
