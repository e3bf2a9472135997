/** The life of this process: guarded from the start, told of signals, ended when all is written. */

import { setMaxListeners } from 'node:events';
import { ScripError } from '../domain/errors.ts';
import { countHits, type FailPoint } from '../domain/fail-points.ts';
import { t } from '../domain/message.ts';

/** How long an interrupted command may take to end well; a payment in flight is given 5 s (C26). */
const GRACE_MS = 7_000;
const INTERRUPTED_EXIT = 130;

const NO_REPORTS = {
  reportOnFatalError: false,
  reportOnUncaughtException: false,
  reportOnSignal: false,
};

/** Nothing that was in memory reaches a report, and a reader that has enough is no error. */
export function guardProcess(env: NodeJS.ProcessEnv): void {
  // Node warns on stderr of the two together, where an error is one document; ours has been decided.
  if (env.NO_COLOR || env.NODE_DISABLE_COLORS) delete env.FORCE_COLOR;
  // They are off unless Node was told; asking after them loads a part that few runs need.
  if (env.NODE_OPTIONS || process.execArgv.length > 0) {
    Object.assign(process.report ?? {}, NO_REPORTS);
  }
  // Node counts those who wait for one signal and takes more than ten for a leak; a cart asks about all of
  // its lines at once. It waits no longer than for an answer: tests count who is left.
  setMaxListeners(0);
  // A payment under way is not cut off because its progress cannot be shown.
  process.stderr.on('error', () => undefined);
  process.on('uncaughtException', () => {
    process.exitCode = 1;
    process.stderr.write('error[INTERNAL]: internal error\n', () => process.exit(1));
  });
}

/**
 * Aborts on the first signal; the second one, or the end of the grace, ends the process.
 * @param isPaging whether a pager has the keys
 */
export function watchSignals(isPaging: () => boolean): AbortSignal {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    // The key is the pager's.
    if (isPaging() && signal === 'SIGINT') return;
    if (controller.signal.aborted) process.exit(INTERRUPTED_EXIT);
    controller.abort(new ScripError('INTERRUPTED', t`Stopped by ${signal}`));
    setTimeout(() => process.exit(INTERRUPTED_EXIT), GRACE_MS).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  return controller.signal;
}

/** Ends when everything written has been taken, even if handles are still open. */
export function leave(exit: number): void {
  process.exitCode = exit;
  process.stdout.write('', () => process.stderr.write('', () => process.exit(exit)));
}

/** Between polls of an order, for tests that cannot wait as the interface asks; under the test variable alone. */
export function readTestPollMs(env: Readonly<NodeJS.ProcessEnv>): number | undefined {
  const isTest = env.SCRIP_TEST === '1' && env.SCRIP_POLL_MS !== undefined;
  return isTest ? Number(env.SCRIP_POLL_MS) : undefined;
}

/** Ends the process at a named point, as a power cut would; under the test variable alone. */
export function createFailPoint(
  env: Readonly<NodeJS.ProcessEnv>,
): ((name: FailPoint) => void) | undefined {
  if (env.SCRIP_TEST !== '1' || env.SCRIP_FAIL_POINT === undefined) return undefined;
  const isReached = countHits(env.SCRIP_FAIL_POINT);
  return (name) => {
    if (isReached(name)) process.kill(process.pid, 'SIGKILL');
  };
}
