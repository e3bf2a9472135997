/**
 * Finds the outcome of a journaled payment (docs/inside/payments.md). A first run, a second process, and a
 * resume days later all use this, for both transports.
 */

import { expected } from '../../domain/attempt.ts';
import type { Clock } from '../../domain/clock.ts';
import {
  type Entry,
  eventOf,
  type Journal,
  type JournalEvent,
} from '../../domain/journal/journal.ts';
import { type Said, t } from '../../domain/message/message.ts';
import type { PayerRail, PaymentFate } from '../../rails/rail.ts';
import { pause, startStopwatch } from '../http/pause.ts';
import type { Progress } from '../progress.ts';
import type { LivePayment } from './pay-loop.ts';

/** How a signed payment gets to the chain: through a merchant, or broadcast by this wallet. */
export interface Transport<State extends AttemptState, End> {
  /** When to read the chain first, besides asking the merchant; `Infinity` for never. */
  readonly firstScanMs: number;
  /** Reads the chain, and records its result. */
  scan(state: State): Promise<State>;
  /** Sends the payment, always the same bytes, or asks for its result. */
  ask(state: State, round: Round): Promise<State>;
  /** Returns the end once there is one. */
  decide(state: State, elapsedMs: number): Promise<End | undefined>;
  paceMs(state: State, rounds: number): number;
  /** Time limit from the start. @param provenAtMs when the chain proved the payment */
  budgetMs(state: State, provenAtMs: number | undefined): number;
  /** Returns the end if none was found in time. @param provenForMs time since the chain proved the payment */
  giveUp(state: State, provenForMs: number): Promise<End>;
}

interface Round {
  readonly number: number;
  /** Time left for a response. */
  readonly leftMs: number;
}

/** Finality takes 13 s, so reading the chain more often finds nothing sooner. */
export const SCAN_EVERY_MS = 2_000;

/**
 * Asks the merchant and the chain in turn until the outcome is known or time runs out.
 * @throws {ScripError} INTERRUPTED; JOURNAL_UNUSABLE when a result cannot be recorded
 */
export async function settle<State extends AttemptState, End>(
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal | undefined },
  start: State,
  transport: Transport<State, End>,
): Promise<End> {
  const watch = startStopwatch(clock);
  let state = start;
  let scanDueMs = transport.firstScanMs;
  let provenAtMs: number | undefined;
  const scan = async (): Promise<void> => {
    state = await transport.scan(state);
    scanDueMs = watch.elapsedMs() + SCAN_EVERY_MS;
    if (found(state, 'landed') !== undefined) provenAtMs ??= watch.elapsedMs();
  };
  for (let rounds = 1; ; rounds += 1) {
    if (watch.elapsedMs() >= scanDueMs) await scan();
    const leftMs = transport.budgetMs(state, provenAtMs) - watch.elapsedMs();
    state = await transport.ask(state, { number: rounds, leftMs });
    const end = await transport.decide(state, watch.elapsedMs());
    if (end !== undefined) return end;
    const waitMs = transport.paceMs(state, rounds);
    const isOver = (): boolean =>
      watch.elapsedMs() + waitMs > transport.budgetMs(state, provenAtMs);
    if (isOver() && watch.elapsedMs() >= scanDueMs) {
      // A merchant that kept the connection open has delayed the chain's turn.
      await scan();
      const late = await transport.decide(state, watch.elapsedMs());
      if (late !== undefined) return late;
    }
    if (isOver()) {
      const provenForMs = provenAtMs === undefined ? 0 : watch.elapsedMs() + waitMs - provenAtMs;
      return transport.giveUp(state, provenForMs);
    }
    await pause(clock, waitMs, signal);
    watch.waited(waitMs);
  }
}

export interface AttemptState extends LivePayment {
  /** Why the last step brought no result. */
  readonly problem?: Said | undefined;
  /** The payment that another run made with the same mark; this one can never land. */
  readonly takenBy?: string | undefined;
  /** Whether every event found is on disk. */
  readonly isRecorded: boolean;
}

/** Returns the event of a kind about the attempt, if there is one. */
export function found<Kind extends JournalEvent['fact']>(
  { entry, attempt }: AttemptState,
  kind: Kind,
) {
  return eventOf(entry, kind, attempt.number);
}

/**
 * Reads the payment's outcome from the chain; only finalized data counts.
 * @param write records the outcome in the journal
 */
export async function askChain<State extends AttemptState>(
  { rail }: { readonly rail: Pick<PayerRail, 'fate'> },
  state: State,
  write: (state: State, event: Decided) => Promise<State>,
): Promise<State> {
  if (found(state, 'landed') !== undefined) return state;
  const fate = await rail
    .fate(state.attempt)
    .catch(expected(({ sentence }): PaymentFate => ({ fate: 'unknown', reason: sentence })));
  const { number } = state.attempt;
  if (fate.fate === 'landed') {
    const { transaction, slot } = fate;
    return write(state, { fact: 'landed', attempt: number, transaction, slot });
  }
  if (fate.fate === 'dead') {
    return write(state, { fact: 'dead', attempt: number, proof: String(fate.proof) });
  }
  if (fate.fate !== 'unknown') return state;
  return { ...state, problem: fate.reason, takenBy: fate.takenBy };
}

/** The chain's final result for a payment. */
export type Decided = Extract<JournalEvent, { readonly fact: 'landed' | 'dead' }>;

/**
 * Records an event. If the disk fails, the purchase continues in memory: the payment is already sent, and the
 * next run finds the same event again.
 */
export function record<State extends AttemptState>(
  deps: { readonly journal: Pick<Journal, 'addFact'>; readonly progress?: Progress },
  state: State,
  event: JournalEvent,
): Promise<State> {
  return recordOrThrow(deps, state, event).catch(
    expected(({ sentence }) => {
      deps.progress?.step(t`Could not write "${event.fact}" to the journal: ${sentence}`);
      return { ...state, entry: withEvent(state.entry, event), isRecorded: false };
    }),
  );
}

/** Records an event that must be on disk before continuing. @throws {ScripError} JOURNAL_UNUSABLE */
export async function recordOrThrow<State extends AttemptState>(
  { journal }: { readonly journal: Pick<Journal, 'addFact'> },
  state: State,
  event: JournalEvent,
): Promise<State> {
  await journal.addFact(state.entry.intent, event);
  return { ...state, entry: withEvent(state.entry, event) };
}

function withEvent(entry: Entry, event: JournalEvent): Entry {
  return { ...entry, facts: [...entry.facts, event] };
}
