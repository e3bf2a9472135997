/** Leases to pay an order of the partner API. */
import { createTable } from '../columns.ts';
import type { Db } from '../database.ts';

export interface PaymentLeaseRow {
  readonly orderId: string;
  /** The last holder, by a name it chose itself. */
  readonly holder: string;
  readonly endsAtMs: number;
  /** How often the lease changed its holder. */
  readonly passedOn: number;
}

declare module '../database.ts' {
  interface Database {
    readonly paymentLeases: PaymentLeaseRow;
  }
}

export const createPaymentLeases = createTable('paymentLeases', {
  orderId: 'text key',
  holder: 'text',
  endsAtMs: 'bigint',
  passedOn: 'integer',
});

export function paymentLeasesIn(db: Db) {
  return {
    ofOrder: (orderId: string): Promise<PaymentLeaseRow | undefined> =>
      db.selectFrom('paymentLeases').selectAll().where('orderId', '=', orderId).executeTakeFirst(),
    /** Inserts the lease, or replaces the order's previous one. */
    put: async ({ orderId, ...lease }: PaymentLeaseRow) => {
      await db
        .insertInto('paymentLeases')
        .values({ orderId, ...lease })
        .onConflict((conflict) => conflict.column('orderId').doUpdateSet(lease))
        .execute();
    },
  };
}
