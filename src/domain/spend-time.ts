/** The time that the limits of a day are measured by: anybody can set a clock, nobody sets the chain's. */

export interface SpendTime {
  /** The 24 hours that count end here. */
  readonly nowMs: number;
  /** What a payment that is signed now is dated with. */
  readonly datedMs: number;
}

interface Clocks {
  /** This machine's. */
  readonly clockMs: number;
  /** The newest finalized block's; null where no node tells. */
  readonly chainMs: number | null;
  /** Date of the newest payment or reservation that is known, if there is one. */
  readonly newestMs: number | undefined;
}

/**
 * A clock that is set forward ends no day: the chain's time does, where it is known. One that is set
 * back dates no payment early, so that it is not forgotten when the clock is right again.
 */
export function spendTime({ clockMs, chainMs, newestMs = clockMs }: Clocks): SpendTime {
  return { nowMs: chainMs ?? clockMs, datedMs: Math.max(clockMs, chainMs ?? newestMs) };
}
