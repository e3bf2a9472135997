/**
 * Buys exactly once: the intent is on disk first, and every signed byte before it is sent. Nothing is signed
 * again without proof that the earlier payment can never land (docs/inside/payments.md).
 */

import type { WireOrderStatus } from '../../contract/checkout.ts';
import {
  decodeHeader,
  extensionIn,
  PAYMENT_IDENTIFIER,
  paymentPayload,
} from '../../contract/x402.ts';
import { expected } from '../../domain/attempt.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import {
  type Attempt,
  currentAttempt,
  type Entry,
  eventOf,
  lastAttempt,
  orderIdOf,
} from '../../domain/journal/journal.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Said, t } from '../../domain/message/message.ts';
import type { Atomic } from '../../domain/money/money.ts';
import { policyRecord } from '../../domain/policy/policy-file.ts';
import type { PayerRail } from '../../rails/rail.ts';
import { openIntent, reopen } from '../payment/intent.ts';
import {
  type Conclusion,
  delivered,
  failed,
  type Outcome,
  outcomeOf,
  type PurchaseOutcome,
} from '../payment/outcome.ts';
import {
  type Ended,
  type Learned,
  type LivePayment,
  type PaymentSide,
  payOnce,
  type Step,
  type Stopped,
} from '../payment/pay-loop.ts';
import { type KeyWatch, watchKey } from '../payment/payment-tag.ts';
import { signAttempt } from '../payment/sign-attempt.ts';
import { paidElsewhereText, type Refusal, settlePurchase } from '../payment/x402-transport.ts';
import { readOrderStatus } from './order-form.ts';
import type { PurchaseDeps, PurchaseRequest } from './purchase-deps.ts';

/** With less time left, sign no new payment: its outcome could not be known in time. */
const LEAST_TO_PAY_MS = 5_000;
/** How often the chain is asked who paid for an order that is here, and how far apart. */
const LOOKS = 3;
const LOOK_EVERY_MS = 1_000;

/** Journals the purchase, or finds the one that it continues. @throws what `openIntent` does */
export async function openPurchase(deps: PurchaseDeps, request: PurchaseRequest): Promise<Entry> {
  deps.failPoint?.('purchase-asked');
  const { rail, wallet, spending } = deps;
  const opening = { ...deps, network: rail.network, payer: wallet };
  const entry = await openIntent(opening, request, {
    body: canonicalJson(request.body),
    refusesRecovered: true,
    terms: async () => ({ policy: policyRecord(spending.policy), cart: request.cart }),
  });
  deps.failPoint?.('intent-written');
  return entry;
}

/**
 * Finds the outcome of a purchase, and finishes it if it was paid. Signs nothing: when no signed payment can
 * land any more, the outcome is `unpaid`.
 */
export async function resume(deps: PurchaseDeps, entry: Entry): Promise<PurchaseOutcome> {
  return payFor(deps, await reopen(deps.journal, entry), undefined);
}

/**
 * Pays a journaled purchase, and waits for its goods.
 * @param capAtomic the maximum to sign for; undefined to sign nothing
 * @throws {ScripError} the reason not to pay, before anything was sent (fundsAtRisk `none`); INTERRUPTED.
 * After the payment was sent, results are outcomes.
 */
export async function payFor(
  deps: PurchaseDeps,
  entry: Entry,
  capAtomic: Atomic | undefined,
): Promise<PurchaseOutcome> {
  const watch = watchKey({ ...deps, vault: async () => deps.vault });
  const outcome = await payOnce(deps, { entry }, checkoutSide(deps, { capAtomic, watch }));
  if (outcome.kind === 'attention') return attentionOf(deps, outcome, watch);
  const isOthers = outcome.signatures > 0 && (await isPaidByAnother(deps, outcome, watch));
  return isOthers ? { ...outcome, signatures: 0 } : outcome;
}

type Attention = Extract<PurchaseOutcome, { readonly kind: 'attention' }>;

/** On a chain that takes a mark once, the payment that is there may be another machine's, which has the goods. */
async function attentionOf(
  { journal }: PurchaseDeps,
  outcome: Attention,
  watch: KeyWatch,
): Promise<Attention> {
  const { intent, code, reason } = outcome;
  const entry = await journal.byKey(intent.key);
  const last = entry && lastAttempt(entry);
  if (code !== 'ATTENTION_NEEDED' || last === undefined) return outcome;
  const isOvertaken = await watch
    .wasOvertaken(intent, last.messageHash)
    .catch(expected(() => undefined));
  return isOvertaken === true
    ? { ...outcome, signatures: 0, code: 'PAID_ELSEWHERE', reason: paidElsewhereText(reason) }
    : outcome;
}

/**
 * Whether another machine with this key paid for the host's order. A host that received the payment id
 * accepts one payment for it, so the payment signed here is never used.
 */
async function isPaidByAnother(
  { journal, clock }: PurchaseDeps,
  { kind, intent }: Outcome,
  watch: KeyWatch,
): Promise<boolean> {
  if (!['delivered', 'pending', 'failed'].includes(kind)) return false;
  const entry = await journal.byKey(intent.key);
  const last = entry && lastAttempt(entry);
  if (entry === undefined || last === undefined || !isNameTold(last)) return false;
  // The order is here, and what was signed for it can never land.
  if (currentAttempt(entry) === undefined) return true;
  if (eventOf(entry, 'landed', last.number) !== undefined) return false;
  for (let tried = 1; ; tried += 1) {
    // The goods have arrived: an error of the chain is no reason not to tell so.
    const isOvertaken = await watch
      .wasOvertaken(intent, last.messageHash)
      .catch(expected(() => undefined));
    // A node may be behind the one that the merchant asked. Otherwise a later run can find out who paid.
    if (isOvertaken !== undefined || tried === LOOKS) return isOvertaken === true;
    await clock.sleep(LOOK_EVERY_MS);
  }
}

function isNameTold({ header }: Attempt): boolean {
  const sent = paymentPayload().safeParse(decodeHeader(header));
  return extensionIn(sent.data?.extensions, PAYMENT_IDENTIFIER) !== undefined;
}

/** The purchase, and the results of payments settled in this run. */
interface Known {
  readonly entry: Entry;
  readonly refusal?: Refusal | undefined;
  /** Time spent settling them, if there were any. */
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
      // With the goods here, there is nothing left to settle.
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
  const rail = await railOf(deps, live.attempt);
  const settled = await settlePurchase({ ...within(deps, known.tookMs), rail }, live, { isFresh });
  const { entry } = settled;
  if (settled.kind === 'concluded') {
    return { kind: 'end', end: outcomeOf(entry, settled.conclusion) };
  }
  const { refusal, isUnwanted, tookMs } = settled;
  if (isUnwanted) return { kind: 'end', end: await close(deps, entry, unpaid(refusal)) };
  deps.progress?.step(t`The payment expired unused; nothing was charged`);
  const learned = { entry, refusal, tookMs: (known.tookMs ?? 0) + tookMs };
  return { kind: 'learned', known: learned, isDead: true };
}

/** The rail of a payment: another machine may have paid on another network. */
async function railOf({ rail, others }: PurchaseDeps, { network }: Attempt): Promise<PayerRail> {
  if (network === undefined) return rail;
  return (await others()).find((one) => one.rail.network === network)?.rail ?? rail;
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

/** @param tookMs time spent settling earlier payments in this run, if there were any */
function isTimeUp({ settleMs }: PurchaseDeps, tookMs: number | undefined): boolean {
  return settleMs !== undefined && tookMs !== undefined && settleMs - tookMs < LEAST_TO_PAY_MS;
}

/** Deducts the time already used: `settleMs` covers all payments of a run. */
function within(deps: PurchaseDeps, tookMs = 0): PurchaseDeps {
  return deps.settleMs === undefined ? deps : { ...deps, settleMs: deps.settleMs - tookMs };
}

/** Returns that nothing was charged, with the merchant's reason if it gave one. */
function unpaid(refusal: Refusal | undefined): Conclusion & { readonly kind: 'unpaid' } {
  if (refusal !== undefined) {
    const reason = t`The merchant refused the payment: ${refusal.message}`;
    return { kind: 'unpaid', reason, code: 'PAYMENT_REFUSED' };
  }
  const reason = t`the signed payment expired before the merchant accepted it, or nothing was signed`;
  return { kind: 'unpaid', reason, code: 'CHALLENGE_EXPIRED' };
}

function signNext(
  deps: PurchaseDeps,
  entry: Entry,
  signing: { readonly capAtomic: Atomic; readonly watch: KeyWatch },
): Promise<boolean> {
  return signAttempt(deps, entry, signing).catch(
    expected(async (error) => {
      const isFinal = !error.retryable && error.fundsAtRisk === 'none';
      if (isFinal) await closeQuietly(deps, entry, error.code);
      throw error;
    }),
  );
}

/** Closes an entry with no payment that can land: it is no longer resumed automatically. */
async function close(
  deps: PurchaseDeps,
  entry: Entry,
  conclusion: Conclusion & { readonly kind: 'unpaid' },
): Promise<Outcome> {
  await closeQuietly(deps, entry, conclusion.reason);
  return outcomeOf(entry, conclusion);
}

/** Failing to close only affects listings; the caller's reason matters more. */
function closeQuietly({ journal }: PurchaseDeps, { intent }: Entry, reason: Said): Promise<void> {
  const closed = { fact: 'closed', reason: String(reason) } as const;
  return journal.addFact(intent, closed).catch(expected(() => undefined));
}

/** Returns the outcome of a purchase whose codes are already in the journal; sends no request. */
function goodsOf(deps: PurchaseDeps, entry: Entry): Outcome | undefined {
  const goods = eventOf(entry, 'goods');
  if (goods === undefined) return undefined;
  if (goods.sealed === '') throw forgotten(entry);
  const order = readOrder(deps.vault.open(goods.sealed));
  if (goods.status === 'failed') return outcomeOf(entry, failed(order));
  return outcomeOf(entry, delivered(entry, order));
}

/** Returns the error for a purchase whose codes the user had removed; it is not paid for again. */
function forgotten(entry: Entry): ScripError {
  const orderId = orderIdOf(entry);
  return new ScripError(
    'CODES_FORGOTTEN',
    t`This was already bought, and its codes were removed from this machine`,
    {
      hint:
        orderId === undefined
          ? undefined
          : commandText`The merchant may still have them. Run: scrip track ${orderId}`,
      details: { intent_id: entry.intent.intentId, order_id: orderId ?? null },
    },
  );
}

/**
 * Parses the order that was encrypted in the journal.
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

/** Describes what is at risk when the user stops, as far as the journal knows. */
function stopped(entry: Entry): Stopped {
  const { intentId } = entry.intent;
  const orderId = orderIdOf(entry);
  if (orderId === undefined) {
    return {
      hint: commandText`A payment may be in progress. Do not pay again. Run: scrip orders resume ${intentId}`,
      details: { intent_id: intentId },
    };
  }
  const isPaid = eventOf(entry, 'landed') !== undefined;
  return {
    message: isPaid
      ? t`Stopped. Paid; order ${orderId} waits for delivery`
      : t`Stopped. The payment was sent; order ${orderId} waits for delivery`,
    hint: commandText`Do not pay again. Run: scrip track ${orderId}`,
    fundsAtRisk: isPaid ? 'spent' : 'possible',
    details: { intent_id: intentId, order_id: orderId },
  };
}
