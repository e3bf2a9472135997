/** Time limits for one call that hold even if the other side never ends. */

/**
 * Runs `work` until it is done, the time is up or `outer` aborts; then rejects with that reason, even if
 * `work` ignores its signal.
 */
export async function withDeadline<T>(
  timeoutMs: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  // Not AbortSignal.any: on Node 20, its timeout may be garbage-collected before it fires.
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
 * Runs `work` with a signal that aborts `graceMs` after `outer`, so that a request in flight can complete
 * after the user stops.
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

/** Runs foreign code, and stops waiting for it once the signal aborts. */
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
