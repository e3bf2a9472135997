/**
 * Buys exactly once (reliability 2.3): the intent goes to disk first, every signed byte before it
 * is sent, and nothing is signed again without proof that what was signed can never land.
 */

import type { WireOrderStatus } from '../../contract/checkout.ts';
import { decodeHeader, identifierExtension, paymentPayload } from '../../contract/x402.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import {
  type Attempt,
  currentAttempt,
  type Entry,
  factOf,
  orderIdOf,
} from '../../domain/journal.ts';
import { type Said, t } from '../../domain/message.ts';
import type { Atomic } from '../../domain/money.ts';
import { policyRecord } from '../../domain/policy-file.ts';
import { openIntent, reopen } from '../payment/intent.ts';
import { MAX_SIGNATURES } from '../payment/limits.ts';
import {
  type Conclusion,
  delivered,
  failed,
  type Outcome,
  outcomeOf,
  type PurchaseOutcome,
} from '../payment/outcome.ts';
import { type KeyWatch, watchKey } from '../payment/payment-tag.ts';
import { signAttempt } from '../payment/sign-attempt.ts';
import { type Refusal, type Settled, settlePurchase } from '../payment/x402-transport.ts';
import { readOrderStatus } from './order-form.ts';
import type { PurchaseDeps, PurchaseRequest } from './purchase-deps.ts';

/** With less time left nothing is signed anew: a payment should be heard of before the end. */
const LEAST_TO_PAY_MS = 5_000;

/**
 * Buys what is asked for, or continues the purchase that was begun with the same key, or with no
 * key and the same request.
 * @throws {ScripError} whatever speaks against paying, before anything was sent (fundsAtRisk
 * `none`); INTERRUPTED. What happens after the payment went out is an outcome.
 */
export async function purchase(
  deps: PurchaseDeps,
  request: PurchaseRequest,
): Promise<PurchaseOutcome> {
  deps.failPoint?.('purchase-asked');
  const entry = await openPurchase(deps, request);
  deps.failPoint?.('intent-written');
  return advance(deps, entry, request.capAtomic);
}

/** @throws what `openIntent` does */
function openPurchase(deps: PurchaseDeps, request: PurchaseRequest): Promise<Entry> {
  const { rail, signer, spending } = deps;
  const opening = { ...deps, network: rail.network, payer: signer.address };
  return openIntent(opening, request, {
    body: canonicalJson(request.body),
    refusesRecovered: true,
    terms: async () => ({
      policy: policyRecord(spending.policy),
      ...(request.cart === undefined ? {} : { cart: request.cart }),
    }),
  });
}

/**
 * Finds out what became of a purchase and finishes it if it was paid. Signs nothing: when nothing
 * that was signed can land any more, the outcome is `unpaid`.
 */
export async function resume(deps: PurchaseDeps, entry: Entry): Promise<PurchaseOutcome> {
  return advance(deps, await reopen(deps.journal, entry), undefined);
}

/** @param capAtomic the most that may be signed for; undefined where nothing may be signed */
async function advance(
  deps: PurchaseDeps,
  start: Entry,
  capAtomic: Atomic | undefined,
): Promise<PurchaseOutcome> {
  const run = { tries: 0, signatures: 0 };
  const watch = watchKey({ ...deps, vault: async () => deps.vault });
  const outcome = await conclude(deps, start, { capAtomic, run, watch });
  const isOthers = run.signatures > 0 && (await isPaidByAnother(deps, outcome, watch));
  return { ...outcome, signatures: isOthers ? 0 : run.signatures };
}

/**
 * Whether the order that a host gave was paid by another machine with this key: a host that was told
 * the key's name takes one payment for it, and what was signed here is never used.
 */
async function isPaidByAnother(
  { journal }: PurchaseDeps,
  { kind, intent }: Outcome,
  watch: KeyWatch,
): Promise<boolean> {
  if (!['delivered', 'pending', 'failed'].includes(kind)) return false;
  const entry = await journal.byKey(intent.key);
  const attempt = entry && currentAttempt(entry);
  if (entry === undefined || attempt === undefined || !isNameTold(attempt)) return false;
  if (factOf(entry, 'landed', attempt.number) !== undefined) return false;
  try {
    return await watch.wasOvertaken(intent, attempt.messageHash);
  } catch (error) {
    // The goods are here: who paid for them is told another time.
    if (error instanceof ScripError) return false;
    throw error;
  }
}

function isNameTold({ header }: Attempt): boolean {
  const sent = paymentPayload().safeParse(decodeHeader(header));
  return identifierExtension(sent.data?.extensions) !== undefined;
}

interface Limits {
  readonly capAtomic: Atomic | undefined;
  /** Counts what this run signs, and what of it stands: another process may have been first. */
  readonly run: { tries: number; signatures: number };
  readonly watch: KeyWatch;
}

async function conclude(
  deps: PurchaseDeps,
  start: Entry,
  { capAtomic, run, watch }: Limits,
): Promise<Outcome> {
  let entry = start;
  let refusal: Refusal | undefined;
  let tookMs: number | undefined;
  for (;;) {
    const held = goodsOf(deps, entry);
    if (held !== undefined) return held;
    if (currentAttempt(entry) === undefined) {
      const isLast = run.tries === MAX_SIGNATURES || isTimeUp(deps, tookMs);
      if (capAtomic === undefined || isLast) {
        return close(deps, entry, unpaid(refusal));
      }
      run.tries += 1;
      if (await signNext(deps, entry, { capAtomic, watch })) run.signatures += 1;
      // Read back: the attempt that stands may be another process's, with facts of its own.
      entry = (await deps.journal.byKey(entry.intent.key)) ?? entry;
      continue;
    }
    const settled = await settleOrExplain(within(deps, tookMs), entry, run.tries > 0);
    if (settled.kind === 'concluded') return outcomeOf(settled.entry, settled.conclusion);
    tookMs = (tookMs ?? 0) + settled.tookMs;
    refusal = settled.refusal;
    if (settled.isUnwanted) return close(deps, settled.entry, unpaid(refusal));
    deps.progress?.step(t`The payment expired unused; nothing was charged`);
    // Another process may have gone on from here already.
    entry = (await deps.journal.byKey(entry.intent.key)) ?? settled.entry;
  }
}

/** @param tookMs what finding out about earlier payments took in this run, if there were any */
function isTimeUp({ settleMs }: PurchaseDeps, tookMs: number | undefined): boolean {
  return settleMs !== undefined && tookMs !== undefined && settleMs - tookMs < LEAST_TO_PAY_MS;
}

/** What is bounded is the time of all payments of a run. */
function within(deps: PurchaseDeps, tookMs = 0): PurchaseDeps {
  return deps.settleMs === undefined ? deps : { ...deps, settleMs: deps.settleMs - tookMs };
}

/** Nothing was charged, in the merchant's words where it said why. */
function unpaid(refusal: Refusal | undefined): Conclusion & { readonly kind: 'unpaid' } {
  if (refusal !== undefined) {
    const reason = t`the merchant refused the payment: ${refusal.message}`;
    return { kind: 'unpaid', reason, code: 'PAYMENT_REFUSED' };
  }
  const reason = t`what was signed expired before the merchant took it, or nothing was signed`;
  return { kind: 'unpaid', reason, code: 'CHALLENGE_EXPIRED' };
}

async function signNext(
  deps: PurchaseDeps,
  entry: Entry,
  signing: { readonly capAtomic: Atomic; readonly watch: KeyWatch },
): Promise<boolean> {
  try {
    return await signAttempt(deps, entry, signing);
  } catch (error) {
    if (error instanceof ScripError && !error.retryable && error.fundsAtRisk === 'none') {
      await closeQuietly(deps, entry, error.code);
    }
    throw error;
  }
}

/** Ends an entry of which nothing can land: it is not continued by itself any more. */
async function close(
  deps: PurchaseDeps,
  entry: Entry,
  conclusion: Conclusion & { readonly kind: 'unpaid' },
): Promise<Outcome> {
  await closeQuietly(deps, entry, conclusion.reason);
  return outcomeOf(entry, conclusion);
}

async function closeQuietly(deps: PurchaseDeps, entry: Entry, reason: Said): Promise<void> {
  try {
    await deps.journal.addFact(entry.intent, { fact: 'closed', reason: String(reason) });
  } catch (error) {
    // Only a listing is the poorer for it; the reason for closing matters more.
    if (!(error instanceof ScripError)) throw error;
  }
}

/** The outcome of a purchase whose goods the journal holds already; nothing is asked of anybody. */
function goodsOf(deps: PurchaseDeps, entry: Entry): Outcome | undefined {
  const goods = factOf(entry, 'goods');
  if (goods === undefined) return undefined;
  if (goods.sealed === '') throw forgotten(entry);
  const order = readOrder(deps.vault.open(goods.sealed));
  if (goods.status === 'failed') return outcomeOf(entry, failed(order));
  return outcomeOf(entry, delivered(entry, order));
}

/** Bought, delivered, and by the user's wish no longer here: nothing is paid for it again. */
function forgotten(entry: Entry): ScripError {
  const orderId = orderIdOf(entry);
  return new ScripError(
    'CODES_FORGOTTEN',
    t`this was bought before, and its codes were forgotten`,
    {
      ...(orderId === undefined
        ? {}
        : { hint: commandText`The merchant may still have them. Run: scrip track ${orderId}` }),
      details: { intent_id: entry.intent.intentId, order_id: orderId ?? null },
    },
  );
}

/**
 * The order as it was sealed into the journal.
 * @throws {ScripError} JOURNAL_UNUSABLE
 */
export function readOrder(plain: string): WireOrderStatus {
  const reading = readOrderStatus(plain);
  if (reading.isValid) return reading.value;
  throw new ScripError('JOURNAL_UNUSABLE', t`The sealed order is not readable: ${reading.problem}`);
}

/** Settles; says on interruption what is at risk and how to go on. */
async function settleOrExplain(
  deps: PurchaseDeps,
  entry: Entry,
  isFresh: boolean,
): Promise<Settled> {
  try {
    return await settlePurchase(deps, entry, { isFresh });
  } catch (error) {
    if (!(error instanceof ScripError) || error.code !== 'INTERRUPTED') throw error;
    throw interruption((await deps.journal.byKey(entry.intent.key)) ?? entry, error);
  }
}

/** What is at risk when the user stops, as far as the journal knows it by then. */
function interruption(entry: Entry, cause: ScripError): ScripError {
  const { intentId } = entry.intent;
  const orderId = orderIdOf(entry);
  if (orderId === undefined) {
    return new ScripError('INTERRUPTED', t`Stopped after the payment was signed`, {
      cause,
      hint: commandText`A payment may be under way. Do not pay again. Run: scrip orders resume ${intentId}`,
      fundsAtRisk: 'possible',
      details: { intent_id: intentId },
    });
  }
  return new ScripError(
    'INTERRUPTED',
    t`Stopped. Paid or being paid; order ${orderId} waits for delivery`,
    {
      cause,
      hint: commandText`Do not pay again. Run: scrip track ${orderId}`,
      fundsAtRisk: factOf(entry, 'landed') === undefined ? 'possible' : 'spent',
      details: { intent_id: intentId, order_id: orderId },
    },
  );
}
