/** Time as an argument: the wall clock in the program, a number that the test advances in tests. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A time as the wire writes it. */
export function isoOf(atMs: number): string {
  return new Date(atMs).toISOString();
}
