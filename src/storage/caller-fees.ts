/** Network fees that the fee payer bears for callers which the operator named. */

/** Set aside for one message before the fee payer signs it. */
export interface CallerFeeRow {
  readonly messageHash: string;
  /** Name of the caller. */
  readonly caller: string;
  /** `2026-01-31`, in UTC. */
  readonly day: string;
  /** Decimal digits. */
  readonly lamports: string;
}

/** What a day's messages of one caller come to. */
export interface CallerDay {
  readonly caller: string;
  readonly payments: number;
  readonly lamports: bigint;
}

export interface CallerFees {
  insert(row: CallerFeeRow): Promise<void>;
  byMessage(messageHash: string): Promise<CallerFeeRow | undefined>;
  remove(messageHash: string): Promise<void>;
  /** Callers by name. */
  ofDay(day: string): Promise<readonly CallerDay[]>;
}
