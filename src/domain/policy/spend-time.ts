/** The clock behind the daily limits: a user can set the computer's clock, but not the chain's. */

interface SpendTime {
  /** End of the 24 hours that count. */
  readonly nowMs: number;
  /** Date recorded for a payment signed now. */
  readonly datedMs: number;
}

interface Clocks {
  /** Whether the chain is a sandbox, whose clock the user can change. */
  readonly isPlayMoney: boolean;

  /** This machine's clock. */
  readonly clockMs: number;
  /** Time of the newest finalized block; null if no node reports it. */
  readonly chainMs: number | null;
  /** Date of the newest known payment or reservation, if any. */
  readonly newestMs: number | undefined;
}

/**
 * Returns the times for the daily limits. With real money, the earlier of local clock and chain ends the 24
 * hours, so neither a clock set forward nor an RPC with a later time frees the limit. Payments are dated with
 * the later one: dated by a clock that was set back, they would stop counting once it is right again.
 */
export function spendTime({ newestMs, ...clocks }: Clocks): SpendTime {
  const { clockMs, chainMs } = clocks;
  return { nowMs: dayEnd(clocks), datedMs: Math.max(clockMs, chainMs ?? newestMs ?? clockMs) };
}

/** Returns the instant at which the 24 hours that count end. */
export function dayEnd({ isPlayMoney, clockMs, chainMs }: Omit<Clocks, 'newestMs'>): number {
  if (chainMs === null) return clockMs;
  return isPlayMoney ? chainMs : Math.min(chainMs, clockMs);
}
