/** Since when an account's spending is counted against its limits. Ours: days and months of UTC. */

export interface SpendingPeriods {
  /** First instants of the day and of the month, in milliseconds since the Unix epoch. */
  readonly dayFromMs: number;
  readonly monthFromMs: number;
}

export function spendingPeriods(nowMs: number): SpendingPeriods {
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return {
    dayFromMs: Date.UTC(year, month, now.getUTCDate()),
    monthFromMs: Date.UTC(year, month),
  };
}
