/**
 * Finds the outcome of a journaled payment (docs/inside/payments.md). A first run, a second process, and a
 * resume days later all use this, for both transports.
 */
import type { Clock } from '../../domain/clock.ts';
import { pause } from '../http/pause.ts';
import { startStopwatch } from '../http/stopwatch.ts';
import { type AttemptState, found } from './attempt-state.ts';

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

export interface Round {
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
