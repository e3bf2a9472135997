/**
 * Finds out what became of a journaled payment (docs/inside/payments.md). The first run, a
 * second process, and a resume days later all come through here, for both transports.
 */
import type { Clock } from '../../domain/clock.ts';
import { pause } from '../http/pause.ts';
import { startStopwatch } from '../http/stopwatch.ts';
import { type AttemptState, found } from './attempt-state.ts';

/** The way of a signed payment: to a merchant, who has it sent, or to the chain itself. */
export interface Transport<State extends AttemptState, End> {
  /** When the chain is first asked, in addition to the merchant; `Infinity` for never. */
  readonly firstScanMs: number;
  /** Asks the chain, and writes down what it has decided. */
  scan(state: State): Promise<State>;
  /** Hands over the payment, always the same bytes, or asks for what it brought. */
  ask(state: State, round: Round): Promise<State>;
  /** The end, once there is one. */
  decide(state: State, elapsedMs: number): Promise<End | undefined>;
  paceMs(state: State, rounds: number): number;
  /** How long to find out, from the beginning. @param provenAtMs when the chain had proven the payment */
  budgetMs(state: State, provenAtMs: number | undefined): number;
  /** The end where none was found in time. @param provenForMs how long ago the chain had proven it */
  giveUp(state: State, provenForMs: number): Promise<End>;
}

export interface Round {
  readonly number: number;
  /** Timeouts that is left for an answer. */
  readonly leftMs: number;
}

/** Finality takes 13 s; asking the chain more often finds nothing sooner. */
export const SCAN_EVERY_MS = 2_000;

/**
 * Asks the payment's recipient and the chain in turn until the outcome is known or time runs out.
 * @throws {ScripError} INTERRUPTED; JOURNAL_UNUSABLE when a finding cannot be written
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
      // A merchant that held the line has kept the chain from being asked.
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
