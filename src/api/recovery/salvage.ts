/** Rebuilds an entry from what is left of it: uses only what is proven, or harmless if wrong. */

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
import { attempt } from '../../domain/attempt.ts';
import type { Attempt, Entry, Intent, JournalEvent } from '../../domain/journal/journal.ts';
import type { Found, Salvage } from '../../domain/journal/journal-care.ts';
import { mppPayload } from '../../domain/payment/mpp.ts';
import { paymentPayload } from '../../domain/payment/payment.ts';
import type { Horizon, OwnPayment, PayerRail } from '../../rails/rail.ts';
import type { Vault } from '../../wallet/vault.ts';
import { readOrderStatus } from '../checkout/order-form.ts';
import { paymentIdOf, tagsOf } from '../payment/payment-tag.ts';

/** An entry being rebuilt. */
export interface Draft {
  readonly salvage: Salvage;
  /** The original intent, or a placeholder for a lost one. */
  readonly intent: Intent;
  /** In order of their numbers, renumbered from 1. */
  readonly attempts: readonly Attempt[];
  readonly facts: readonly JournalEvent[];
  /** Of its payments, by which the chain shows which are its own; none without its key. */
  readonly tags: readonly Uint8Array[];
  /** Whether the last attempt cannot be read: it may have landed, or may still. */
  readonly isAttemptLost: boolean;
  /** Events about lost attempts: they show which payment was theirs, and its result. */
  readonly orphans: readonly JournalEvent[];
}

/** Events accepted from an unproven record: if wrong, the merchant, the vault or a person notices. */
const HARMLESS: ReadonlySet<JournalEvent['fact']> = new Set([
  'created',
  'accepted',
  'named',
  'goods',
]);

/** Starts rebuilding an entry. @param intent the original one, or a placeholder for a lost one */
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
  const legible = salvage.facts.filter(readable).map(({ value }) => value);
  const facts = [...legible, ...acceptances(legible, vault)];
  const draft = {
    ...{ salvage, intent, attempts, facts },
    tags: salvage.intent === undefined ? [] : tagsOf(vault, intent),
    orphans: facts.filter((event) => 'attempt' in event && event.attempt > last),
    isAttemptLost: [
      ...salvage.lostAttempts,
      ...salvage.attempts.map(({ value }) => value.number),
    ].some((number) => number > last),
  };
  return withAttempts(draft, attempts);
}

interface Known {
  readonly rail: PayerRail;
  /** From which on nothing signed until now can land. */
  readonly horizon: Horizon;
  readonly nowMs: number;
}

/**
 * Returns an unproven attempt as far as the payer's signature proves it. Ignores the record's amount,
 * recipient and lifetime; the merchant refuses a wrong session.
 */
function asSigned(attempt: Attempt, { rail, horizon, nowMs }: Known): Attempt | undefined {
  const found = isWrapped(attempt, rail) ? horizon.recover(attempt) : undefined;
  if (found === undefined) return undefined;
  const { asset, amountAtomic, destination, payTo, signed } = found;
  const isOwner = rail.recipientAccount(attempt.payTo) === destination;
  return {
    ...attempt,
    ...signed,
    asset,
    amountAtomic: amountAtomic.toString(),
    payTo: payTo ?? (isOwner ? attempt.payTo : destination),
    createdAtMs: Math.min(attempt.createdAtMs, nowMs),
  };
}

/** Whether the header to send holds exactly the signed payment. */
function isWrapped(attempt: Attempt, rail: PayerRail): boolean {
  if (attempt.header === '') return true;
  const sent =
    mppPayload(attempt.header) ??
    wirePayload().safeParse(decodeHeader(attempt.header)).data?.payload;
  return JSON.stringify(sent) === JSON.stringify(rail.payload(attempt));
}

function isUsable({ value, isProven }: Found<JournalEvent>, vault: Vault): boolean {
  if (!isProven && !HARMLESS.has(value.fact)) return false;
  return value.fact !== 'goods' || value.sealed === '' || canOpen(vault, value.sealed);
}

/** Returns the acceptance that delivered goods imply, if its own record is lost. */
function acceptances(events: readonly JournalEvent[], vault: Vault): readonly JournalEvent[] {
  return events.flatMap((event): readonly JournalEvent[] => {
    if (event.fact !== 'goods' || event.sealed === '') return [];
    const isTold = events.some((one) => one.fact === 'accepted' && one.attempt === event.attempt);
    const order = readOrderStatus(vault.open(event.sealed));
    if (isTold || !order.isValid) return [];
    return [{ fact: 'accepted', attempt: event.attempt, orderId: order.value.order_id }];
  });
}

function canOpen(vault: Vault, sealed: string): boolean {
  return attempt(
    () => vault.open(sealed) !== '',
    () => false,
  );
}

/** Returns the draft with only these attempts, renumbered, and the events about them. */
export function withAttempts(draft: Draft, attempts: readonly Attempt[]): Draft {
  const numbers = new Map(attempts.map(({ number }, index) => [number, index + 1]));
  return {
    ...draft,
    attempts: attempts.map((attempt, index) => ({ ...attempt, number: index + 1 })),
    facts: draft.facts.flatMap((event) => renumbered(event, numbers)),
  };
}

/** Gives an event the new number of its attempt; drops it if its attempt was not kept. */
function renumbered(
  event: JournalEvent,
  numbers: ReadonlyMap<number, number>,
): readonly JournalEvent[] {
  if (!('attempt' in event) || event.attempt === 0) return [event];
  const attempt = numbers.get(event.attempt);
  return attempt === undefined ? [] : [{ ...event, attempt }];
}

/** Builds the entry, with what the chain has finalized of its attempts. */
export function entryOf(
  intent: Intent,
  { attempts, facts }: Pick<Draft, 'attempts' | 'facts'>,
  payments: readonly OwnPayment[],
): Entry {
  const paymentOf = ({ messageHash }: Attempt): OwnPayment | undefined =>
    payments.find(({ signed }) => signed.messageHash === messageHash);
  const landings = attempts.flatMap((attempt): JournalEvent[] => {
    const payment = paymentOf(attempt);
    if (payment === undefined) return [];
    const { transactionId: transaction, slot } = payment;
    return [{ fact: 'landed', attempt: attempt.number, transaction, slot }];
  });
  const landed = new Set(landings.map((event) => ('attempt' in event ? event.attempt : 0)));
  const others = facts.filter(
    (event) =>
      !(['landed', 'dead'].includes(event.fact) && 'attempt' in event && landed.has(event.attempt)),
  );
  return {
    intent,
    attempts: attempts.map((attempt) => withOwner(attempt, paymentOf(attempt))),
    facts: [...others, ...landings, ...deaths(attempts, others, landed)],
  };
}

/** Fills in the payee if the attempt's bytes only showed the token account. */
function withOwner(attempt: Attempt, payment: OwnPayment | undefined): Attempt {
  const isAccount = payment?.destination === attempt.payTo;
  return isAccount ? { ...attempt, payTo: payment.payTo ?? attempt.payTo } : attempt;
}

/**
 * Returns proofs of death for all attempts but the last: an attempt is written only after proof that the
 * previous one is dead.
 */
function deaths(
  attempts: readonly Attempt[],
  events: readonly JournalEvent[],
  landed: ReadonlySet<number>,
): readonly JournalEvent[] {
  const isDead = (number: number): boolean =>
    events.some((event) => event.fact === 'dead' && event.attempt === number);
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
 * Builds the attempt that made a payment on the chain, without what only its record knew. Without the
 * session, the merchant finds the order by the payment id.
 */
export function attemptOf(
  { rail, vault }: { readonly rail: PayerRail; readonly vault: Vault },
  payment: OwnPayment,
  intent: Intent,
  number: number,
): Attempt {
  const { signed, amountAtomic, destination, extra } = payment;
  const amount = amountAtomic.toString();
  const payTo = payment.payTo ?? destination;
  const requirement: PaymentRequirement = {
    scheme: 'exact',
    network: payment.network ?? rail.network,
    amount,
    maxAmountRequired: amount,
    asset: payment.asset,
    payTo,
    extra,
  };
  const extensions = { [PAYMENT_IDENTIFIER]: PAYMENT_IDENTIFIER_OFFER };
  const required: PaymentRequired = {
    x402Version: X402_VERSION,
    accepts: [requirement],
    extensions,
  };
  const named = { payload: rail.payload(signed), paymentId: paymentIdOf(vault, intent) };
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
    ...(requirement.network === intent.network ? {} : { network: requirement.network }),
  };
}
