/** Network fees that the fee payer pays for other hosts, which the operator named. */

/** A fee reserved for one message before the fee payer signs it. */
export interface CallerFeeRow {
  readonly messageHash: string;
  /** Name of the caller. */
  readonly caller: string;
  /** `2026-01-31`, in UTC. */
  readonly day: string;
  /** Decimal digits. */
  readonly lamports: string;
}

/** Sum of one caller's fees on one day. */
export interface CallerDay {
  readonly caller: string;
  readonly payments: number;
  readonly lamports: bigint;
}

export interface CallerFees {
  insert(row: CallerFeeRow): Promise<void>;
  byMessage(messageHash: string): Promise<CallerFeeRow | undefined>;
  remove(messageHash: string): Promise<void>;
  /** Ordered by name. */
  ofDay(day: string): Promise<readonly CallerDay[]>;
}
