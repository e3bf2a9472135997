/** The sandbox supplier's ledger: one row per reference, for any number of calls. */
import { createTable } from '../columns.ts';
import type { Db } from '../database.ts';
import { statement } from '../statement.ts';

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

declare module '../database.ts' {
  interface Database {
    readonly purchases: PurchaseRow;
  }
}

export const createPurchases = createTable('purchases', {
  reference: 'text key',
  request: 'text',
  outcome: 'text',
  readyAtMs: 'bigint',
  attempts: 'integer',
  voucher: 'text?',
  createdAtMs: 'bigint',
});

const BY_REFERENCE = statement((db, { reference }: Pick<PurchaseRow, 'reference'>) =>
  db.selectFrom('purchases').selectAll().where('reference', '=', reference),
);

const PUT = statement((db, { reference, ...rest }: PurchaseRow) =>
  db
    .insertInto('purchases')
    .values({ reference, ...rest })
    .onConflict((conflict) => conflict.column('reference').doUpdateSet(rest)),
);

const COUNT = statement((db) =>
  db.selectFrom('purchases').select((eb) => eb.fn.countAll().as('rows')),
);

export function purchasesIn(db: Db) {
  return {
    byReference: (reference: string): Promise<PurchaseRow | undefined> =>
      BY_REFERENCE.first(db, { reference }),
    /** Inserts or replaces by reference. */
    put: (row: PurchaseRow) => PUT.run(db, row),
    count: async () => Number((await COUNT.only(db, {})).rows),
  };
}
