/** The way of an x402 payment: the merchant is handed it and has it sent, then its order is followed to the goods. */

import type { WireOrderStatus } from '../../contract/checkout.ts';
import type { Attempt, Entry } from '../../domain/journal.ts';
import { type Said, t } from '../../domain/message.ts';
import { backoffMs } from '../../domain/retry.ts';
import { isTerminal, POLL_MS } from '../checkout/follow.ts';
import type { PurchaseDeps } from '../checkout/purchase-deps.ts';
import { askMerchant, type PurchaseState, type Refusal } from './ask-merchant.ts';
import { askChain, type Decided, found, record, recordOrThrow } from './attempt-state.ts';
import { SETTLE_MS } from './limits.ts';
import { bundleOf, type Conclusion, delivered, failed, failureReason } from './outcome.ts';
import type { LivePayment } from './pay-loop.ts';
import { SCAN_EVERY_MS, settle, type Transport } from './settle.ts';
import { nameTransaction } from './transaction-name.ts';

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
/** From then on a paid order that the merchant does not know needs a person. */
const ATTENTION_AFTER_MS = 24 * 60 * 60 * 1_000;
/**
 * Asks merchant and chain in turn until the purchase is decided or time runs out.
 * @param isFresh the attempt was signed a moment ago: the chain cannot have it finalized yet
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
    ask: (state, { leftMs }) => askMerchant(deps, state, leftMs),
    decide: (state, elapsedMs) => decide(deps, state, { isFresh, elapsedMs }),
    paceMs: (state, rounds) => {
      const isAccepted = found(state, 'accepted') !== undefined;
      const paceMs = isAccepted ? (deps.pollMs ?? POLL_MS) : backoffMs(rounds);
      return Math.max(paceMs, state.retryAfterMs);
    },
    budgetMs: (state, provenAtMs) => budgetMs(deps, state, provenAtMs),
    giveUp: (state, provenForMs) => giveUp(deps, state, provenForMs > UNACKNOWLEDGED_MS),
  };
}

/** Checks delivery first: a delivered order is not bought again, even if the chain shows no payment. */
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
  // The goods are here but the journal does not know: the next run must find them again.
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
  const reason = t`another run paid with this key, and the merchant returns the order only to that run: ${message}`;
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
 * Delivery is awaited as long as the user allows. The outcome of a payment must be found out, so a
 * merchant that was paid is asked for the order a while longer, even after refusals.
 * @param provenAtMs when the chain had proven the payment
 */
function budgetMs(
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
    return unknown(entry, t`the merchant abandoned the order (${failureReason(order)})`);
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
  const said = state.refusal?.message ?? state.problem ?? t`the merchant has no order for it`;
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
