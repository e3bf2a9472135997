/** Leases to pay an order of the partner API. */

export interface PaymentLeaseRow {
  readonly orderId: string;
  /** The last holder, by a name it chose itself. */
  readonly holder: string;
  readonly endsAtMs: number;
  /** How often the lease changed its holder. */
  readonly passedOn: number;
}

export interface PaymentLeases {
  ofOrder(orderId: string): Promise<PaymentLeaseRow | undefined>;
  /** Inserts the lease, or replaces the order's previous one. */
  put(row: PaymentLeaseRow): Promise<void>;
}
