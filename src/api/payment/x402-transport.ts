/**
 * The transport of an x402 payment: the merchant receives it and broadcasts it; then its order is followed
 * until delivery.
 */

import type { WireOrderStatus } from '../../contract/checkout.ts';
import { expected, unlessInterrupted } from '../../domain/attempt.ts';
import type { Attempt, Entry } from '../../domain/journal/journal.ts';
import { requestIn } from '../../domain/journal/paid-request.ts';
import { type Message, type Said, t } from '../../domain/message/message.ts';
import { parseAtomic } from '../../domain/money/money.ts';
import { priceText } from '../../domain/money/shown-amount.ts';
import { backoffMs, RETRY_AFTER_CAP_MS } from '../../domain/payment/retry.ts';
import { usdcText } from '../../domain/policy/policy.ts';
import {
  ANSWER_TIMEOUT_MS,
  SUBMIT_TIMEOUT_MS,
  type Submission,
  submit,
} from '../checkout/checkout.ts';
import { readSigningKey } from '../checkout/evidence.ts';
import { isTerminal, POLL_MS, type Poll, pollOnce } from '../checkout/follow.ts';
import type { PurchaseDeps } from '../checkout/purchase-deps.ts';
import { CALL_TIMEOUT_MS } from '../http/call.ts';
import { withGrace } from '../http/deadline.ts';
import {
  bundleOf,
  type Conclusion,
  delivered,
  failed,
  failureReason,
  paidText,
} from './outcome.ts';
import { type LivePayment, SETTLE_MS } from './pay-loop.ts';
import {
  type AttemptState,
  askChain,
  type Decided,
  found,
  record,
  recordOrThrow,
  SCAN_EVERY_MS,
  settle,
  type Transport,
} from './settle.ts';
import { nameTransaction } from './transaction-name.ts';

type Settled =
  | { readonly kind: 'concluded'; readonly entry: Entry; readonly conclusion: Conclusion }
  /** Proven unable to land: a new challenge may be signed. */
  | {
      readonly kind: 'dead';
      readonly entry: Entry;
      readonly refusal: Refusal | undefined;
      /** The merchant refused it when it was new: another one would be refused too. */
      readonly isUnwanted: boolean;
      /** How long it took to find out. */
      readonly tookMs: number;
    };

/** How long to keep asking for the order after the chain proved the payment. */
const UNACKNOWLEDGED_MS = 60_000;
/** After this, a paid order that the merchant does not know needs a person. */
const ATTENTION_AFTER_MS = 24 * 60 * 60 * 1_000;
/**
 * Asks merchant and chain in turn until the purchase is decided or time runs out.
 * @param isFresh the attempt was just signed, so the chain cannot have finalized it yet
 * @throws {ScripError} INTERRUPTED; JOURNAL_UNUSABLE when proof of death cannot be recorded
 */
export function settlePurchase(
  deps: PurchaseDeps,
  live: LivePayment,
  { isFresh }: { readonly isFresh: boolean },
): Promise<Settled> {
  const start = { ...live, sends: 0, retryAfterMs: 0, isRecorded: true };
  return settle(deps, start, x402Transport(deps, isFresh));
}

/** Ours: most codes are there by then. After it the interface's interval holds. */
const FIRST_POLL_MS = 1_000;

function x402Transport(deps: PurchaseDeps, isFresh: boolean): Transport<PurchaseState, Settled> {
  const write = async (state: PurchaseState, event: Decided): Promise<PurchaseState> => {
    // Nothing may be signed again until the proof of death is on disk.
    const writing = event.fact === 'dead' ? recordOrThrow : record;
    const known = await writing(deps, state, event);
    deps.failPoint?.(`${event.fact}-recorded`);
    return known;
  };
  return {
    firstScanMs: isFresh ? SCAN_EVERY_MS : 0,
    scan: (state) => askChain(deps, state, write),
    ask: (state, { leftMs }) => askMerchant(deps, state, leftMs),
    decide: (state, elapsedMs) => decide(deps, state, { isFresh, elapsedMs }),
    paceMs: (state, rounds) => {
      if (orderIn(state) === undefined) {
        return Math.max(backoffMs(rounds), state.retryAfterMs);
      }
      const pollMs = deps.pollMs ?? POLL_MS;
      // No round has asked for the order yet.
      const isFirst = rounds === state.sends;
      return Math.max(isFirst ? Math.min(FIRST_POLL_MS, pollMs) : pollMs, state.retryAfterMs);
    },
    budgetMs: (state, provenAtMs) => budgetMs(deps, state, provenAtMs),
    giveUp: (state, provenForMs) => giveUp(deps, state, provenForMs > UNACKNOWLEDGED_MS),
  };
}

/** The order that the merchant named. A request has none: its answer is asked for by the payment itself. */
function orderIn(state: PurchaseState) {
  const { intent } = state.entry;
  return requestIn(intent) === undefined ? found(state, 'accepted') : undefined;
}

/** Checks delivery first: a delivered order is not bought again, even if the chain shows no payment. */
async function decide(
  deps: PurchaseDeps,
  state: PurchaseState,
  { isFresh, elapsedMs }: { readonly isFresh: boolean; readonly elapsedMs: number },
): Promise<Settled | undefined> {
  const { order, entry, refusal, problem, takenBy } = state;
  if (order?.status === 'completed') return deliver(deps, state, order);
  if (refusal !== undefined && isFound(state)) return elsewhere(state, refusal.message);
  if (takenBy !== undefined) return elsewhere(state, problem ?? takenBy);
  // Trust a failed order only once the payment is on the chain; alone, it proves nothing.
  if (order !== undefined && isGivenUp(order) && found(state, 'landed') !== undefined) {
    return fail(deps, state, order);
  }
  if (found(state, 'dead') === undefined) return undefined;
  // A late payment may have been refused only for its age.
  const isUnwanted = refusal !== undefined && isFresh && state.sends === 1;
  return { kind: 'dead', entry, refusal, isUnwanted, tookMs: elapsedMs };
}

function isGivenUp(order: WireOrderStatus): boolean {
  return isTerminal(order) && order.status !== 'completed';
}

async function deliver(
  deps: PurchaseDeps,
  state: PurchaseState,
  order: WireOrderStatus,
): Promise<Settled> {
  deps.failPoint?.('goods-read');
  const { entry: kept, isRecorded } = await recordGoods(deps, state, order, 'completed');
  deps.failPoint?.('goods-recorded');
  const entry = await nameTransaction(deps, kept, state.attempt);
  const conclusion = delivered(entry, order);
  // The goods have arrived but are not in the journal: the next run must find them again.
  const code = isRecorded ? conclusion.code : 'OUTCOME_UNKNOWN';
  return { kind: 'concluded', entry, conclusion: { ...conclusion, code } };
}

async function fail(
  deps: PurchaseDeps,
  state: PurchaseState,
  order: WireOrderStatus,
): Promise<Settled> {
  const { entry } = await recordGoods(deps, state, order, 'failed');
  return { kind: 'concluded', entry, conclusion: failed(order) };
}

function isFound({ attempt }: PurchaseState): boolean {
  return attempt.foundIn !== undefined;
}

export function paidElsewhereText(why: Said): Message {
  return t`another run paid with this key, and the merchant returns the order only to that run: ${why}`;
}

/** Another run has paid, and the host returns the order only to that run. */
async function elsewhere(state: PurchaseState, why: Said): Promise<Settled> {
  const { entry } = state;
  const reason = paidElsewhereText(why);
  const bundle = await bundleOf(state);
  const conclusion = { kind: 'attention', reason, bundle, code: 'PAID_ELSEWHERE' } as const;
  return { kind: 'concluded', entry, conclusion };
}

/** Stores the order with its codes in the journal, encrypted. */
function recordGoods(
  deps: PurchaseDeps,
  state: PurchaseState,
  order: WireOrderStatus,
  status: 'completed' | 'failed',
): Promise<PurchaseState> {
  const sealed = deps.vault.seal(JSON.stringify(order));
  const attempt = state.attempt.number;
  return record(deps, state, { fact: 'goods', attempt, status, sealed });
}

/**
 * Returns the time limit. Waits for delivery as long as the user allows. The outcome of a payment must be
 * found, so a merchant that was paid is asked for the order longer, even after refusals.
 * @param provenAtMs when the chain proved the payment
 */
function budgetMs(
  deps: PurchaseDeps,
  state: PurchaseState,
  provenAtMs: number | undefined,
): number {
  const isAccepted = orderIn(state) !== undefined;
  const isFailing = state.order !== undefined && isGivenUp(state.order);
  if (isAccepted && !isFailing) return deps.waitMs;
  const usualMs = deps.settleMs ?? Math.max(deps.waitMs, SETTLE_MS);
  const isRefused = state.refusal !== undefined;
  const settleMs = isRefused ? Math.max(usualMs, deps.refusedMs ?? 0) : usualMs;
  if (isAccepted || provenAtMs === undefined) return settleMs;
  return Math.min(provenAtMs + UNACKNOWLEDGED_MS, Math.max(deps.waitMs, settleMs));
}

/** @param isAsked the merchant was asked for its order long enough */
async function giveUp(
  deps: PurchaseDeps,
  state: PurchaseState,
  isAsked: boolean,
): Promise<Settled> {
  const { entry, order, problem } = state;
  const isLanded = found(state, 'landed') !== undefined;
  const isAccepted = orderIn(state) !== undefined;
  const isAnswered = state.refusal !== undefined || isAsked || isOverdue(deps, state);
  if (isLanded && !isAccepted && isAnswered) return raiseAttention(deps, state);
  if (order !== undefined && isGivenUp(order)) {
    return unknown(entry, t`the merchant abandoned the order (${failureReason(order)})`);
  }
  if (!isAccepted && !isLanded) {
    return unknown(entry, problem ?? t`the merchant has not answered yet`);
  }
  const deliveries = order?.deliveries ?? [];
  const waiting = { kind: 'pending', code: 'DELIVERY_PENDING' } as const;
  return { kind: 'concluded', entry, conclusion: { ...waiting, deliveries, reason: problem } };
}

function unknown(entry: Entry, reason: Said): Settled {
  const conclusion = { kind: 'unknown', reason, code: 'OUTCOME_UNKNOWN' } as const;
  return { kind: 'concluded', entry, conclusion };
}

function isOverdue(deps: PurchaseDeps, { attempt }: PurchaseState): boolean {
  return deps.clock.now() - attempt.createdAtMs >= ATTENTION_AFTER_MS;
}

/** Paid, but the merchant refuses the order or names none. */
async function raiseAttention(deps: PurchaseDeps, state: PurchaseState): Promise<Settled> {
  const said = state.refusal?.message ?? state.problem ?? t`the merchant has no order for it`;
  const reason = t`the payment is on the chain, but ${said}`;
  // Within the first day, the next resume may still get the order, so record nothing final.
  const { entry } = isOverdue(deps, state)
    ? await record(deps, state, { fact: 'attention', reason: String(reason) })
    : state;
  if (isOverdue(deps, state)) deps.failPoint?.('attention-recorded');
  const bundle = await bundleOf(state);
  const conclusion = { kind: 'attention', reason, bundle, code: 'ATTENTION_NEEDED' } as const;
  return { kind: 'concluded', entry, conclusion };
}

/** Time for a request in flight to complete after the user interrupts. */
const GRACE_MS = 5_000;
/** Minimum time for a response, however little time is left. */
const LEAST_BUDGET_MS = 2_000;

export type Refusal = Extract<Submission, { readonly kind: 'refused' }>;

interface PurchaseState extends AttemptState {
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
async function askMerchant(
  deps: PurchaseDeps,
  known: PurchaseState,
  leftMs: number,
): Promise<PurchaseState> {
  const accepted = orderIn(known);
  if (accepted === undefined && found(known, 'dead') !== undefined) return known;
  const state = { ...known, retryAfterMs: 0 };
  const budgetMs = Math.max(LEAST_BUDGET_MS, leftMs);
  return accepted === undefined
    ? send(deps, state, budgetMs)
    : poll(deps, state, accepted.orderId, Math.min(CALL_TIMEOUT_MS, budgetMs));
}

/** Sends the payment, always the same bytes, while that can lead to an order. */
async function send(
  deps: PurchaseDeps,
  state: PurchaseState,
  budgetMs: number,
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
  const { fetch, checkoutUrl: baseUrl, clock, rail } = deps;
  const network = rail.name;
  const { body } = entry.intent;
  const request = requestIn(entry.intent);
  const mostMs = request === undefined ? SUBMIT_TIMEOUT_MS : ANSWER_TIMEOUT_MS;
  const timeoutMs = Math.min(mostMs, budgetMs);
  const submission = await withGrace(GRACE_MS, deps.signal, (signal) =>
    submit({ fetch, baseUrl, body, request, clock, network, signal, timeoutMs }, attempt),
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
  const { status, deliveries, estimated_delivery_seconds } = submission.receipt;
  const order_id = submission.receipt.order_id || state.entry.intent.intentId;
  const { transaction, signed } = submission;
  const accepted = await record(deps, state, {
    fact: 'accepted',
    attempt: state.attempt.number,
    orderId: order_id,
    transaction,
    receipt: signed,
  });
  deps.failPoint?.('accepted-recorded');
  const { amountAtomic, createdAtMs } = state.attempt;
  const amount = `${priceText(usdcText(parseAtomic(amountAtomic)), 'USDC')} USDC`;
  deps.progress?.done(paidText({ amount, transaction }, deps.clock.now() - createdAtMs));
  const usualMs = estimated_delivery_seconds && estimated_delivery_seconds * 1_000;
  deps.progress?.step(t`Waiting for delivery`, { usualMs, isSafe: true });
  const keyed = signed === undefined ? accepted : await keepKey(deps, accepted, signed);
  const { refusal: _refusal, problem: _problem, ...known } = keyed;
  // A receipt may omit the deliveries; then it does not show that the order has ended.
  return deliveries === undefined ? known : withOrder(known, { order_id, status, deliveries });
}

/** Keeps the key of a signed receipt, so that it can be checked later without the host. */
async function keepKey(
  deps: PurchaseDeps,
  state: PurchaseState,
  receipt: string,
): Promise<PurchaseState> {
  const { intent } = state.entry;
  const request = requestIn(intent);
  const baseUrl = request === undefined ? deps.checkoutUrl : new URL(request.url).origin;
  const key = await readSigningKey(deps, baseUrl, receipt);
  if (key === undefined) return state;
  const { number: attempt } = state.attempt;
  return record(deps, state, { fact: 'key', attempt, jwk: JSON.stringify(key) });
}

async function poll(
  deps: PurchaseDeps,
  state: PurchaseState,
  orderId: string,
  callMs: number,
): Promise<PurchaseState> {
  const { fetch, checkoutUrl: baseUrl, signal } = deps;
  const { problem: _problem, ...known } = state;
  const asked = { fetch, baseUrl, orderId, signal, callMs };
  // Even "no such order" proves nothing about the money.
  const { order, error, retryAfterMs } = await pollOnce(asked).catch(
    unlessInterrupted((lasting): Poll => ({ error: lasting, retryAfterMs: 0 })),
  );
  if (order !== undefined) return withOrder(known, order);
  return { ...known, problem: error.sentence, retryAfterMs };
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
function isLive({ rail }: PurchaseDeps, attempt: Attempt): Promise<boolean> {
  return rail.isLive(attempt).catch(expected(() => true));
}
