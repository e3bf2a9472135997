/** The transport of a plain transfer: this wallet broadcasts it, and only the chain decides. */

import type { Clock } from '../../domain/clock.ts';
import type { FailPoint } from '../../domain/journal/fail-points.ts';
import type { Attempt, Journal } from '../../domain/journal/journal.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, type Said, t } from '../../domain/message/message.ts';
import { backoffMs } from '../../domain/payment/retry.ts';
import type { PayerRail } from '../../rails/rail.ts';
import type { Progress } from '../progress.ts';
import { type LivePayment, SETTLE_MS } from './pay-loop.ts';
import {
  type AttemptState,
  askChain,
  type Decided,
  found,
  recordOrThrow,
  settle,
  type Transport,
} from './settle.ts';

export interface TransferDeps {
  readonly rail: PayerRail;
  readonly journal: Journal;
  readonly clock: Clock;
  /** Whether the merchant counts the payment as received. This ends the wait, but is never recorded. */
  readonly isReceived?: () => Promise<boolean>;
  /** Time limit for finding the outcome. */
  readonly settleMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: Progress;
  readonly failPoint?: (name: FailPoint) => void;
}

export type TransferEnd =
  | { readonly kind: 'landed'; readonly transaction: string }
  | { readonly kind: 'dead' }
  /** The merchant counts it as received, but the chain has not finalized it. */
  | { readonly kind: 'received'; readonly transaction: string }
  /** Not decided in time: it may still land. */
  | { readonly kind: 'open'; readonly reason: Said };

interface TransferState extends AttemptState {
  readonly isReceived: boolean;
}

/**
 * Broadcasts, always the same bytes, until the chain has decided. The result is journaled when this returns.
 * @throws {ScripError} INTERRUPTED; JOURNAL_UNUSABLE when a result cannot be recorded
 */
export function settleTransfer(deps: TransferDeps, live: LivePayment): Promise<TransferEnd> {
  const start: TransferState = { ...live, isRecorded: true, isReceived: false };
  return settle(deps, start, transferTransport(deps));
}

function transferTransport(deps: TransferDeps): Transport<TransferState, TransferEnd> {
  // Unlike in a checkout purchase, the journal's payments decide what to pay next: without the record, the
  // transfer would be settled again.
  const write = async (state: TransferState, event: Decided): Promise<TransferState> => {
    const known = await recordOrThrow(deps, state, event);
    if (event.fact === 'landed') deps.failPoint?.('landed-recorded');
    return known;
  };
  const scan = (state: TransferState): Promise<TransferState> => askChain(deps, state, write);
  return {
    // `ask` reads the chain in every round, so no separate scan is due.
    firstScanMs: Number.POSITIVE_INFINITY,
    scan,
    ask: async (state, { number }) => {
      const problem = await broadcast(deps, state.attempt, number);
      deps.failPoint?.('submitted');
      const known = await scan({ ...state, problem });
      if (endOf(known) !== undefined) return known;
      return { ...known, isReceived: (await deps.isReceived?.()) === true };
    },
    decide: async (state) => endOf(state),
    paceMs: (_, rounds) => backoffMs(rounds),
    budgetMs: () => deps.settleMs ?? SETTLE_MS,
    giveUp: async ({ problem = t`the chain has not decided yet` }) => ({
      kind: 'open',
      reason: problem,
    }),
  };
}

function endOf(state: TransferState): TransferEnd | undefined {
  const landed = found(state, 'landed');
  if (landed !== undefined) return { kind: 'landed', transaction: landed.transaction };
  if (found(state, 'dead') !== undefined) return { kind: 'dead' };
  if (!state.isReceived) return undefined;
  return { kind: 'received', transaction: state.attempt.signature };
}

/** Sends while the transfer can still be included; returns the reason when it could not be sent. */
async function broadcast(
  { rail, progress }: TransferDeps,
  attempt: Attempt,
  rounds: number,
): Promise<Message | undefined> {
  try {
    if (!(await rail.isLive(attempt)))
      return t`the transfer expired; waiting for proof that it can no longer be confirmed`;
    progress?.step(rounds === 1 ? t`Sending the payment` : t`Waiting for the payment to be final`);
    await rail.send(attempt);
    return undefined;
  } catch (error) {
    // A node also refuses a transaction that it already has: the chain decides, not the node's answer.
    if (error instanceof ScripError && error.code !== 'INTERRUPTED') return error.sentence;
    throw error;
  }
}
