/** How many payments of one payer may fail on the chain, each at the fee payer's cost. Pure. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** So many within an hour, and the payer is refused for a day (docs/operate/limits.md). */
const MOST_FAILURES = 3;

/** A payment that was executed and failed: nothing moved, and the fee payer paid for it. */
export interface PayerFailure {
  readonly messageHash: string;
  /** When it was countersigned. */
  readonly atMs: number;
}

export interface PayerRecord {
  /** Of the last hour before the newest. */
  readonly failures: readonly PayerFailure[];
  readonly blockedUntilMs: number;
}

export const CLEAN_RECORD: PayerRecord = { failures: [], blockedUntilMs: 0 };

/** The record with one failure more; one that is in it already changes nothing. */
export function addFailure(record: PayerRecord, failure: PayerFailure): PayerRecord {
  const known = record.failures.filter(({ messageHash }) => messageHash !== failure.messageHash);
  const newestMs = Math.max(failure.atMs, ...known.map(({ atMs }) => atMs));
  const failures = [...known, failure].filter(({ atMs }) => atMs > newestMs - HOUR_MS);
  if (failures.length < MOST_FAILURES) return { ...record, failures };
  const blockedUntilMs = Math.max(record.blockedUntilMs, newestMs + DAY_MS);
  return { failures, blockedUntilMs };
}

/** Whether the payer's payments are refused now. */
export function isBlocked({ blockedUntilMs }: PayerRecord, nowMs: number): boolean {
  return nowMs < blockedUntilMs;
}
