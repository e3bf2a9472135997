/**
 * What a wallet has spent, is spending and holds ready to spend. The signed payments in the journal and,
 * of real money, all that left the wallet on the chain are the account; a reservation stands in for a
 * payment between the decision and its record.
 */
import {
  type Attempt,
  currentAttempt,
  type Entry,
  eventOf,
  isDead,
  isFinished,
} from './journal.ts';
import { type Atomic, atomic, parseAtomic } from './money.ts';
import { DAY_MS, type SpendHistory, type Spent } from './spending.ts';

/** A process, such that another one can tell whether it is gone. */
export interface ProcessMark {
  readonly pid: number;
  /** When it started, by the system's own count; empty where the system does not tell. */
  readonly started: string;
  /** The machine's boot and the space in which its process ids hold. */
  readonly space: string;
}

/** The place of one payment: an attempt of a purchase, written or not. */
export interface Slot {
  readonly intentId: string;
  readonly attempt: number;
}

/** Attempts are counted from 1: a reservation of this one holds a whole cart, and is no payment. */
export const CART_ATTEMPT = 0;

export interface Reservation extends Slot {
  /** Its place in the chain, from 1. */
  readonly number: number;
  readonly merchant: string;
  /** In atomic units of USDC. */
  readonly amountAtomic: string;
  readonly atMs: number;
  readonly owner: ProcessMark;
}

/** Reservations of one wallet, across processes; every write is on disk when its promise resolves. */
export interface SpendLog {
  /**
   * The newest place that is taken, and the reservations that may still become a payment: not given
   * back, and their process not known to be gone. Read the journal after this, never before: what a
   * process that is gone has written is then seen.
   * @param sinceMs what was reserved up to this instant may be left out
   * @throws {ScripError} JOURNAL_UNUSABLE
   */
  read(sinceMs?: number): Promise<{ readonly last: number; readonly held: readonly Reservation[] }>;
  /** Compare-and-swap on the number: false when the place was taken. @throws {ScripError} JOURNAL_UNUSABLE */
  reserve(reservation: Omit<Reservation, 'owner'>): Promise<boolean>;
  /** Gives one of this process back: it will not become a payment. @throws {ScripError} JOURNAL_UNUSABLE */
  release(number: number): Promise<void>;
}

/** A transaction of the last 24 hours that the chain has of the wallet. */
export interface Outflow {
  readonly transactionId: string;
  /** Every signature that it carries. */
  readonly signatures: readonly string[];
  /** USDC that left the wallet by it; undefined where the journal was said to know. */
  readonly amountAtomic: Atomic | undefined;
  /** By the chain. */
  readonly atMs: number;
}

interface Account {
  readonly entries: readonly Entry[];
  readonly held: readonly Reservation[];
  /** Empty where the chain was not asked. */
  readonly outflows?: readonly Outflow[];
  /** What the wallet no longer holds, where the chain was asked for that alone. */
  readonly settled?: readonly Outflow[];
  readonly nowMs: number;
  readonly own?: Slot | undefined;
}

/**
 * What counts against the limits. A payment that journal and chain both know counts once.
 * @param own the payment that is decided on: what is held for itself does not count
 */
export function historyOf(account: Account): SpendHistory {
  const { entries, held, outflows = [], settled = outflows, nowMs, own } = account;
  const known = entries.flatMap((entry) => paymentsOf(entry, outflows));
  const paid = known.filter((payment) => own === undefined || !isSameSlot(own, payment));
  const waiting = [...largestPerSlot(held).values()].filter(
    (reservation) =>
      reservation.attempt !== CART_ATTEMPT &&
      // What would be signed on it by now could not land any more.
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
  /** Proven unable to land: it costs nothing. */
  readonly isOver: boolean;
  /** The wallet's own, by which the chain has it. */
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

/** What a payment may still take out of the wallet: nothing, once the chain has it. */
function pendingOf(entry: Entry, settled: readonly Outflow[]): readonly Atomic[] {
  const attempt = currentAttempt(entry);
  const isTaken = settled.some(({ signatures }) => signatures.includes(attempt?.signature ?? ''));
  return attempt === undefined || isTaken ? [] : [amountOf(entry, attempt)];
}

/** What left the wallet by no payment that the journal counts. */
function strangers(outflows: readonly Outflow[], known: readonly Payment[]): readonly Spent[] {
  const own = new Set(known.filter(({ isOver }) => !isOver).map(({ signature }) => signature));
  return outflows.flatMap(({ signatures, amountAtomic, atMs }) =>
    amountAtomic === undefined || signatures.some((signature) => own.has(signature))
      ? []
      : [{ merchant: undefined, amountAtomic, atMs }],
  );
}

/** Transactions of which the journal knows what they paid. */
export function knownTransactions(entries: readonly Entry[]): ReadonlySet<string> {
  return new Set(
    entries.flatMap(({ facts }) =>
      facts.flatMap((fact) => (fact.fact === 'landed' ? [fact.transaction] : [])),
    ),
  );
}

/** By so much a clock may be off before what is dated by it is not looked for on the chain. */
const CLOCK_SLACK_MS = 10 * 60 * 1_000;

/**
 * Transactions of an account that a node has to list, since the journal has seen them land. One that is dated later
 * than now was dated by a wrong clock: when it took place is not known.
 */
export function expectedTransactions(
  entries: readonly Entry[],
  { sinceMs, nowMs }: { readonly sinceMs: number | undefined; readonly nowMs: number },
): ReadonlySet<string> {
  const fromMs = sinceMs === undefined ? undefined : sinceMs + CLOCK_SLACK_MS;
  return new Set(
    entries.flatMap((entry) =>
      entry.attempts.flatMap(({ number, createdAtMs }) => {
        const isYoung = fromMs === undefined || createdAtMs > fromMs;
        const isPast = sinceMs === undefined || createdAtMs <= nowMs + CLOCK_SLACK_MS;
        const landed = eventOf(entry, 'landed', number)?.transaction;
        return landed === undefined || !isYoung || !isPast ? [] : [landed];
      }),
    ),
  );
}

/** In USDC: other coins are paid with test money alone, and do not count. */
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

/** Two processes with one key hold one payment: only one of them can write it. */
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
