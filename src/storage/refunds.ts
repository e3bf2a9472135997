/** Money that was given back, or lost. */

/** What the merchant owes or has lost, as a fact: written once, never changed. */
export interface RefundRow {
  /** One for each order and cause, so that writing it twice writes it once. */
  readonly refundId: string;
  readonly orderId: string;
  /** `loss`: goods that were delivered although their money had been given back. */
  readonly kind: 'refund' | 'loss';
  /** Position of the line that it is for; null for what is of the whole order. */
  readonly line: number | null;
  readonly coin: string;
  /** Digits, in units of 10^-decimals of the coin. */
  readonly amountAtomic: string;
  readonly decimals: number;
  /** Address that it goes to; null where the order names none. */
  readonly recipient: string | null;
  readonly reason: string;
  readonly createdAtMs: number;
}

export interface Refunds {
  /** False when it is on record already. */
  record(row: RefundRow): Promise<boolean>;
  ofOrder(orderId: string): Promise<readonly RefundRow[]>;
}
