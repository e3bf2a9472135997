/**
 * Finds out what became of a journaled payment (reliability 2.3, steps 8 to 10). The first run, a
 * second process, and a resume days later all come through here.
 */

import type { WireOrderStatus } from '../../contract/checkout.ts';
import { isCodeless } from '../../domain/delivered.ts';
import { ScripError } from '../../domain/errors.ts';
import { recipientsOf } from '../../domain/goods.ts';
import { type Attempt, currentAttempt, type Entry } from '../../domain/journal.ts';
import { backoffMs } from '../../domain/retry.ts';
import { isTerminal, POLL_MS } from '../follow.ts';
import { pause } from '../pause.ts';
import type { PurchaseTools } from '../purchase-tools.ts';
import { type Stopwatch, startStopwatch } from '../stopwatch.ts';
import {
  type AttemptState,
  askChain,
  askMerchant,
  found,
  nameTransaction,
  type Refusal,
  record,
  recordGoods,
} from './attempt-state.ts';
import { SETTLE_MS } from './limits.ts';
import { bundleOf, type Conclusion } from './outcome.ts';

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
/** Finality takes 13 s; asking the chain more often finds nothing sooner. */
const SCAN_EVERY_MS = 2_000;
/** From then on a paid order that the merchant does not know needs a person (reliability, C16). */
const ATTENTION_AFTER_MS = 24 * 60 * 60 * 1_000;

/**
 * Asks merchant and chain in turn until the purchase is decided or the patience is over.
 * @param isFresh the attempt was signed a moment ago: the chain cannot have it finalized yet
 * @throws {ScripError} INTERRUPTED; JOURNAL_UNUSABLE when proof of death cannot be recorded
 */
export async function settle(
  tools: PurchaseTools,
  entry: Entry,
  { isFresh }: { readonly isFresh: boolean },
): Promise<Settled> {
  const attempt = currentAttempt(entry);
  if (attempt === undefined) throw new ScripError('INTERNAL', 'There is no payment to settle');
  const watch = startStopwatch(tools.clock);
  let state: AttemptState = { entry, attempt, sends: 0, retryAfterMs: 0, isRecorded: true };
  let scanDueMs = isFresh ? SCAN_EVERY_MS : 0;
  let provenAtMs: number | undefined;
  const scan = async (): Promise<void> => {
    state = await askChain(tools, state);
    scanDueMs = watch.elapsedMs() + SCAN_EVERY_MS;
    if (found(state, 'landed') !== undefined) provenAtMs ??= watch.elapsedMs();
  };
  for (let rounds = 1; ; rounds += 1) {
    if (watch.elapsedMs() >= scanDueMs) await scan();
    if (mayBeAnswered(state)) {
      const leftMs = patienceMs(tools, state, provenAtMs) - watch.elapsedMs();
      state = await askMerchant(tools, { ...state, retryAfterMs: 0 }, leftMs);
    }
    const settled = await decide(tools, state, { isFresh, watch });
    if (settled !== undefined) return settled;
    const paceMs =
      found(state, 'accepted') === undefined ? backoffMs(rounds) : (tools.pollMs ?? POLL_MS);
    const waitMs = Math.max(paceMs, state.retryAfterMs);
    const isOver = (): boolean => watch.elapsedMs() + waitMs > patienceMs(tools, state, provenAtMs);
    if (isOver() && watch.elapsedMs() >= scanDueMs) {
      // A merchant that held the line has kept the chain from being asked.
      await scan();
      const late = await decide(tools, state, { isFresh, watch });
      if (late !== undefined) return late;
    }
    if (isOver()) {
      const sinceMs = provenAtMs === undefined ? 0 : watch.elapsedMs() + waitMs - provenAtMs;
      return giveUp(tools, state, sinceMs > UNACKNOWLEDGED_MS);
    }
    await pause(tools.clock, waitMs, tools.signal);
    watch.waited(waitMs);
  }
}

/** A payment proven dead is not sent again; its order, if there is one, is still looked at. */
function mayBeAnswered(state: AttemptState): boolean {
  return found(state, 'dead') === undefined || found(state, 'accepted') !== undefined;
}

/** Goods first: what was delivered is not bought again, whatever the chain says. */
async function decide(
  tools: PurchaseTools,
  state: AttemptState,
  { isFresh, watch }: { readonly isFresh: boolean; readonly watch: Stopwatch },
): Promise<Settled | undefined> {
  const { order, entry, refusal } = state;
  if (order?.status === 'completed') return deliver(tools, state, order);
  if (refusal !== undefined && isFound(state)) return elsewhere(state, refusal);
  // A failed order is believed once the payment is seen on the chain; alone it proves nothing.
  if (order !== undefined && isGivenUp(order) && found(state, 'landed') !== undefined) {
    return fail(tools, state, order);
  }
  if (found(state, 'dead') === undefined) return undefined;
  // A payment that came late may have been refused for its age alone.
  const isUnwanted = refusal !== undefined && isFresh && state.sends === 1;
  return { kind: 'dead', entry, refusal, isUnwanted, tookMs: watch.elapsedMs() };
}

function isGivenUp(order: WireOrderStatus): boolean {
  return isTerminal(order) && order.status !== 'completed';
}

async function deliver(
  tools: PurchaseTools,
  state: AttemptState,
  order: WireOrderStatus,
): Promise<Settled> {
  tools.failPoint?.('goods-read');
  const { entry: kept, isRecorded } = await recordGoods(tools, state, order, 'completed');
  tools.failPoint?.('goods-recorded');
  const entry = await nameTransaction(tools, kept, state.attempt);
  const conclusion = delivered(entry, order);
  // The goods are here but the journal does not know: the next run must find them again (C21b).
  const code = isRecorded ? conclusion.code : 'OUTCOME_UNKNOWN';
  return { kind: 'concluded', entry, conclusion: { ...conclusion, code } };
}

/** Goods that came; that nothing redeems them is said. */
export function delivered(
  { intent }: Entry,
  { deliveries = [] }: WireOrderStatus,
): Conclusion & { readonly kind: 'delivered' } {
  const code = isCodeless(deliveries, recipientsOf(intent)) ? 'CODES_MISSING' : null;
  return { kind: 'delivered', deliveries, code };
}

async function fail(
  tools: PurchaseTools,
  state: AttemptState,
  order: WireOrderStatus,
): Promise<Settled> {
  const { entry } = await recordGoods(tools, state, order, 'failed');
  return { kind: 'concluded', entry, conclusion: failed(order) };
}

function isFound({ attempt }: AttemptState): boolean {
  return attempt.foundIn !== undefined;
}

/** Another run has paid, and the host gives the order to that one alone. */
async function elsewhere(state: AttemptState, { message }: Refusal): Promise<Settled> {
  const { entry } = state;
  const reason = `another run has paid with this key, and the merchant gives the order to none but that: ${message}`;
  const bundle = await bundleOf(state);
  const conclusion = { kind: 'attention', reason, bundle, code: 'PAID_ELSEWHERE' } as const;
  return { kind: 'concluded', entry, conclusion };
}

/** A paid order that the merchant gave up, in the merchant's words where there are any. */
export function failed(order: WireOrderStatus): Conclusion {
  const deliveries = order.deliveries ?? [];
  return { kind: 'failed', deliveries, reason: failureReason(order), code: 'ORDER_FAILED' };
}

function failureReason(order: WireOrderStatus): string {
  const reasons = (order.deliveries ?? []).flatMap(({ failure_reason }) => failure_reason ?? []);
  if (reasons.length > 0) return reasons.join('; ');
  return order.status === 'expired' ? 'it expired' : 'the merchant gives no reason';
}

/**
 * Delivery is waited for as long as the user likes; the fate of money has to be found out; and a
 * merchant that was paid, whatever it answers, is asked for an order a while longer.
 * @param provenAtMs when the chain had proven the payment
 */
function patienceMs(
  tools: PurchaseTools,
  state: AttemptState,
  provenAtMs: number | undefined,
): number {
  const isAccepted = found(state, 'accepted') !== undefined;
  const isFailing = state.order !== undefined && isGivenUp(state.order);
  if (isAccepted && !isFailing) return tools.waitMs;
  const settleMs = tools.settleMs ?? Math.max(tools.waitMs, SETTLE_MS);
  if (isAccepted || provenAtMs === undefined) return settleMs;
  return Math.min(provenAtMs + UNACKNOWLEDGED_MS, Math.max(tools.waitMs, settleMs));
}

/** @param isAsked the merchant was asked for its order long enough */
async function giveUp(
  tools: PurchaseTools,
  state: AttemptState,
  isAsked: boolean,
): Promise<Settled> {
  const { entry, order, problem } = state;
  const isLanded = found(state, 'landed') !== undefined;
  const isAccepted = found(state, 'accepted') !== undefined;
  const isAnswered = state.refusal !== undefined || isAsked || isOverdue(tools, state);
  if (isLanded && !isAccepted && isAnswered) return raiseAttention(tools, state);
  if (order !== undefined && isGivenUp(order)) {
    return unknown(entry, `the merchant gave the order up (${failureReason(order)})`);
  }
  if (!isAccepted && !isLanded) {
    return unknown(entry, problem ?? 'the merchant has not answered yet');
  }
  const reason = problem ?? 'the merchant has not delivered yet';
  const deliveries = order?.deliveries ?? [];
  const conclusion = { kind: 'pending', deliveries, reason, code: 'DELIVERY_PENDING' } as const;
  return { kind: 'concluded', entry, conclusion };
}

function unknown(entry: Entry, reason: string): Settled {
  const conclusion = { kind: 'unknown', reason, code: 'OUTCOME_UNKNOWN' } as const;
  return { kind: 'concluded', entry, conclusion };
}

function isOverdue(tools: PurchaseTools, { attempt }: { readonly attempt: Attempt }): boolean {
  return tools.clock.now() - attempt.createdAtMs >= ATTENTION_AFTER_MS;
}

/** Paid, and the merchant refuses the order or names none. */
async function raiseAttention(tools: PurchaseTools, state: AttemptState): Promise<Settled> {
  const said = state.refusal?.message ?? state.problem ?? 'the merchant knows no order for it';
  const reason = `the payment is on the chain, but ${said}`;
  // Before a day is over the next resume may still get the order: nothing final is written.
  const { entry } = isOverdue(tools, state)
    ? await record(tools, state, { fact: 'attention', reason })
    : state;
  if (isOverdue(tools, state)) tools.failPoint?.('attention-recorded');
  const bundle = await bundleOf(state);
  const conclusion = { kind: 'attention', reason, bundle, code: 'ATTENTION_NEEDED' } as const;
  return { kind: 'concluded', entry, conclusion };
}
