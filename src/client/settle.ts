/**
 * Sends a journaled payment and finds out what became of it (reliability 2.3, steps 8 to 10). The
 * first run, a second process, and a resume days later all come through here.
 */
import type { WireOrderStatus } from '../contract/checkout.ts';
import { ScripError } from '../domain/errors.ts';
import {
  type Attempt,
  acceptedOrder,
  currentAttempt,
  type Entry,
  type Fact,
  factOf,
} from '../domain/journal.ts';
import { backoffMs, RETRY_AFTER_CAP_MS } from '../domain/retry.ts';
import { type Submission, submit } from './checkout.ts';
import { isTerminal, pollDelayMs, pollOnce } from './follow.ts';
import { bundleOf, type Conclusion } from './outcome.ts';
import { pause } from './pause.ts';
import type { PurchaseTools } from './purchase-tools.ts';
import { startStopwatch } from './stopwatch.ts';

export type Refusal = Extract<Submission, { readonly kind: 'refused' }>;

export type Settled =
  | { readonly kind: 'concluded'; readonly entry: Entry; readonly conclusion: Conclusion }
  /** Proven unable to land: a new challenge may be signed. */
  | {
      readonly kind: 'dead';
      readonly entry: Entry;
      readonly proof: string;
      readonly refusal: Refusal | undefined;
    };

/** Long enough for a payment to expire, finalized, and be proven dead: about 85 s on mainnet. */
export const SETTLE_MS = 150_000;
/** Finality takes 13 s; asking the chain more often finds nothing sooner. */
const SCAN_EVERY_MS = 2_000;
/** From then on a paid order that the merchant does not know needs a person (reliability, C16). */
const ATTENTION_AFTER_MS = 24 * 60 * 60 * 1_000;
/** A request in flight when the user interrupts gets this long to end (reliability, C26). */
const GRACE_MS = 5_000;

/** What is known of the attempt so far. */
interface Standing {
  readonly entry: Entry;
  readonly attempt: Attempt;
  /** The order as it was read last. */
  readonly order: WireOrderStatus | undefined;
  readonly refusal: Refusal | undefined;
  /** Why the last step told nothing. */
  readonly problem: string | undefined;
  readonly retryAfterMs: number;
  /** Whether every fact found is on disk. */
  readonly isRecorded: boolean;
}

/**
 * @param isFresh the attempt was signed a moment ago: the chain cannot know it yet
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
  let scanDueMs = isFresh ? SCAN_EVERY_MS : 0;
  let standing: Standing = { ...NOTHING_KNOWN, entry, attempt };
  for (let rounds = 1; ; rounds += 1) {
    standing = await askMerchant(tools, { ...standing, retryAfterMs: 0 });
    const goods = await takeGoods(tools, standing);
    if (goods !== undefined) return goods;
    if (watch.elapsedMs() >= scanDueMs) {
      standing = await askChain(tools, standing);
      scanDueMs = watch.elapsedMs() + SCAN_EVERY_MS;
    }
    const decided = (await takeFailure(tools, standing)) ?? death(standing);
    if (decided !== undefined) return decided;
    const waitMs = Math.max(delayMs(tools, standing, rounds), standing.retryAfterMs);
    if (watch.elapsedMs() + waitMs > patienceMs(tools, standing)) return giveUp(tools, standing);
    await pause(tools.clock, waitMs, tools.signal);
    watch.waited(waitMs);
  }
}

const NOTHING_KNOWN = {
  order: undefined,
  refusal: undefined,
  problem: undefined,
  retryAfterMs: 0,
  isRecorded: true,
};

function landedFact({ entry, attempt }: Standing) {
  return factOf(entry, 'landed', attempt.number);
}

function askMerchant(tools: PurchaseTools, standing: Standing): Promise<Standing> {
  const order = acceptedOrder(standing.entry);
  return order === undefined ? send(tools, standing) : poll(tools, standing, order.orderId);
}

/** Hands over the payment, always the same bytes, as long as that can lead to an order. */
async function send(tools: PurchaseTools, standing: Standing): Promise<Standing> {
  const { attempt, entry } = standing;
  if (landedFact(standing) === undefined) {
    // A refusal stands until the money has moved; expired bytes can only be refused.
    if (standing.refusal !== undefined) return standing;
    if (!(await isLive(tools, attempt))) {
      return { ...standing, problem: 'the signed payment expired before the merchant took it' };
    }
  }
  tools.progress?.step('Paying');
  const { fetch, checkoutUrl: baseUrl, clock } = tools;
  const signal = withGrace(tools.signal);
  const call = { fetch, baseUrl, body: entry.intent.body, clock, signal };
  const submission = await submit(call, attempt);
  tools.failPoint?.('submitted');
  return takeSubmission(tools, standing, submission);
}

/** Where the chain cannot be asked, sending is still safe: the same bytes cannot pay twice. */
async function isLive(tools: PurchaseTools, attempt: Attempt): Promise<boolean> {
  try {
    return await tools.rail.isLive(attempt);
  } catch (error) {
    if (error instanceof ScripError) return true;
    throw error;
  }
}

async function takeSubmission(
  tools: PurchaseTools,
  standing: Standing,
  submission: Submission,
): Promise<Standing> {
  if (submission.kind === 'refused') {
    return { ...standing, refusal: submission, problem: submission.message };
  }
  if (submission.kind === 'unclear') {
    const retryAfterMs = Math.min(submission.retryAfterMs ?? 0, RETRY_AFTER_CAP_MS);
    return { ...standing, problem: submission.reason, retryAfterMs };
  }
  const { order_id, status, deliveries } = submission.receipt;
  const accepted = await record(tools, standing, {
    fact: 'accepted',
    attempt: standing.attempt.number,
    orderId: order_id,
    ...(submission.transaction === undefined ? {} : { transaction: submission.transaction }),
  });
  tools.failPoint?.('accepted-recorded');
  tools.progress?.step(`Order ${order_id} accepted; waiting for delivery`);
  // A receipt that is already complete brings the goods; one without them is asked for again.
  const order = deliveries === undefined ? undefined : { order_id, status, deliveries };
  return { ...accepted, order, refusal: undefined, problem: undefined };
}

async function poll(tools: PurchaseTools, standing: Standing, orderId: string): Promise<Standing> {
  const { fetch, checkoutUrl: baseUrl, signal } = tools;
  try {
    const { order, error, retryAfterMs } = await pollOnce({ fetch, baseUrl, orderId, signal });
    return {
      ...standing,
      order: order ?? standing.order,
      problem: error?.message,
      retryAfterMs,
    };
  } catch (error) {
    // Even "no such order" proves nothing about the money.
    if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
    return { ...standing, problem: error.message };
  }
}

/** Asks the chain what became of the payment; only finalized data counts. */
async function askChain(tools: PurchaseTools, standing: Standing): Promise<Standing> {
  if (landedFact(standing) !== undefined) return standing;
  const { attempt, entry } = standing;
  const fate = await tools.rail.fate(attempt);
  if (fate.fate === 'landed') {
    const { transaction, slot } = fate;
    return record(tools, standing, { fact: 'landed', attempt: attempt.number, transaction, slot });
  }
  if (fate.fate === 'dead') {
    const fact: Fact = { fact: 'dead', attempt: attempt.number, proof: fate.proof };
    // Not by `record`: without this on disk nothing may be signed again.
    await tools.journal.addFact(entry.intent, fact);
    return { ...standing, entry: withFact(entry, fact) };
  }
  return fate.fate === 'unknown' ? { ...standing, problem: fate.reason } : standing;
}

async function takeGoods(tools: PurchaseTools, standing: Standing): Promise<Settled | undefined> {
  const { order } = standing;
  if (order?.status !== 'completed') return undefined;
  const { entry, isRecorded } = await recordGoods(tools, standing, order, 'completed');
  tools.failPoint?.('goods-recorded');
  const deliveries = order.deliveries ?? [];
  // The goods are here but the journal does not know: the next run must find them again (C21b).
  const code = isRecorded ? null : 'OUTCOME_UNKNOWN';
  return { kind: 'concluded', entry, conclusion: { kind: 'delivered', deliveries, code } };
}

/** A failed order is believed when the payment is seen on the chain; until then it proves nothing. */
async function takeFailure(tools: PurchaseTools, standing: Standing): Promise<Settled | undefined> {
  const { order } = standing;
  if (order === undefined || !isTerminal(order)) return undefined;
  if (landedFact(standing) === undefined) return undefined;
  const { entry } = await recordGoods(tools, standing, order, 'failed');
  const deliveries = order.deliveries ?? [];
  const reason = failureReason(order);
  const conclusion = { kind: 'failed', deliveries, reason, code: 'ORDER_FAILED' } as const;
  return { kind: 'concluded', entry, conclusion };
}

/** Why an order came to nothing, in the merchant's words where there are any. */
export function failureReason(order: WireOrderStatus): string {
  const reasons = (order.deliveries ?? []).flatMap(({ failure_reason }) => failure_reason ?? []);
  const said = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  return `the merchant reports order ${order.order_id} as ${order.status}${said}`;
}

function death(standing: Standing): Settled | undefined {
  const { entry, attempt, refusal } = standing;
  const dead = factOf(entry, 'dead', attempt.number);
  return dead === undefined ? undefined : { kind: 'dead', entry, proof: dead.proof, refusal };
}

function delayMs(tools: PurchaseTools, standing: Standing, rounds: number): number {
  const isAccepted = acceptedOrder(standing.entry) !== undefined;
  return isAccepted ? pollDelayMs(rounds, tools.pollMs) : backoffMs(rounds);
}

/** Delivery may be waited for as long as the user likes; the fate of money has to be found out. */
function patienceMs(tools: PurchaseTools, standing: Standing): number {
  const { order, entry } = standing;
  const isFailing = order !== undefined && isTerminal(order);
  if (acceptedOrder(entry) !== undefined && !isFailing) return tools.waitMs;
  return Math.max(tools.waitMs, tools.settleMs ?? SETTLE_MS);
}

async function giveUp(tools: PurchaseTools, standing: Standing): Promise<Settled> {
  const { entry, order, problem } = standing;
  const conclude = (conclusion: Conclusion): Settled => ({ kind: 'concluded', entry, conclusion });
  const isFailing = order !== undefined && isTerminal(order);
  const isAccepted = acceptedOrder(entry) !== undefined;
  const isLanded = landedFact(standing) !== undefined;
  if (isLanded && !isAccepted && needsAttention(tools, standing)) {
    return raiseAttention(tools, standing);
  }
  if ((isAccepted && !isFailing) || isLanded) {
    const reason = problem ?? 'the merchant has not delivered yet';
    const deliveries = order?.deliveries ?? [];
    return conclude({ kind: 'pending', deliveries, reason, code: 'DELIVERY_PENDING' });
  }
  const reason = isFailing ? failureReason(order) : (problem ?? 'the payment is still under way');
  return conclude({ kind: 'unknown', reason, code: 'OUTCOME_UNKNOWN' });
}

/** Paid, and the merchant refuses the order or has not known it for a day. */
function needsAttention(tools: PurchaseTools, { attempt, refusal }: Standing): boolean {
  return refusal !== undefined || isOverdue(tools, attempt);
}

function isOverdue(tools: PurchaseTools, attempt: Attempt): boolean {
  return tools.clock.now() - attempt.createdAtMs >= ATTENTION_AFTER_MS;
}

async function raiseAttention(tools: PurchaseTools, standing: Standing): Promise<Settled> {
  const said =
    standing.refusal?.message ?? standing.problem ?? 'the merchant knows no order for it';
  const reason = `the payment is on the chain, but ${said}`;
  // Before a day is over the next resume may still get the order: nothing final is written.
  const { entry } = isOverdue(tools, standing.attempt)
    ? await record(tools, standing, { fact: 'attention', reason })
    : standing;
  const bundle = await bundleOf(standing);
  const conclusion = { kind: 'attention', reason, bundle, code: 'ATTENTION_NEEDED' } as const;
  return { kind: 'concluded', entry, conclusion };
}

function recordGoods(
  tools: PurchaseTools,
  standing: Standing,
  order: WireOrderStatus,
  status: 'completed' | 'failed',
): Promise<Standing> {
  const sealed = tools.vault.seal(JSON.stringify(order));
  return record(tools, standing, {
    fact: 'goods',
    attempt: standing.attempt.number,
    status,
    sealed,
  });
}

/**
 * Writes a fact. If the disk fails, the purchase goes on in memory: the payment is out, and the
 * next run finds the same fact again.
 */
async function record(tools: PurchaseTools, standing: Standing, fact: Fact): Promise<Standing> {
  const entry = withFact(standing.entry, fact);
  try {
    await tools.journal.addFact(standing.entry.intent, fact);
    return { ...standing, entry };
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
    tools.progress?.step(`Could not record that the payment is ${fact.fact}: ${error.message}`);
    return { ...standing, entry, isRecorded: false };
  }
}

function withFact(entry: Entry, fact: Fact): Entry {
  return { ...entry, facts: [...entry.facts, fact] };
}

/** Aborts a while after the user did: a payment in flight is better answered than cut off. */
function withGrace(signal: AbortSignal | undefined): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  const wait = (): void =>
    AbortSignal.timeout(GRACE_MS).addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) wait();
  else signal?.addEventListener('abort', wait, { once: true });
  return controller.signal;
}
