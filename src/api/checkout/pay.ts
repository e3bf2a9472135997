/**
 * Buys exactly once: the intent goes to disk first, every signed byte before it is sent, and nothing
 * is signed again without proof that what was signed can never land (docs/inside/payments.md).
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
  eventOf,
  orderIdOf,
} from '../../domain/journal.ts';
import { type Said, t } from '../../domain/message.ts';
import type { Atomic } from '../../domain/money.ts';
import { policyRecord } from '../../domain/policy-file.ts';
import type { Refusal } from '../payment/ask-merchant.ts';
import { openIntent, reopen } from '../payment/intent.ts';
import {
  type Conclusion,
  delivered,
  failed,
  type Outcome,
  outcomeOf,
  type PurchaseOutcome,
} from '../payment/outcome.ts';
import type {
  Ended,
  Learned,
  LivePayment,
  PaymentSide,
  Step,
  Stopped,
} from '../payment/pay-loop.ts';
import { payOnce } from '../payment/pay-loop.ts';
import { type KeyWatch, watchKey } from '../payment/payment-tag.ts';
import { signAttempt } from '../payment/sign-attempt.ts';
import { settlePurchase } from '../payment/x402-transport.ts';
import { readOrderStatus } from './order-form.ts';
import type { PurchaseDeps, PurchaseRequest } from './purchase-deps.ts';

/** With less time left nothing is signed anew: a payment should be heard of before the end. */
const LEAST_TO_PAY_MS = 5_000;

/** Puts the purchase on disk, or finds the one that it continues. @throws what `openIntent` does */
export async function openPurchase(deps: PurchaseDeps, request: PurchaseRequest): Promise<Entry> {
  deps.failPoint?.('purchase-asked');
  const { rail, signer, spending } = deps;
  const opening = { ...deps, network: rail.network, payer: signer.address };
  const entry = await openIntent(opening, request, {
    body: canonicalJson(request.body),
    refusesRecovered: true,
    terms: async () => ({
      policy: policyRecord(spending.policy),
      ...(request.cart === undefined ? {} : { cart: request.cart }),
    }),
  });
  deps.failPoint?.('intent-written');
  return entry;
}

/**
 * Finds out what became of a purchase and finishes it if it was paid. Signs nothing: when nothing
 * that was signed can land any more, the outcome is `unpaid`.
 */
export async function resume(deps: PurchaseDeps, entry: Entry): Promise<PurchaseOutcome> {
  return payFor(deps, await reopen(deps.journal, entry), undefined);
}

/**
 * Pays a purchase that is on disk, and waits for its goods.
 * @param capAtomic the most that may be signed for; undefined where nothing may be signed
 * @throws {ScripError} the reason not to pay, before anything was sent (fundsAtRisk `none`);
 * INTERRUPTED. After the payment was sent, results are outcomes.
 */
export async function payFor(
  deps: PurchaseDeps,
  entry: Entry,
  capAtomic: Atomic | undefined,
): Promise<PurchaseOutcome> {
  const watch = watchKey({ ...deps, vault: async () => deps.vault });
  const outcome = await payOnce(deps, { entry }, checkoutSide(deps, { capAtomic, watch }));
  const isOthers = outcome.signatures > 0 && (await isPaidByAnother(deps, outcome, watch));
  return isOthers ? { ...outcome, signatures: 0 } : outcome;
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
  if (eventOf(entry, 'landed', attempt.number) !== undefined) return false;
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

/** The purchase, and what became of the payments that this run has settled. */
interface Known {
  readonly entry: Entry;
  readonly refusal?: Refusal | undefined;
  /** What finding out about them took, if there were any. */
  readonly tookMs?: number;
}

interface Limits {
  readonly capAtomic: Atomic | undefined;
  readonly watch: KeyWatch;
}

function checkoutSide(deps: PurchaseDeps, limits: Limits): PaymentSide<Known, Outcome> {
  return {
    read: async (known) => ({ ...known, entry: await readAgain(deps, known.entry) }),
    liveOf: ({ entry }) => {
      const attempt = currentAttempt(entry);
      // Of a purchase whose goods are here there is nothing to find out.
      return attempt === undefined || eventOf(entry, 'goods') !== undefined
        ? undefined
        : { entry, attempt };
    },
    settle: (live, known, isFresh) => settleLive(deps, live, { known, isFresh }),
    decide: (known) => decide(deps, known, limits),
    stopped: async ({ entry }) => stopped(await readAgain(deps, entry)),
  };
}

async function readAgain({ journal }: PurchaseDeps, entry: Entry): Promise<Entry> {
  return (await journal.byKey(entry.intent.key)) ?? entry;
}

async function settleLive(
  deps: PurchaseDeps,
  live: LivePayment,
  { known, isFresh }: { readonly known: Known; readonly isFresh: boolean },
): Promise<Ended<Outcome> | Learned<Known>> {
  const settled = await settlePurchase(within(deps, known.tookMs), live, { isFresh });
  const { entry } = settled;
  if (settled.kind === 'concluded') {
    return { kind: 'end', end: outcomeOf(entry, settled.conclusion) };
  }
  const { refusal, isUnwanted, tookMs } = settled;
  if (isUnwanted) return { kind: 'end', end: await close(deps, entry, unpaid(refusal)) };
  deps.progress?.step(t`The payment expired unused; nothing was charged`);
  return { kind: 'learned', known: { entry, refusal, tookMs: (known.tookMs ?? 0) + tookMs } };
}

async function decide(
  deps: PurchaseDeps,
  { entry, refusal, tookMs }: Known,
  { capAtomic, watch }: Limits,
): Promise<Step<Known, Outcome>> {
  const held = goodsOf(deps, entry);
  if (held !== undefined) return { kind: 'end', end: held };
  const giveUp = () => close(deps, entry, unpaid(refusal));
  if (capAtomic === undefined || isTimeUp(deps, tookMs))
    return { kind: 'end', end: await giveUp() };
  return {
    kind: 'sign',
    signNext: async () => ({
      kind: 'signed',
      isOurs: await signNext(deps, entry, { capAtomic, watch }),
    }),
    giveUp,
  };
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
    const reason = t`The merchant refused the payment: ${refusal.message}`;
    return { kind: 'unpaid', reason, code: 'PAYMENT_REFUSED' };
  }
  const reason = t`the signed payment expired before the merchant accepted it, or nothing was signed`;
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

/** The outcome of a purchase whose codes are in the journal already; makes no request. */
function goodsOf(deps: PurchaseDeps, entry: Entry): Outcome | undefined {
  const goods = eventOf(entry, 'goods');
  if (goods === undefined) return undefined;
  if (goods.sealed === '') throw forgotten(entry);
  const order = readOrder(deps.vault.open(goods.sealed));
  if (goods.status === 'failed') return outcomeOf(entry, failed(order));
  return outcomeOf(entry, delivered(entry, order));
}

/** Bought, delivered, and at the user’s request no longer here: nothing is paid for it again. */
function forgotten(entry: Entry): ScripError {
  const orderId = orderIdOf(entry);
  return new ScripError(
    'CODES_FORGOTTEN',
    t`This was already bought, and its codes were removed from this machine`,
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
  throw new ScripError(
    'JOURNAL_UNUSABLE',
    t`The encrypted order is not readable: ${reading.problem}`,
  );
}

/** What is at risk when the user stops, as far as the journal knows it by then. */
function stopped(entry: Entry): Stopped {
  const { intentId } = entry.intent;
  const orderId = orderIdOf(entry);
  if (orderId === undefined) {
    return {
      hint: commandText`A payment may be in progress. Do not pay again. Run: scrip orders resume ${intentId}`,
      details: { intent_id: intentId },
    };
  }
  return {
    message: t`Stopped. Paid or being paid; order ${orderId} waits for delivery`,
    hint: commandText`Do not pay again. Run: scrip track ${orderId}`,
    fundsAtRisk: eventOf(entry, 'landed') === undefined ? 'possible' : 'spent',
    details: { intent_id: intentId, order_id: orderId },
  };
}
