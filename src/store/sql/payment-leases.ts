import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { PaymentLeases } from '../payment-leases.ts';

export function paymentLeasesIn(db: Kysely<Database>): PaymentLeases {
  return {
    ofOrder: (orderId) =>
      db.selectFrom('paymentLeases').selectAll().where('orderId', '=', orderId).executeTakeFirst(),
    put: async ({ orderId, ...lease }) => {
      await db
        .insertInto('paymentLeases')
        .values({ orderId, ...lease })
        .onConflict((conflict) => conflict.column('orderId').doUpdateSet(lease))
        .execute();
    },
  };
}
