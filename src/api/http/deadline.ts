/** Timeouts for one call: an answer in time, or an error, even when the other side never ends. */

/**
 * Runs `work` until it is done, the time is over or `outer` aborts; then rejects with that reason,
 * whether or not `work` heeds its signal.
 */
export async function withDeadline<T>(
  timeoutMs: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  // Not AbortSignal.any: on Node 20 it lets go of the timeout at the next garbage collection.
  const timeout = AbortSignal.timeout(timeoutMs);
  const inner = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const end = ({ reason }: AbortSignal): void => {
      inner.abort(reason);
      reject(reason);
    };
    const late = (): void => end(timeout);
    const stop = (): void => outer && end(outer);
    timeout.addEventListener('abort', late, { once: true });
    outer?.addEventListener('abort', stop, { once: true });
    work(inner.signal)
      .then(resolve, reject)
      .finally(() => {
        timeout.removeEventListener('abort', late);
        outer?.removeEventListener('abort', stop);
      });
  });
}

/**
 * Runs `work` with a signal that aborts `graceMs` after `outer` did: what is in flight when the user
 * stops is better answered than cut off.
 */
export async function withGrace<T>(
  graceMs: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const inner = new AbortController();
  const end = (): void => inner.abort(outer?.reason);
  const wait = (): void =>
    AbortSignal.timeout(graceMs).addEventListener('abort', end, { once: true });
  if (outer?.aborted === true) wait();
  else outer?.addEventListener('abort', wait, { once: true });
  try {
    return await work(inner.signal);
  } finally {
    outer?.removeEventListener('abort', wait);
  }
}

/** Work of others, which is not waited for once the signal aborts. */
export function untilAborted<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    (async () => work())()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}
