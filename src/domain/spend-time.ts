/** The time that the limits of a day are measured by: a user can set the computer's clock, but not the chain's. */

export interface SpendTime {
  /** The 24 hours that count end here. */
  readonly nowMs: number;
  /** What a payment that is signed now is dated with. */
  readonly datedMs: number;
}

interface Clocks {
  /** The chain is a sandbox's, whose clock its options move. */
  readonly isPlayMoney: boolean;

  /** This machine's. */
  readonly clockMs: number;
  /** The newest finalized block's; null where no node tells. */
  readonly chainMs: number | null;
  /** Date of the newest payment or reservation that is known, if there is one. */
  readonly newestMs: number | undefined;
}

/**
 * A clock that is set forward ends no day, nor does an RPC that tells a later time: of real money the
 * earlier of both does. A clock that is set back dates no payment early, so that it is not forgotten when the
 * clock is right again.
 */
export function spendTime({ newestMs, ...clocks }: Clocks): SpendTime {
  const { clockMs, chainMs } = clocks;
  return { nowMs: dayEnd(clocks), datedMs: Math.max(clockMs, chainMs ?? newestMs ?? clockMs) };
}

/** The instant at which the 24 hours that count end. */
export function dayEnd({ isPlayMoney, clockMs, chainMs }: Omit<Clocks, 'newestMs'>): number {
  if (chainMs === null) return clockMs;
  return isPlayMoney ? chainMs : Math.min(chainMs, clockMs);
}
