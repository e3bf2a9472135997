/** The way of an x402 payment: the merchant is handed it and has it sent, then its order is followed to the goods. */

import type { WireOrderStatus } from '../../contract/checkout.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Attempt, currentAttempt, type Entry, orderName } from '../../domain/journal.ts';
import { type Said, t, verbatim } from '../../domain/message.ts';
import { backoffMs, RETRY_AFTER_CAP_MS } from '../../domain/retry.ts';
import { SUBMIT_TIMEOUT_MS, type Submission, submit } from '../checkout/checkout.ts';
import { isTerminal, POLL_MS, pollOnce } from '../checkout/follow.ts';
import type { PurchaseDeps } from '../checkout/purchase-deps.ts';
import { CALL_TIMEOUT_MS } from '../http/call.ts';
import { withGrace } from '../http/deadline.ts';
import {
  type AttemptState,
  askChain,
  type Decided,
  found,
  record,
  recordOrThrow,
} from './attempt-state.ts';
import { SETTLE_MS } from './limits.ts';
import { bundleOf, type Conclusion, delivered, failed, failureReason } from './outcome.ts';
import { SCAN_EVERY_MS, settle, type Transport } from './settle.ts';
import { nameTransaction } from './transaction-name.ts';

export type Refusal = Extract<Submission, { readonly kind: 'refused' }>;

interface PurchaseState extends AttemptState {
  /** The order as it was read last. */
  readonly order?: WireOrderStatus;
  readonly refusal?: Refusal;
  /** How often the payment went out in this run. */
  readonly sends: number;
  readonly retryAfterMs: number;
}

export type Settled =
  | { readonly kind: 'concluded'; readonly entry: Entry; readonly conclusion: Conclusion }
  /** Proven unable to land: a new challenge may be signed. */
  | {
      readonly kind: 'dead';
      readonly entry: Entry;
      readonly refusal: Refusal | undefined;
      /** Refused when it was new: another one would fare no better. */
      readonly isUnwanted: boolean;
      /** How long it took to find out. */
      readonly tookMs: number;
    };

/** Paid by the chain's proof, and no order is named for it: from the proof on it is asked for so long. */
const UNACKNOWLEDGED_MS = 60_000;
/** From then on a paid order that the merchant does not know needs a person (reliability, C16). */
const ATTENTION_AFTER_MS = 24 * 60 * 60 * 1_000;
/** A request in flight when the user interrupts gets this long to end (reliability, C26). */
const GRACE_MS = 5_000;
/** An answer gets this long, however little time is left. */
const LEAST_PATIENCE_MS = 2_000;

/**
 * Asks merchant and chain in turn until the purchase is decided or the patience is over.
 * @param isFresh the attempt was signed a moment ago: the chain cannot have it finalized yet
 * @throws {ScripError} INTERRUPTED; JOURNAL_UNUSABLE when proof of death cannot be recorded
 */
export async function settlePurchase(
  deps: PurchaseDeps,
  entry: Entry,
  { isFresh }: { readonly isFresh: boolean },
): Promise<Settled> {
  const attempt = currentAttempt(entry);
  if (attempt === undefined)
    throw new ScripError('INTERNAL', verbatim('There is no payment to settle'));
  const nothing = { sends: 0, retryAfterMs: 0, isRecorded: true };
  return settle(deps, { entry, attempt, ...nothing }, x402Transport(deps, isFresh));
}

function x402Transport(deps: PurchaseDeps, isFresh: boolean): Transport<PurchaseState, Settled> {
  const write = async (state: PurchaseState, fact: Decided): Promise<PurchaseState> => {
    // Unless a death is on disk nothing may be signed again.
    const writing = fact.fact === 'dead' ? recordOrThrow : record;
    const known = await writing(deps, state, fact);
    deps.failPoint?.(`${fact.fact}-recorded`);
    return known;
  };
  return {
    firstScanMs: isFresh ? SCAN_EVERY_MS : 0,
    scan: (state) => askChain(deps, state, write),
    ask: async (state, { leftMs }) => {
      if (!mayBeAnswered(state)) return state;
      return askMerchant(deps, { ...state, retryAfterMs: 0 }, leftMs);
    },
    decide: (state, elapsedMs) => decide(deps, state, { isFresh, elapsedMs }),
    paceMs: (state, rounds) => {
      const isAccepted = found(state, 'accepted') !== undefined;
      const paceMs = isAccepted ? (deps.pollMs ?? POLL_MS) : backoffMs(rounds);
      return Math.max(paceMs, state.retryAfterMs);
    },
    patienceMs: (state, provenAtMs) => patienceMs(deps, state, provenAtMs),
    giveUp: (state, provenForMs) => giveUp(deps, state, provenForMs > UNACKNOWLEDGED_MS),
  };
}

/** A payment proven dead is not sent again; its order, if there is one, is still looked at. */
function mayBeAnswered(state: PurchaseState): boolean {
  return found(state, 'dead') === undefined || found(state, 'accepted') !== undefined;
}

/**
 * Asks for the order or, until there is one, hands over the payment.
 * @param leftMs patience that is left for the answer
 */
function askMerchant(
  deps: PurchaseDeps,
  state: PurchaseState,
  leftMs: number,
): Promise<PurchaseState> {
  const patienceMs = Math.max(LEAST_PATIENCE_MS, leftMs);
  const accepted = found(state, 'accepted');
  return accepted === undefined
    ? send(deps, state, Math.min(SUBMIT_TIMEOUT_MS, patienceMs))
    : poll(deps, state, {
        orderId: accepted.orderId,
        callMs: Math.min(CALL_TIMEOUT_MS, patienceMs),
      });
}

/** Hands over the payment, always the same bytes, as long as that can lead to an order. */
async function send(
  deps: PurchaseDeps,
  state: PurchaseState,
  timeoutMs: number,
): Promise<PurchaseState> {
  const { attempt, entry } = state;
  if (found(state, 'landed') === undefined) {
    // A refusal stands until the money has moved; expired bytes can only be refused.
    if (state.refusal !== undefined) return state;
    if (!(await isLive(deps, attempt))) {
      return { ...state, problem: t`the signed payment expired before the merchant took it` };
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
    return { ...state, refusal: submission, problem: submission.message };
  }
  if (submission.kind === 'unclear') {
    const retryAfterMs = Math.min(submission.retryAfterMs ?? 0, RETRY_AFTER_CAP_MS);
    return { ...state, problem: submission.reason, retryAfterMs };
  }
  const { order_id, status, deliveries } = submission.receipt;
  const { transaction } = submission;
  const accepted = await record(deps, state, {
    fact: 'accepted',
    attempt: state.attempt.number,
    orderId: order_id,
    ...(transaction === undefined ? {} : { transaction }),
  });
  deps.failPoint?.('accepted-recorded');
  const name = orderName(state.entry.intent, order_id);
  deps.progress?.step(t`Order ${name} is accepted; waiting for delivery`);
  const { refusal: _refusal, problem: _problem, ...known } = accepted;
  // A receipt may leave the deliveries out; then it says nothing of the order's end.
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

/** An order closes a purchase for good, so it has something in it. */
function withOrder(state: PurchaseState, order: WireOrderStatus): PurchaseState {
  if (order.status === 'completed' && (order.deliveries ?? []).length === 0) {
    return { ...state, problem: t`the merchant calls the order completed and delivers nothing` };
  }
  return { ...state, order };
}

/** Where the chain cannot be asked, sending is still safe: the same bytes cannot pay twice. */
async function isLive(deps: PurchaseDeps, attempt: Attempt): Promise<boolean> {
  try {
    return await deps.rail.isLive(attempt);
  } catch (error) {
    if (error instanceof ScripError) return true;
    throw error;
  }
}

/** Goods first: what was delivered is not bought again, whatever the chain says. */
async function decide(
  deps: PurchaseDeps,
  state: PurchaseState,
  { isFresh, elapsedMs }: { readonly isFresh: boolean; readonly elapsedMs: number },
): Promise<Settled | undefined> {
  const { order, entry, refusal } = state;
  if (order?.status === 'completed') return deliver(deps, state, order);
  if (refusal !== undefined && isFound(state)) return elsewhere(state, refusal);
  // A failed order is believed once the payment is seen on the chain; alone it proves nothing.
  if (order !== undefined && isGivenUp(order) && found(state, 'landed') !== undefined) {
    return fail(deps, state, order);
  }
  if (found(state, 'dead') === undefined) return undefined;
  // A payment that came late may have been refused for its age alone.
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
  // The goods are here but the journal does not know: the next run must find them again (C21b).
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

/** Another run has paid, and the host gives the order to that one alone. */
async function elsewhere(state: PurchaseState, { message }: Refusal): Promise<Settled> {
  const { entry } = state;
  const reason = t`another run has paid with this key, and the merchant gives the order to none but that: ${message}`;
  const bundle = await bundleOf(state);
  const conclusion = { kind: 'attention', reason, bundle, code: 'PAID_ELSEWHERE' } as const;
  return { kind: 'concluded', entry, conclusion };
}

/** Puts the order, codes and all, into the journal, sealed. */
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
 * Delivery is waited for as long as the user likes; the fate of money has to be found out; and a
 * merchant that was paid, whatever it answers, is asked for an order a while longer.
 * @param provenAtMs when the chain had proven the payment
 */
function patienceMs(
  deps: PurchaseDeps,
  state: PurchaseState,
  provenAtMs: number | undefined,
): number {
  const isAccepted = found(state, 'accepted') !== undefined;
  const isFailing = state.order !== undefined && isGivenUp(state.order);
  if (isAccepted && !isFailing) return deps.waitMs;
  const settleMs = deps.settleMs ?? Math.max(deps.waitMs, SETTLE_MS);
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
  const isAccepted = found(state, 'accepted') !== undefined;
  const isAnswered = state.refusal !== undefined || isAsked || isOverdue(deps, state);
  if (isLanded && !isAccepted && isAnswered) return raiseAttention(deps, state);
  if (order !== undefined && isGivenUp(order)) {
    return unknown(entry, t`the merchant gave the order up (${failureReason(order)})`);
  }
  if (!isAccepted && !isLanded) {
    return unknown(entry, problem ?? t`the merchant has not answered yet`);
  }
  const reason = problem ?? t`the merchant has not delivered yet`;
  const deliveries = order?.deliveries ?? [];
  const conclusion = { kind: 'pending', deliveries, reason, code: 'DELIVERY_PENDING' } as const;
  return { kind: 'concluded', entry, conclusion };
}

function unknown(entry: Entry, reason: Said): Settled {
  const conclusion = { kind: 'unknown', reason, code: 'OUTCOME_UNKNOWN' } as const;
  return { kind: 'concluded', entry, conclusion };
}

function isOverdue(deps: PurchaseDeps, { attempt }: { readonly attempt: Attempt }): boolean {
  return deps.clock.now() - attempt.createdAtMs >= ATTENTION_AFTER_MS;
}

/** Paid, and the merchant refuses the order or names none. */
async function raiseAttention(deps: PurchaseDeps, state: PurchaseState): Promise<Settled> {
  const said = state.refusal?.message ?? state.problem ?? t`the merchant knows no order for it`;
  const reason = t`the payment is on the chain, but ${said}`;
  // Before a day is over the next resume may still get the order: nothing final is written.
  const { entry } = isOverdue(deps, state)
    ? await record(deps, state, { fact: 'attention', reason: String(reason) })
    : state;
  if (isOverdue(deps, state)) deps.failPoint?.('attention-recorded');
  const bundle = await bundleOf(state);
  const conclusion = { kind: 'attention', reason, bundle, code: 'ATTENTION_NEEDED' } as const;
  return { kind: 'concluded', entry, conclusion };
}
