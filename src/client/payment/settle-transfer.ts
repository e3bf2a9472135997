/** Finds out what became of a transfer that was signed: sends the same bytes until the chain has decided. */

import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import type { FailPoint } from '../../domain/fail-points.ts';
import type { Attempt, Entry, Journal } from '../../domain/journal.ts';
import { backoffMs } from '../../domain/retry.ts';
import type { DirectRail, PayerRail, PaymentFate } from '../../rails/rail.ts';
import { pause } from '../pause.ts';
import { startStopwatch } from '../stopwatch.ts';
import { SETTLE_MS } from './limits.ts';

export interface TransferTools {
  readonly rail: PayerRail & { readonly direct: DirectRail };
  readonly journal: Journal;
  readonly clock: Clock;
  /** Whether the merchant counts the payment as received: its word ends the waiting, never the record. */
  readonly isReceived?: () => Promise<boolean>;
  /** How long to find out. */
  readonly settleMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: { step(text: string): void };
  readonly failPoint?: (name: FailPoint) => void;
}

export type TransferEnd =
  | { readonly kind: 'landed'; readonly transaction: string }
  | { readonly kind: 'dead' }
  /** The merchant has it, before the chain has made it final. */
  | { readonly kind: 'received'; readonly transaction: string }
  /** Not decided within the patience: it may still land. */
  | { readonly kind: 'open'; readonly reason: string };

/**
 * Broadcasts, always the same bytes, and asks the chain in turn (reliability 2.8, D4 and D5). What
 * it finds is a fact in the journal when this returns.
 * @throws {ScripError} INTERRUPTED; JOURNAL_UNUSABLE when a finding cannot be written
 */
export async function settleTransfer(
  tools: TransferTools,
  { entry, attempt }: { readonly entry: Entry; readonly attempt: Attempt },
): Promise<TransferEnd> {
  const { journal, clock } = tools;
  const watch = startStopwatch(clock);
  for (let rounds = 1; ; rounds += 1) {
    const problem = await broadcast(tools, attempt, rounds);
    tools.failPoint?.('submitted');
    const fate = await fateOf(tools, attempt);
    const number = attempt.number;
    if (fate.fate === 'landed') {
      const { transaction, slot } = fate;
      await journal.addFact(entry.intent, { fact: 'landed', attempt: number, transaction, slot });
      tools.failPoint?.('landed-recorded');
      return { kind: 'landed', transaction };
    }
    if (fate.fate === 'dead') {
      await journal.addFact(entry.intent, { fact: 'dead', attempt: number, proof: fate.proof });
      return { kind: 'dead' };
    }
    if ((await tools.isReceived?.()) === true) {
      return { kind: 'received', transaction: attempt.signature };
    }
    const waitMs = backoffMs(rounds);
    if (watch.elapsedMs() + waitMs > (tools.settleMs ?? SETTLE_MS)) {
      const waiting = problem ?? 'the chain has not decided yet';
      return { kind: 'open', reason: fate.fate === 'unknown' ? fate.reason : waiting };
    }
    await pause(clock, waitMs, tools.signal);
    watch.waited(waitMs);
  }
}

/** Sends as long as the transfer can be included; gives the reason when it could not be sent. */
async function broadcast(
  { rail, progress }: TransferTools,
  attempt: Attempt,
  rounds: number,
): Promise<string | undefined> {
  try {
    if (!(await rail.isLive(attempt)))
      return 'the transfer expired; waiting for proof that it is dead';
    progress?.step(rounds === 1 ? 'Sending the payment' : 'Waiting for the payment to be final');
    await rail.direct.send(attempt);
    return undefined;
  } catch (error) {
    // A node also refuses what it has already: the chain's own record decides, not its answer.
    if (error instanceof ScripError && error.code !== 'INTERRUPTED') return error.message;
    throw error;
  }
}

async function fateOf({ rail }: TransferTools, attempt: Attempt): Promise<PaymentFate> {
  try {
    return await rail.fate(attempt);
  } catch (error) {
    if (error instanceof ScripError) return { fate: 'unknown', reason: error.message };
    throw error;
  }
}
