/**
 * What a wallet has spent, is spending and has reserved. It counts the signed payments in the journal and,
 * for real money, everything that left the wallet on the chain; a reservation stands in for a payment between
 * the decision to sign and the journal record.
 */

import {
  type Attempt,
  currentAttempt,
  type Entry,
  eventOf,
  isDead,
  isFinished,
} from '../journal/journal.ts';
import { type Atomic, atomic, parseAtomic } from '../money/money.ts';
import { DAY_MS, type SpendHistory, type Spent } from './spending.ts';

/** Identifies a process, so that another process can tell whether it has ended. */
export interface ProcessMark {
  readonly pid: number;
  /** Start time as the system counts it; empty if the system does not report it. */
  readonly started: string;
  /** Boot of the machine and PID namespace within which process ids are unique. */
  readonly space: string;
}

/** Identifies one payment: an attempt of a purchase, already written or not. */
export interface Slot {
  readonly intentId: string;
  readonly attempt: number;
}

/** Attempt number of the reservation that locks a cart; real attempts count from 1. */
export const CART_ATTEMPT = 0;

export interface Reservation extends Slot {
  /** Its number in the log, from 1. */
  readonly number: number;
  readonly merchant: string;
  /** In atomic units of USDC. */
  readonly amountAtomic: string;
  readonly atMs: number;
  readonly owner: ProcessMark;
}

/** Reservations of one wallet, shared between processes; a write is on disk when its promise resolves. */
export interface SpendLog {
  /**
   * Returns the latest number in use, and the reservations that may still become a payment: not released, and
   * their process not known to have ended. Read the journal after this, never before, so that the records of
   * an ended process are seen.
   * @param sinceMs reservations up to this instant may be omitted
   * @throws {ScripError} JOURNAL_UNUSABLE
   */
  read(sinceMs?: number): Promise<{ readonly last: number; readonly held: readonly Reservation[] }>;
  /** Compare-and-swap on the number: returns false when it is taken. @throws {ScripError} JOURNAL_UNUSABLE */
  reserve(reservation: Omit<Reservation, 'owner'>): Promise<boolean>;
  /**
   * Releases a reservation of this process that will not become a payment.
   * @throws {ScripError} JOURNAL_UNUSABLE
   */
  release(number: number): Promise<void>;
}

/** A transaction of the wallet in the last 24 hours, found on the chain. */
export interface Outflow {
  readonly transactionId: string;
  /** All its signatures. */
  readonly signatures: readonly string[];
  /** USDC that left the wallet; undefined when not computed because the journal knows it. */
  readonly amountAtomic: Atomic | undefined;
  /** By the chain's clock. */
  readonly atMs: number;
}

interface Account {
  readonly entries: readonly Entry[];
  readonly held: readonly Reservation[];
  /** Empty if the chain was not read. */
  readonly outflows?: readonly Outflow[];
  /** Outflows already deducted from the balance, if the chain was read only to find those. */
  readonly settled?: readonly Outflow[];
  readonly nowMs: number;
  readonly own?: Slot | undefined;
}

/**
 * Returns what counts against the limits. A payment that both journal and chain know counts once.
 * @param own the payment being decided; its own reservation and attempt do not count
 */
export function historyOf(account: Account): SpendHistory {
  const { entries, held, outflows = [], settled = outflows, nowMs, own } = account;
  const known = entries.flatMap((entry) => paymentsOf(entry, outflows));
  const paid = known.filter((payment) => own === undefined || !isSameSlot(own, payment));
  const waiting = [...largestPerSlot(held).values()].filter(
    (reservation) =>
      reservation.attempt !== CART_ATTEMPT &&
      // A payment signed on an older reservation can no longer land.
      reservation.atMs > nowMs - DAY_MS &&
      !paid.some((payment) => isSameSlot(payment, reservation)) &&
      !(own !== undefined && isSameSlot(own, reservation)),
  );
  const open = entries.filter((entry) => isOpen(entry) && entry.intent.intentId !== own?.intentId);
  const spent: readonly Spent[] = [
    ...paid.filter(({ isOver }) => !isOver),
    ...strangers(outflows, known),
    ...waiting.map(({ merchant, amountAtomic, atMs }) => ({
      merchant,
      amountAtomic: parseAtomic(amountAtomic),
      atMs,
    })),
  ];
  const pending = [
    ...open.flatMap((entry) => pendingOf(entry, settled)),
    ...waiting.map(({ amountAtomic }) => parseAtomic(amountAtomic)),
  ];
  return {
    spent,
    openIntents: open.length + waiting.length,
    pendingAtomic: atomic(pending.reduce((sum, amount) => sum + amount, 0n)),
  };
}

interface Payment extends Slot, Spent {
  /** Proven unable to land, so it costs nothing. */
  readonly isOver: boolean;
  /** The wallet's own signature, by which the chain lists it. */
  readonly signature: string;
}

function paymentsOf(entry: Entry, outflows: readonly Outflow[]): readonly Payment[] {
  const { intentId, host: merchant } = entry.intent;
  return entry.attempts.map((attempt) => {
    const { number, signature, createdAtMs } = attempt;
    const landed = eventOf(entry, 'landed', number)?.transaction;
    const onChain = outflows.find(
      ({ transactionId, signatures }) => transactionId === landed || signatures.includes(signature),
    );
    return {
      intentId,
      attempt: number,
      merchant,
      amountAtomic: amountOf(entry, attempt),
      atMs: Math.max(createdAtMs, onChain?.atMs ?? createdAtMs),
      isOver: isDead(entry, attempt),
      signature,
    };
  });
}

/** What a payment may still take from the wallet: nothing once it is on the chain. */
function pendingOf(entry: Entry, settled: readonly Outflow[]): readonly Atomic[] {
  const attempt = currentAttempt(entry);
  const isTaken = settled.some(({ signatures }) => signatures.includes(attempt?.signature ?? ''));
  return attempt === undefined || isTaken ? [] : [amountOf(entry, attempt)];
}

/** Outflows that belong to no payment in the journal. */
function strangers(outflows: readonly Outflow[], known: readonly Payment[]): readonly Spent[] {
  const own = new Set(known.filter(({ isOver }) => !isOver).map(({ signature }) => signature));
  return outflows.flatMap(({ signatures, amountAtomic, atMs }) =>
    amountAtomic === undefined || signatures.some((signature) => own.has(signature))
      ? []
      : [{ merchant: undefined, amountAtomic, atMs }],
  );
}

/** Returns the transactions whose amounts the journal knows. */
export function knownTransactions(entries: readonly Entry[]): ReadonlySet<string> {
  return new Set(
    entries.flatMap(({ facts }) =>
      facts.flatMap((event) => (event.fact === 'landed' ? [event.transaction] : [])),
    ),
  );
}

/**
 * Tolerance for a wrong local clock: don't expect transactions dated this soon after `sinceMs`, or further
 * than this in the future.
 */
const CLOCK_SLACK_MS = 10 * 60 * 1_000;

/**
 * Returns the transactions that a node must list for the wallet, because the journal saw them land. Leaves
 * out those dated in the future: a wrong clock dated them, so their real time is unknown.
 */
export function expectedTransactions(
  entries: readonly Entry[],
  network: string,
  { sinceMs, nowMs }: { readonly sinceMs: number | undefined; readonly nowMs: number },
): ReadonlySet<string> {
  const fromMs = sinceMs === undefined ? undefined : sinceMs + CLOCK_SLACK_MS;
  return new Set(
    entries.flatMap((entry) =>
      entry.attempts.flatMap(({ number, createdAtMs, network: own = entry.intent.network }) => {
        const isYoung = fromMs === undefined || createdAtMs > fromMs;
        const isPast = sinceMs === undefined || createdAtMs <= nowMs + CLOCK_SLACK_MS;
        const landed = eventOf(entry, 'landed', number)?.transaction;
        return landed === undefined || own !== network || !isYoung || !isPast ? [] : [landed];
      }),
    ),
  );
}

/** The amount in USDC. Other coins are paid only with test money, and do not count. */
function amountOf({ intent }: Entry, { amountAtomic }: Attempt): Atomic {
  const isUsdc = intent.partner === undefined || intent.partner.coin === 'USDC';
  return parseAtomic(isUsdc ? amountAtomic : '0');
}

/** Whether a signed payment is neither final nor proven dead, as far as the journal knows. */
function isOpen(entry: Entry): boolean {
  const attempt = currentAttempt(entry);
  if (attempt === undefined || isFinished(entry)) return false;
  return (
    eventOf(entry, 'landed', attempt.number) === undefined &&
    eventOf(entry, 'attention') === undefined
  );
}

/**
 * Keeps the largest reservation per payment: of two processes with the same key, only one can write the
 * payment.
 */
function largestPerSlot(held: readonly Reservation[]): ReadonlyMap<string, Reservation> {
  const largest = new Map<string, Reservation>();
  for (const reservation of held) {
    const slot = `${reservation.attempt} ${reservation.intentId}`;
    const known = largest.get(slot);
    const isLarger =
      known === undefined ||
      parseAtomic(known.amountAtomic) < parseAtomic(reservation.amountAtomic);
    if (isLarger) largest.set(slot, reservation);
  }
  return largest;
}

function isSameSlot(one: Slot, other: Slot): boolean {
  return one.intentId === other.intentId && one.attempt === other.attempt;
}
