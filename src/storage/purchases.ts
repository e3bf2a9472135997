/** The ledger of the sandbox's supplier. */

/** The sandbox supplier's ledger: one row per reference, for any number of calls. */
export interface PurchaseRow {
  readonly reference: string;
  /** JSON of what was asked for. */
  readonly request: string;
  readonly outcome: 'fulfilled' | 'refused';
  /** When the outcome becomes visible to the caller. */
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
