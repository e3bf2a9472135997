/** Periods over which an account's spending counts against its limits. Ours: UTC days and months. */

export interface SpendingPeriods {
  /** Start of the day and of the month, in milliseconds since the Unix epoch. */
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
