/**
 * Pays for an order with either transport. A signed payment that may still land is settled first; the next
 * step is decided only when there is none (docs/inside/payments.md).
 */

import type { Clock } from '../../domain/clock.ts';
import type { Attempt, Entry } from '../../domain/journal/journal.ts';
import { type FundsAtRisk, ScripError } from '../../domain/message/errors.ts';
import { type Message, type Said, t } from '../../domain/message/message.ts';
import { pause, startStopwatch } from '../http/pause.ts';

/** A signed payment that may still land. */
export interface LivePayment {
  readonly entry: Entry;
  readonly attempt: Attempt;
}

/**
 * The differences between the ways to pay. `Known` is the journal as last read, and what this run must
 * remember.
 */
export interface PaymentSide<Known, End> {
  /** Reads the journal again: another process may have changed it. */
  read(known: Known): Promise<Known>;
  /** Returns the payment to settle before anything else; undefined when none can land. */
  liveOf(known: Known): LivePayment | undefined;
  /**
   * Finds the payment's outcome.
   * @param isFresh this run signed it, so the chain cannot have finalized it yet
   */
  settle(live: LivePayment, known: Known, isFresh: boolean): Promise<Ended<End> | Learned<Known>>;
  /** Returns the next step when no signed payment can land any more. */
  decide(known: Known): Promise<Step<Known, End>>;
  /** Returns what to tell a user who stops while the payment may land. */
  stopped(live: LivePayment): Promise<Stopped>;
}

export interface Ended<End> {
  readonly kind: 'end';
  readonly end: End;
}

/** A payment is settled, the buyer has confirmed, or the journal has changed: decide the next step again. */
export interface Learned<Known> {
  readonly kind: 'learned';
  readonly known: Known;
  /** The payment that was settled can never land: who signed it has paid nothing. */
  readonly isDead?: boolean;
}

export interface Waiting<End> {
  readonly kind: 'wait';
  readonly reason: Said;
  readonly paceMs: number;
  /** Measured from the start of the run. */
  readonly budgetMs: number;
  /** The end if time runs out. */
  readonly otherwise: End;
}

interface Signing<End> {
  readonly kind: 'sign';
  /** Signs and journals a payment; nothing has been sent when this returns. */
  signNext(): Promise<Signed | Waiting<End>>;
  /** Ends a run that has signed too often. */
  giveUp(): Promise<End>;
}

export interface Signed {
  readonly kind: 'signed';
  /** Whether this run signed the journaled payment: another process may have been faster. */
  readonly isOurs: boolean;
}

export type Step<Known, End> = Ended<End> | Learned<Known> | Waiting<End> | Signing<End>;

export interface Stopped {
  /** Default: that a payment was signed. */
  readonly message?: Message;
  readonly hint: Message;
  /** Default: `possible`. */
  readonly fundsAtRisk?: FundsAtRisk;
  readonly details: Readonly<Record<string, unknown>>;
}

interface LoopDeps {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: { step(text: Message): void };
}

/**
 * Takes one step after another until the end.
 * @returns the end, and how many payments this run signed that are not proven dead
 * @throws {ScripError} INTERRUPTED, and the errors of the side
 */
export async function payOnce<Known, End extends object>(
  deps: LoopDeps,
  start: Known,
  side: PaymentSide<Known, End>,
): Promise<End & { readonly signatures: number }> {
  const wait = waiter(deps);
  // Counts both, since the journaled payment may be another process's.
  let [tries, signatures] = [0, 0];
  let isLastOurs = false;
  for (let known = start; ; known = await side.read(known)) {
    const live = side.liveOf(known);
    const step =
      live === undefined
        ? await side.decide(known)
        : await explained(side, live, side.settle(live, known, tries > 0));
    const taken = step.kind === 'sign' ? await signBounded(step, tries) : step;
    if (taken.kind === 'end') return { ...taken.end, signatures };
    if (taken.kind === 'wait' && !(await wait(taken))) return { ...taken.otherwise, signatures };
    if (taken.kind === 'learned') {
      known = taken.known;
      if (taken.isDead === true && isLastOurs) {
        signatures -= 1;
        isLastOurs = false;
      }
    }
    if (taken.kind === 'signed') {
      tries += 1;
      isLastOurs = taken.isOurs;
      signatures += isLastOurs ? 1 : 0;
    }
  }
}

async function signBounded<End>(
  step: Signing<End>,
  tries: number,
): Promise<Signed | Waiting<End> | Ended<End>> {
  return tries === MAX_SIGNATURES ? { kind: 'end', end: await step.giveUp() } : step.signNext();
}

/** Waits one pace; returns false when time runs out. */
function waiter({ clock, signal, progress }: LoopDeps) {
  const watch = startStopwatch(clock);
  return async ({ reason, paceMs, budgetMs }: Waiting<unknown>): Promise<boolean> => {
    const waitMs = Math.min(paceMs, budgetMs - watch.elapsedMs());
    if (waitMs <= 0) return false;
    progress?.step(t`${reason}`);
    await pause(clock, waitMs, signal);
    watch.waited(waitMs);
    return true;
  };
}

/** Adds to an interruption what is at risk, and how to continue. */
async function explained<Result>(
  side: Pick<PaymentSide<unknown, unknown>, 'stopped'>,
  live: LivePayment,
  settling: Promise<Result>,
): Promise<Result> {
  try {
    return await settling;
  } catch (cause) {
    if (!(cause instanceof ScripError) || cause.code !== 'INTERRUPTED') throw cause;
    const {
      message = t`Stopped after the payment was signed`,
      fundsAtRisk = 'possible',
      ...more
    } = await side.stopped(live);
    throw new ScripError('INTERRUPTED', message, { cause, fundsAtRisk, ...more });
  }
}

/** The first signature, and up to two more, each after proof that the previous payment is dead. */
const MAX_SIGNATURES = 3;
/** Long enough for a payment to expire, finalized, and be proven dead: about 85 s on mainnet. */
export const SETTLE_MS = 150_000;
