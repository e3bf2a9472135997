/** The sandbox supplier's ledger: one row per reference, for any number of calls. */
import { type Db, sql } from '../sql.ts';
import { table } from '../table.ts';

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

export const purchases = table<PurchaseRow>('purchases', 'reference');

export function purchasesIn(db: Db) {
  const { first, put, rows } = purchases.in(db);
  return {
    byReference: (reference: string) => first({ reference }),
    put,
    rows,
    count: async () =>
      (await db.only(sql<{ readonly rows: number }>`select count(*) as rows from purchases`)).rows,
  };
}
