/** What is known of one attempt, and the three ways to learn more: send, poll, ask the chain. */
import type { WireOrderStatus } from '../../contract/checkout.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Attempt, type Entry, type Fact, factOf, orderName } from '../../domain/journal.ts';
import { RETRY_AFTER_CAP_MS } from '../../domain/retry.ts';
import type { PaymentFate } from '../../rails/rail.ts';
import { CALL_TIMEOUT_MS } from '../call.ts';
import { SUBMIT_TIMEOUT_MS, type Submission, submit } from '../checkout.ts';
import { withGrace } from '../deadline.ts';
import { pollOnce } from '../follow.ts';
import type { PurchaseTools } from '../purchase-tools.ts';

export type Refusal = Extract<Submission, { readonly kind: 'refused' }>;

/** What is known of the attempt so far. */
export interface AttemptState {
  readonly entry: Entry;
  readonly attempt: Attempt;
  /** The order as it was read last. */
  readonly order?: WireOrderStatus;
  readonly refusal?: Refusal;
  /** How often the payment went out in this run. */
  readonly sends: number;
  /** Why the last step told nothing. */
  readonly problem?: string;
  readonly retryAfterMs: number;
  /** Whether every fact found is on disk. */
  readonly isRecorded: boolean;
}

/** A request in flight when the user interrupts gets this long to end (reliability, C26). */
const GRACE_MS = 5_000;
/** An answer gets this long, however little time is left. */
const LEAST_PATIENCE_MS = 2_000;

/** The fact of one kind about the attempt, if it was found. */
export function found<Kind extends Fact['fact']>({ entry, attempt }: AttemptState, kind: Kind) {
  return factOf(entry, kind, attempt.number);
}

/**
 * Asks for the order or, until there is one, hands over the payment.
 * @param leftMs patience that is left for the answer
 */
export function askMerchant(
  tools: PurchaseTools,
  state: AttemptState,
  leftMs: number,
): Promise<AttemptState> {
  const patienceMs = Math.max(LEAST_PATIENCE_MS, leftMs);
  const accepted = found(state, 'accepted');
  return accepted === undefined
    ? send(tools, state, Math.min(SUBMIT_TIMEOUT_MS, patienceMs))
    : poll(tools, state, {
        orderId: accepted.orderId,
        callMs: Math.min(CALL_TIMEOUT_MS, patienceMs),
      });
}

/** Asks the chain what became of the payment; only finalized data counts. */
export async function askChain(tools: PurchaseTools, state: AttemptState): Promise<AttemptState> {
  if (found(state, 'landed') !== undefined) return state;
  const { attempt, entry } = state;
  const fate = await fateOf(tools, attempt);
  if (fate.fate === 'landed') {
    const { transaction, slot } = fate;
    const number = attempt.number;
    const landed = { fact: 'landed', attempt: number, transaction, slot } as const;
    const known = await record(tools, state, landed);
    tools.failPoint?.('landed-recorded');
    return known;
  }
  if (fate.fate === 'dead') {
    const fact: Fact = { fact: 'dead', attempt: attempt.number, proof: fate.proof };
    // Not by `record`: unless this is on disk nothing may be signed again.
    await tools.journal.addFact(entry.intent, fact);
    tools.failPoint?.('dead-recorded');
    return { ...state, entry: withFact(entry, fact) };
  }
  return fate.fate === 'unknown' ? { ...state, problem: fate.reason } : state;
}

/** Puts the order, codes and all, into the journal, sealed. */
export function recordGoods(
  tools: PurchaseTools,
  state: AttemptState,
  order: WireOrderStatus,
  status: 'completed' | 'failed',
): Promise<AttemptState> {
  const sealed = tools.vault.seal(JSON.stringify(order));
  const attempt = state.attempt.number;
  return record(tools, state, { fact: 'goods', attempt, status, sealed });
}

const NAME_TRIES = 3;
const NAME_EVERY_MS = 1_000;

/**
 * Finds what the merchant did not say: the transaction that carries the payment, by the payment's own
 * bytes. The goods are here; nothing depends on it, and nothing that fails here is told.
 */
export async function nameTransaction(
  { rail, journal, clock }: Pick<PurchaseTools, 'rail' | 'journal' | 'clock'>,
  entry: Entry,
  attempt: Attempt,
): Promise<Entry> {
  const { number } = attempt;
  const isNamed =
    attempt.foundIn !== undefined ||
    factOf(entry, 'landed', number) !== undefined ||
    factOf(entry, 'named', number) !== undefined ||
    factOf(entry, 'accepted', number)?.transaction !== undefined;
  if (isNamed || rail.insight === undefined) return entry;
  try {
    for (let tried = 1; tried <= NAME_TRIES; tried += 1) {
      const transaction = await rail.insight.transactionOf(attempt);
      if (transaction !== undefined) {
        const fact = { fact: 'named', attempt: number, transaction } as const;
        await journal.addFact(entry.intent, fact);
        return { ...entry, facts: [...entry.facts, fact] };
      }
      // A node may be behind the one that the merchant asked.
      if (tried < NAME_TRIES) await clock.sleep(NAME_EVERY_MS);
    }
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
  }
  return entry;
}

/**
 * Writes a fact. If the disk fails, the purchase goes on in memory: the payment is out, and the
 * next run finds the same fact again (reliability, C21b).
 */
export async function record(
  tools: PurchaseTools,
  state: AttemptState,
  fact: Fact,
): Promise<AttemptState> {
  const entry = withFact(state.entry, fact);
  try {
    await tools.journal.addFact(state.entry.intent, fact);
    return { ...state, entry };
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
    tools.progress?.step(`Could not write "${fact.fact}" to the journal: ${error.message}`);
    return { ...state, entry, isRecorded: false };
  }
}

function withFact(entry: Entry, fact: Fact): Entry {
  return { ...entry, facts: [...entry.facts, fact] };
}

/** Hands over the payment, always the same bytes, as long as that can lead to an order. */
async function send(
  tools: PurchaseTools,
  state: AttemptState,
  timeoutMs: number,
): Promise<AttemptState> {
  const { attempt, entry } = state;
  if (found(state, 'landed') === undefined) {
    // A refusal stands until the money has moved; expired bytes can only be refused.
    if (state.refusal !== undefined) return state;
    if (!(await isLive(tools, attempt))) {
      return { ...state, problem: 'the signed payment expired before the merchant took it' };
    }
  }
  tools.progress?.step(
    state.problem === undefined ? 'Sending the payment' : 'Sending the same payment again',
  );
  const { fetch, checkoutUrl: baseUrl, clock } = tools;
  const { body } = entry.intent;
  const submission = await withGrace(GRACE_MS, tools.signal, (signal) =>
    submit({ fetch, baseUrl, body, clock, signal, timeoutMs }, attempt),
  );
  tools.failPoint?.('submitted');
  return takeSubmission(tools, { ...state, sends: state.sends + 1 }, submission);
}

async function takeSubmission(
  tools: PurchaseTools,
  state: AttemptState,
  submission: Submission,
): Promise<AttemptState> {
  if (submission.kind === 'refused') {
    return { ...state, refusal: submission, problem: submission.message };
  }
  if (submission.kind === 'unclear') {
    const retryAfterMs = Math.min(submission.retryAfterMs ?? 0, RETRY_AFTER_CAP_MS);
    return { ...state, problem: submission.reason, retryAfterMs };
  }
  const { order_id, status, deliveries } = submission.receipt;
  const { transaction } = submission;
  const accepted = await record(tools, state, {
    fact: 'accepted',
    attempt: state.attempt.number,
    orderId: order_id,
    ...(transaction === undefined ? {} : { transaction }),
  });
  tools.failPoint?.('accepted-recorded');
  const name = orderName(state.entry.intent, order_id);
  tools.progress?.step(`Order ${name} is accepted; waiting for delivery`);
  const { refusal: _refusal, problem: _problem, ...known } = accepted;
  // A receipt may leave the deliveries out; then it says nothing of the order's end.
  return deliveries === undefined ? known : withOrder(known, { order_id, status, deliveries });
}

async function poll(
  tools: PurchaseTools,
  state: AttemptState,
  { orderId, callMs }: { readonly orderId: string; readonly callMs: number },
): Promise<AttemptState> {
  const { fetch, checkoutUrl: baseUrl, signal } = tools;
  const { problem: _problem, ...known } = state;
  try {
    const asked = { fetch, baseUrl, orderId, signal, callMs };
    const { order, error, retryAfterMs } = await pollOnce(asked);
    if (order !== undefined) return withOrder(known, order);
    return { ...known, problem: error.message, retryAfterMs };
  } catch (error) {
    // Even "no such order" proves nothing about the money.
    if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
    return { ...known, problem: error.message };
  }
}

/** An order closes a purchase for good, so it has something in it. */
function withOrder(state: AttemptState, order: WireOrderStatus): AttemptState {
  if (order.status === 'completed' && (order.deliveries ?? []).length === 0) {
    return { ...state, problem: 'the merchant calls the order completed and delivers nothing' };
  }
  return { ...state, order };
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

async function fateOf(tools: PurchaseTools, attempt: Attempt): Promise<PaymentFate> {
  try {
    return await tools.rail.fate(attempt);
  } catch (error) {
    if (error instanceof ScripError) return { fate: 'unknown', reason: error.message };
    throw error;
  }
}
