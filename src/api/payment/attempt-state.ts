/** The state of one attempt, and recording of the chain's result. */

import { ScripError } from '../../domain/errors.ts';
import {
  type Attempt,
  type Entry,
  eventOf,
  type Journal,
  type JournalEvent,
} from '../../domain/journal.ts';
import { type Said, t } from '../../domain/message.ts';
import type { PayerRail, PaymentFate } from '../../rails/rail.ts';
import type { Progress } from '../progress.ts';

export interface AttemptState {
  readonly entry: Entry;
  readonly attempt: Attempt;
  /** Why the last step brought no result. */
  readonly problem?: Said | undefined;
  /** Whether every event found is on disk. */
  readonly isRecorded: boolean;
}

interface RecordDeps {
  readonly journal: Pick<Journal, 'addFact'>;
  readonly progress?: Progress;
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
  const fate = await fateOf(rail, state.attempt);
  const { number } = state.attempt;
  if (fate.fate === 'landed') {
    const { transaction, slot } = fate;
    return write(state, { fact: 'landed', attempt: number, transaction, slot });
  }
  if (fate.fate === 'dead') {
    return write(state, { fact: 'dead', attempt: number, proof: String(fate.proof) });
  }
  return fate.fate === 'unknown' ? { ...state, problem: fate.reason } : state;
}

/** The chain's final result for a payment. */
export type Decided = Extract<JournalEvent, { readonly fact: 'landed' | 'dead' }>;

/**
 * Records an event. If the disk fails, the purchase continues in memory: the payment is already sent, and the
 * next run finds the same event again.
 */
export async function record<State extends AttemptState>(
  deps: RecordDeps,
  state: State,
  event: JournalEvent,
): Promise<State> {
  try {
    return await recordOrThrow(deps, state, event);
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
    deps.progress?.step(t`Could not write "${event.fact}" to the journal: ${error.sentence}`);
    return { ...state, entry: withEvent(state.entry, event), isRecorded: false };
  }
}

/** Records an event that must be on disk before continuing. @throws {ScripError} JOURNAL_UNUSABLE */
export async function recordOrThrow<State extends AttemptState>(
  { journal }: RecordDeps,
  state: State,
  event: JournalEvent,
): Promise<State> {
  await journal.addFact(state.entry.intent, event);
  return { ...state, entry: withEvent(state.entry, event) };
}

function withEvent(entry: Entry, event: JournalEvent): Entry {
  return { ...entry, facts: [...entry.facts, event] };
}

async function fateOf(rail: Pick<PayerRail, 'fate'>, attempt: Attempt): Promise<PaymentFate> {
  try {
    return await rail.fate(attempt);
  } catch (error) {
    if (error instanceof ScripError) return { fate: 'unknown', reason: error.sentence };
    throw error;
  }
}
