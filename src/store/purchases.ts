/** The sandbox supplier's ledger: one row per reference, for any number of calls. */
export interface PurchaseRow {
  readonly reference: string;
  /** JSON of the request. */
  readonly request: string;
  readonly outcome: 'fulfilled' | 'refused';
  /** From when on the caller sees the outcome. */
  readonly readyAtMs: number;
  readonly attempts: number;
  /** JSON voucher, or null. */
  readonly voucher: string | null;
  readonly createdAtMs: number;
}

export interface Purchases {
  byReference(reference: string): Promise<PurchaseRow | undefined>;
  /** Inserts or replaces by reference. */
  put(row: PurchaseRow): Promise<void>;
  count(): Promise<number>;
}
