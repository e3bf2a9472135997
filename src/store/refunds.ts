/** Money that the merchant owes or has lost; only its recipient ever changes, and not once it is being sent. */
export interface RefundRow {
  /**
   * Derived from order and cause, so recording it twice has no effect. Of money that paid no order: the id of the
   * transaction that brought it.
   */
  readonly refundId: string;
  /** Empty of money that paid no order. */
  readonly orderId: string;
  /** `loss`: a product delivered although its money had been refunded. */
  readonly kind: 'refund' | 'loss';
  /** Position of the refunded line; null for the whole order. */
  readonly line: number | null;
  readonly coin: string;
  /** Decimal digits, in units of 10^-decimals of the coin. */
  readonly amountAtomic: string;
  readonly decimals: number;
  /** Address that receives it; null if the order names none. */
  readonly recipient: string | null;
  readonly reason: string;
  readonly createdAtMs: number;
}

export interface Refunds {
  /** Records it, and a refund's open payment. Returns false if it is already recorded. */
  record(row: RefundRow): Promise<boolean>;
  byId(refundId: string): Promise<RefundRow | undefined>;
  ofOrder(orderId: string): Promise<readonly RefundRow[]>;
  /** Names the recipient of an order's refunds that have none. */
  address(orderId: string, recipient: string): Promise<void>;
  /** Replaces the recipient of one refund. */
  redirect(refundId: string, recipient: string): Promise<void>;
}
