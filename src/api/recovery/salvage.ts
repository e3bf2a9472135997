/** From what is left of an entry to an entry again: only what proves itself, or is harmless if wrong. */

import {
  decodeHeader,
  encodeHeader,
  PAYMENT_IDENTIFIER,
  PAYMENT_IDENTIFIER_OFFER,
  type PaymentRequired,
  type PaymentRequirement,
  paymentPayload as wirePayload,
  X402_VERSION,
} from '../../contract/x402.ts';
import { ScripError } from '../../domain/errors.ts';
import type { Attempt, Entry, Intent, JournalEvent } from '../../domain/journal.ts';
import type { Found, Salvage } from '../../domain/journal-care.ts';
import { paymentPayload } from '../../domain/payment.ts';
import type { OwnPayment, RailInsight } from '../../rails/rail.ts';
import type { Vault } from '../../wallet/vault.ts';
import { readOrderStatus } from '../checkout/order-form.ts';
import { paymentIdOf } from '../payment/payment-tag.ts';

/** An entry on its way back. */
export interface Draft {
  readonly salvage: Salvage;
  /** Its own, or one that stands for what is lost. */
  readonly intent: Intent;
  /** In the order of their numbers, which are given anew. */
  readonly attempts: readonly Attempt[];
  readonly facts: readonly JournalEvent[];
  /** The attempt written last cannot be read: it may have landed, and may still. */
  readonly isAttemptLost: boolean;
  /** Facts about attempts that are lost: they tell which payment was theirs, and what it brought. */
  readonly orphans: readonly JournalEvent[];
}

/** What an unproven record may say: the merchant, the vault or a person finds it out if it is wrong. */
const HARMLESS: ReadonlySet<JournalEvent['fact']> = new Set([
  'created',
  'accepted',
  'named',
  'goods',
]);

/** @param intent its own, or one that stands for what is lost */
export function draftOf(
  salvage: Salvage,
  intent: Intent,
  { vault, ...known }: Known & { readonly vault: Vault },
): Draft {
  const attempts = salvage.attempts
    .flatMap(({ value, isProven }) => (isProven ? value : (asSigned(value, known) ?? [])))
    .toSorted((one, other) => one.number - other.number);
  const last = attempts.at(-1)?.number ?? 0;
  const readable = (found: Found<JournalEvent>): boolean => isUsable(found, vault);
  const numbers = new Map(attempts.map(({ number }, index) => [number, index + 1]));
  const legible = salvage.facts.filter(readable).map(({ value }) => value);
  const facts = [...legible, ...acceptances(legible, vault)];
  return {
    salvage,
    intent,
    attempts: attempts.map((attempt, index) => ({ ...attempt, number: index + 1 })),
    facts: facts.flatMap((fact) => renumbered(fact, numbers)),
    orphans: facts.filter((fact) => 'attempt' in fact && fact.attempt > last),
    isAttemptLost: [
      ...salvage.lostAttempts,
      ...salvage.attempts.map(({ value }) => value.number),
    ].some((number) => number > last),
  };
}

interface Known {
  readonly insight: RailInsight;
  /** Height from which nothing that is signed by now can land any more. */
  readonly horizon: number;
  readonly nowMs: number;
}

/**
 * An attempt that nothing proves, as far as the payer's signature vouches for it. What its record says
 * of amount, recipient and lifetime is not believed; a session that is wrong, the merchant refuses.
 */
function asSigned(attempt: Attempt, { insight, horizon, nowMs }: Known): Attempt | undefined {
  const signed = isWrapped(attempt) ? insight.readSigned(attempt) : undefined;
  if (signed === undefined) return undefined;
  const { asset, amountAtomic, source, destination, blockhash } = signed;
  const isOwner = insight.recipientAccount(attempt.payTo) === destination;
  return {
    ...attempt,
    asset,
    amountAtomic: amountAtomic.toString(),
    payTo: signed.payTo ?? (isOwner ? attempt.payTo : destination),
    blockhash,
    lastValidBlockHeight: horizon,
    // Since when it may have landed nothing tells: it is looked for in the whole history.
    baseline: { sourceAccount: source, signature: null, slot: 0 },
    createdAtMs: Math.min(attempt.createdAtMs, nowMs),
  };
}

/** What would be sent is the transaction that was signed, and nothing else. */
function isWrapped({ header, transaction }: Attempt): boolean {
  if (header === '') return true;
  const sent = wirePayload().safeParse(decodeHeader(header));
  return sent.data?.payload.transaction === transaction;
}

function isUsable({ value, isProven }: Found<JournalEvent>, vault: Vault): boolean {
  if (!isProven && !HARMLESS.has(value.fact)) return false;
  return value.fact !== 'goods' || value.sealed === '' || canOpen(vault, value.sealed);
}

/** The order that goods are of, where the record of its acceptance is lost. */
function acceptances(facts: readonly JournalEvent[], vault: Vault): readonly JournalEvent[] {
  return facts.flatMap((fact): readonly JournalEvent[] => {
    if (fact.fact !== 'goods' || fact.sealed === '') return [];
    const isTold = facts.some((one) => one.fact === 'accepted' && one.attempt === fact.attempt);
    const order = readOrderStatus(vault.open(fact.sealed));
    if (isTold || !order.isValid) return [];
    return [{ fact: 'accepted', attempt: fact.attempt, orderId: order.value.order_id }];
  });
}

function canOpen(vault: Vault, sealed: string): boolean {
  try {
    return vault.open(sealed) !== '';
  } catch (error) {
    if (error instanceof ScripError) return false;
    throw error;
  }
}

/** The draft with these of its attempts, in this order, and with what was found about them. */
export function withAttempts(draft: Draft, attempts: readonly Attempt[]): Draft {
  const numbers = new Map(attempts.map(({ number }, index) => [number, index + 1]));
  return {
    ...draft,
    attempts: attempts.map((attempt, index) => ({ ...attempt, number: index + 1 })),
    facts: draft.facts.flatMap((fact) => renumbered(fact, numbers)),
  };
}

/** Under the attempt's new number; facts about attempts that are lost go with them. */
function renumbered(
  fact: JournalEvent,
  numbers: ReadonlyMap<number, number>,
): readonly JournalEvent[] {
  if (!('attempt' in fact) || fact.attempt === 0) return [fact];
  const attempt = numbers.get(fact.attempt);
  return attempt === undefined ? [] : [{ ...fact, attempt }];
}

/** The entry, with what the chain has finalized of its attempts. */
export function entryOf(
  intent: Intent,
  { attempts, facts }: Pick<Draft, 'attempts' | 'facts'>,
  payments: readonly OwnPayment[],
): Entry {
  const paymentOf = ({ messageHash }: Attempt): OwnPayment | undefined =>
    payments.find(({ signed }) => signed.messageHash === messageHash);
  const landings = attempts.flatMap((attempt): JournalEvent[] => {
    const payment = paymentOf(attempt);
    return payment === undefined ? [] : [landedEvent(attempt.number, payment)];
  });
  const landed = new Set(landings.map((fact) => ('attempt' in fact ? fact.attempt : 0)));
  const others = facts.filter(
    (fact) =>
      !(['landed', 'dead'].includes(fact.fact) && 'attempt' in fact && landed.has(fact.attempt)),
  );
  return {
    intent,
    attempts: attempts.map((attempt) => withOwner(attempt, paymentOf(attempt))),
    facts: [...others, ...landings, ...deaths(attempts, others, landed)],
  };
}

/** Where the bytes told the account alone that was paid. */
function withOwner(attempt: Attempt, payment: OwnPayment | undefined): Attempt {
  const isAccount = payment?.destination === attempt.payTo;
  return isAccount ? { ...attempt, payTo: payment.payTo ?? attempt.payTo } : attempt;
}

function landedEvent(attempt: number, { transactionId, slot }: OwnPayment): JournalEvent {
  return { fact: 'landed', attempt, transaction: transactionId, slot };
}

/** By the rule of writing, an attempt that has a successor was proven dead before. */
function deaths(
  attempts: readonly Attempt[],
  facts: readonly JournalEvent[],
  landed: ReadonlySet<number>,
): readonly JournalEvent[] {
  const isDead = (number: number): boolean =>
    facts.some((fact) => fact.fact === 'dead' && fact.attempt === number);
  return attempts
    .slice(0, -1)
    .filter(({ number }) => !isDead(number) && !landed.has(number))
    .map(({ number }) => ({
      fact: 'dead',
      attempt: number,
      proof:
        'the journal went on to another attempt, which takes a proof that was lost with its record',
    }));
}

/**
 * The attempt that a payment on the chain was made with, but for what only its record knew: without
 * the session it is the buyer's own name for the order that the merchant goes by.
 */
export function attemptOf(
  payment: OwnPayment,
  {
    number,
    network,
    intent,
    vault,
  }: {
    readonly number: number;
    readonly network: string;
    readonly intent: Intent;
    readonly vault: Vault;
  },
): Attempt {
  const { signed, amountAtomic, destination, feePayer, memo } = payment;
  const amount = amountAtomic.toString();
  const payTo = payment.payTo ?? destination;
  const requirement: PaymentRequirement = {
    scheme: 'exact',
    network,
    amount,
    maxAmountRequired: amount,
    asset: payment.asset,
    payTo,
    extra: { feePayer, ...(memo === undefined ? {} : { memo }) },
  };
  const extensions = { [PAYMENT_IDENTIFIER]: PAYMENT_IDENTIFIER_OFFER };
  const required: PaymentRequired = {
    x402Version: X402_VERSION,
    accepts: [requirement],
    extensions,
  };
  const named = { transaction: signed.transaction, paymentId: paymentIdOf(vault, intent) };
  return {
    ...signed,
    number,
    header: encodeHeader(paymentPayload(requirement, required, named)),
    sessionId: null,
    requirement: JSON.stringify(requirement),
    amountAtomic: amount,
    asset: payment.asset,
    payTo,
    createdAtMs: intent.createdAtMs,
  };
}
