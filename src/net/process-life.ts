/**
 * The life of this process: its guards at the start, its signals, and its end after all output is written.
 */

import { setMaxListeners } from 'node:events';
import { countHits, type FailPoint } from '../domain/journal/fail-points.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';

/** Time an interrupted command has to finish; a payment in flight gets 5 s of it (C26). */
const GRACE_MS = 7_000;
const INTERRUPTED_EXIT = 130;

const NO_REPORTS = {
  reportOnFatalError: false,
  reportOnUncaughtException: false,
  reportOnSignal: false,
};

/** Keeps memory contents out of Node's diagnostic reports, and ignores a closed stderr. */
export function guardProcess(env: NodeJS.ProcessEnv): void {
  // With both set, Node prints a warning to stderr, where scripts expect one JSON document. NO_COLOR wins.
  if (env.NO_COLOR || env.NODE_DISABLE_COLORS) delete env.FORCE_COLOR;
  // Reports are off unless Node's options turn them on; reading `process.report` loads code most runs don't
  // need.
  if (env.NODE_OPTIONS || process.execArgv.length > 0) {
    Object.assign(process.report ?? {}, NO_REPORTS);
  }
  // Node warns of a leak at more than ten listeners on one signal; a cart makes a request for each of its
  // lines at once. Each request removes its listener when it ends; tests count the listeners left over.
  setMaxListeners(0);
  // A payment in progress must not stop because its progress cannot be shown.
  process.stderr.on('error', () => undefined);
  process.on('uncaughtException', () => {
    process.exitCode = 1;
    process.stderr.write('error[INTERNAL]: internal error\n', () => process.exit(1));
  });
}

/**
 * Aborts on the first signal. Exits on the second, or when the grace time is over.
 * @param isPaging whether a pager reads the keyboard
 */
export function watchSignals(isPaging: () => boolean): AbortSignal {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    // Ctrl-C belongs to the pager.
    if (isPaging() && signal === 'SIGINT') return;
    if (controller.signal.aborted) process.exit(INTERRUPTED_EXIT);
    controller.abort(new ScripError('INTERRUPTED', t`Stopped by ${signal}`));
    setTimeout(() => process.exit(INTERRUPTED_EXIT), GRACE_MS).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  return controller.signal;
}

/** Exits once all output is written, even if handles are still open. */
export function leave(exit: number): void {
  process.exitCode = exit;
  process.stdout.write('', () => process.stderr.write('', () => process.exit(exit)));
}

/**
 * What tests shorten, which cannot wait as long as the interface and Solana ask: polling for orders, and slots
 * until the embedded chain counts a transaction as finalized. Empty unless SCRIP_TEST=1.
 */
export function readTestPace(env: Readonly<NodeJS.ProcessEnv>) {
  if (env.SCRIP_TEST !== '1') return {};
  const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));
  return { pollMs: numberOf(env.SCRIP_POLL_MS), finalSlots: numberOf(env.SCRIP_FINAL_SLOTS) };
}

/** Kills the process at a named point, as a power cut would; only when SCRIP_TEST=1. */
export function createFailPoint(
  env: Readonly<NodeJS.ProcessEnv>,
): ((name: FailPoint) => void) | undefined {
  if (env.SCRIP_TEST !== '1' || env.SCRIP_FAIL_POINT === undefined) return undefined;
  const isReached = countHits(env.SCRIP_FAIL_POINT);
  return (name) => {
    if (isReached(name)) process.kill(process.pid, 'SIGKILL');
  };
}
