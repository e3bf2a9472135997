/** Buckets of rate limits that several servers spend from. */

/** What one server spent of a bucket, as time until it is full again; negative if it gave back more. */
export interface Spent {
  readonly name: string;
  readonly spentMs: number;
}

export interface SharedRates {
  /** Adds what was spent; returns when each of these buckets is full, what others spent included. */
  spend(spent: readonly Spent[], atMs: number): Promise<readonly RateRow[]>;
  /** Forgets buckets that are full. */
  forget(atMs: number): Promise<void>;
}

export interface RateRow {
  readonly name: string;
  readonly fullAtMs: number;
}
