/** Limits how many payments of one payer may fail on the chain, since the fee payer bears the cost. Pure. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** This many failures within an hour block the payer for a day (docs/operate/limits.md). */
const MOST_FAILURES = 3;

/** A payment that was executed and failed: no money moved, and the fee payer paid the network fee. */
export interface PayerFailure {
  readonly messageHash: string;
  /** When the fee payer countersigned it. */
  readonly atMs: number;
}

export interface PayerRecord {
  /** Failures within one hour before the newest. */
  readonly failures: readonly PayerFailure[];
  readonly blockedUntilMs: number;
}

export const CLEAN_RECORD: PayerRecord = { failures: [], blockedUntilMs: 0 };

/** Adds a failure to the record; a known one changes nothing. */
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
