/** Whose turn it is to pay an order of the partner API. */

export interface PaymentLeaseRow {
  readonly orderId: string;
  /** The last holder, by a name of its own choice. */
  readonly holder: string;
  readonly endsAtMs: number;
  /** How often it went from one holder to another. */
  readonly passedOn: number;
}

export interface PaymentLeases {
  ofOrder(orderId: string): Promise<PaymentLeaseRow | undefined>;
  /** In the place of the one before. */
  put(row: PaymentLeaseRow): Promise<void>;
}
