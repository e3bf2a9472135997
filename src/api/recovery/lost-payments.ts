/** Finds the purchases that payments on the chain belong to when the records of the payments are lost. */

import type { Attempt, Intent, JournalEvent } from '../../domain/journal.ts';
import { t } from '../../domain/message.ts';
import { parseAtomic } from '../../domain/money.ts';
import type { OwnPayment, PayerRail } from '../../rails/rail.ts';
import { submit } from '../checkout/checkout.ts';
import type { PurchaseDeps } from '../checkout/purchase-deps.ts';
import { createdOrder } from '../partner/partner-journal.ts';
import { attemptOf, type Draft } from './salvage.ts';

export interface MatchDeps
  extends Pick<PurchaseDeps, 'fetch' | 'checkoutUrl' | 'host' | 'vault' | 'clock' | 'signal'> {
  readonly rail: PayerRail;
}

export interface Matched {
  readonly drafts: readonly Draft[];
  /** Payments that belong to none of them. */
  readonly left: readonly OwnPayment[];
}

/**
 * Assigns a payment to each purchase whose last attempt is lost: the one that its own records name, or that
 * the merchant accepts for its order; otherwise one of the remaining that fit.
 * @throws {ScripError} INTERRUPTED
 */
export async function matchPayments(
  deps: MatchDeps,
  drafts: readonly Draft[],
  payments: readonly OwnPayment[],
): Promise<Matched> {
  let matched: Matched = { drafts: [], left: payments };
  for (const draft of drafts)
    matched = take(matched, draft, await proven(deps, draft, matched.left));
  const sure = matched;
  matched = { drafts: [], left: sure.left };
  for (const draft of sure.drafts)
    matched = take(matched, draft, fitting(deps, draft, matched.left));
  return matched;
}

interface Owned {
  readonly draft: Draft;
  readonly payment: OwnPayment;
}

function take({ drafts, left }: Matched, draft: Draft, owned: Owned | undefined): Matched {
  return {
    drafts: [...drafts, owned?.draft ?? draft],
    left: left.filter((payment) => payment !== owned?.payment),
  };
}

async function proven(
  deps: MatchDeps,
  draft: Draft,
  payments: readonly OwnPayment[],
): Promise<Owned | undefined> {
  if (!draft.isAttemptLost) return undefined;
  const told = draft.orphans.flatMap((event) =>
    'transaction' in event ? [event.transaction] : [],
  );
  const named = payments.find(({ transactionId }) => told.includes(transactionId));
  const candidates = named === undefined ? payments.filter((one) => fits(draft, one)) : [named];
  for (const payment of candidates) {
    // Ask even if a record names an order: with the attempt lost, nothing proves that record.
    const { rail, vault } = deps;
    const { intent } = draft;
    const attempt = attemptOf(payment, { number: 1, rail, intent, vault });
    const orderId = await orderFor(deps, intent, { payment, attempt });
    if (orderId !== undefined) return withPayment(deps, draft, { payment, orderId });
  }
  return named && withPayment(deps, draft, { payment: named });
}

/**
 * Assigns a remaining payment that fits, so that the key pays for nothing again. If several fit, a person has
 * to find out which one it was.
 */
function fitting(
  deps: MatchDeps,
  draft: Draft,
  payments: readonly OwnPayment[],
): Owned | undefined {
  if (!draft.isAttemptLost) return undefined;
  const [payment, ...more] = payments.filter((one) => fits(draft, one));
  if (payment === undefined) return undefined;
  const owned = withPayment(deps, draft, { payment });
  return more.length === 0 ? owned : { payment, draft: withDoubt(owned.draft, more) };
}

function withDoubt(draft: Draft, more: readonly OwnPayment[]): Draft {
  const others = more.map(({ transactionId }) => transactionId).join(', ');
  const reason = t`its record is lost, and several payments could belong to it; the others: ${others}`;
  return { ...draft, facts: [...draft.facts, { fact: 'attention', reason: String(reason) }] };
}

/**
 * Whether the payment may belong to the purchase: by address for a partner API order; otherwise by amount,
 * and paid through a facilitator.
 */
function fits({ intent, facts, salvage }: Draft, payment: OwnPayment): boolean {
  if (salvage.intent === undefined) return false;
  const { amountAtomic, isDirect, payTo } = payment;
  if (intent.partner !== undefined) {
    const order = createdOrder({ intent, attempts: [], facts });
    return isDirect && payTo !== null && order?.wallet_address === payTo;
  }
  return !isDirect && amountAtomic <= parseAtomic(intent.capAtomic);
}

/**
 * Replaces an order id that only an unproven record names by the merchant's, because a wrong one would be
 * asked for forever. Keeps the record's if the merchant does not answer.
 */
export async function confirmOrder(
  deps: MatchDeps,
  draft: Draft,
  payments: readonly OwnPayment[],
): Promise<Draft> {
  const attempt = draft.attempts.at(-1);
  const payment = payments.find(({ signed }) => signed.messageHash === attempt?.messageHash);
  const isOwn = (event: JournalEvent): boolean =>
    event.fact === 'accepted' &&
    event.attempt === attempt?.number &&
    isHearsay(draft, event.orderId);
  if (attempt === undefined || payment === undefined || !draft.facts.some(isOwn)) return draft;
  const orderId = await orderFor(deps, draft.intent, { payment, attempt });
  if (orderId === undefined) return draft;
  return {
    ...draft,
    facts: draft.facts.map((event) => (isOwn(event) ? { ...event, orderId } : event)),
  };
}

function isHearsay({ salvage }: Draft, orderId: string): boolean {
  return salvage.facts.some(
    ({ value, isProven }) => !isProven && value.fact === 'accepted' && value.orderId === orderId,
  );
}

/**
 * Asks the merchant for the order of a landed payment, by sending the payment again: that cannot pay twice,
 * and returns the order if the payment is for it.
 */
async function orderFor(
  { fetch, checkoutUrl: baseUrl, host, clock, signal }: MatchDeps,
  intent: Intent,
  { payment, attempt }: { readonly payment: OwnPayment; readonly attempt: Attempt },
): Promise<string | undefined> {
  if (intent.host !== host || intent.partner !== undefined || intent.body === '') return undefined;
  const call = { fetch, baseUrl, body: intent.body, clock, signal };
  const submission = await submit(call, attempt);
  if (submission.kind !== 'accepted') return undefined;
  // A merchant that finds the order by the payment id returns the transaction that paid for it.
  const { receipt, transaction = payment.transactionId } = submission;
  return transaction === payment.transactionId ? receipt.order_id : undefined;
}

function withPayment(
  { rail, vault }: MatchDeps,
  draft: Draft,
  { payment, orderId }: { readonly payment: OwnPayment; readonly orderId?: string },
): Owned {
  const { intent, orphans } = draft;
  const number = draft.attempts.length + 1;
  const attempt = attemptOf(payment, { number, rail, intent, vault });
  const { transactionId: transaction } = payment;
  const accepted: readonly JournalEvent[] =
    orderId === undefined ? [] : [{ fact: 'accepted', attempt: number, orderId, transaction }];
  // Events about the lost record are about this payment; don't repeat `accepted`.
  const found = orphans
    .map((event) => ({ ...event, attempt: number }))
    .filter(({ fact }) => fact !== 'dead' && (fact !== 'accepted' || accepted.length === 0));
  const attempts = [...draft.attempts, attempt];
  const events = [...draft.facts, ...accepted, ...found];
  return {
    payment,
    draft: { ...draft, attempts, facts: events, isAttemptLost: false, orphans: [] },
  };
}
