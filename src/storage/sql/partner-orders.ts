import { type Kysely, sql } from 'kysely';
import type { Database } from '../database.ts';
import type { PartnerOrders } from '../partner-orders.ts';
import { changedOne } from './changes.ts';
import { ALONE } from './engine.ts';

/** Ends without the full amount: such an order no longer holds its coupon. */
const UNPAID_ENDS = ['Expired', 'ExpiredAfterPaymentDetection', 'PaymentCanceled'] as const;

export function partnerOrdersIn(db: Kysely<Database>, { locksRows } = ALONE): PartnerOrders {
  const all = () => db.selectFrom('partnerOrders').selectAll();
  return {
    insert: async (row, deliveries) => {
      await db.insertInto('partnerOrders').values(row).execute();
      if (deliveries.length > 0) await db.insertInto('deliveries').values(deliveries).execute();
    },
    byId: (orderId) =>
      all()
        .where('orderId', '=', orderId)
        .$if(locksRows, (query) => query.forUpdate())
        .executeTakeFirst(),
    byIdempotencyKey: (applicationId, key) =>
      all()
        .where('applicationId', '=', applicationId)
        .where('idempotencyKey', '=', key)
        .executeTakeFirst(),
    due: (atMs, limit) =>
      all()
        .where('nextLookAtMs', '<=', atMs)
        .orderBy('nextLookAtMs')
        .orderBy('orderId')
        .limit(limit)
        .execute(),
    wake: async (of, atMs) => {
      const addresses = 'addresses' in of ? of.addresses : [];
      if ('addresses' in of && addresses.length === 0) return;
      await db
        .updateTable('partnerOrders')
        // What read the row before must not put its next look off again.
        .set((eb) => ({ nextLookAtMs: atMs, version: eb('version', '+', 1) }))
        .where((eb) =>
          'orderId' in of ? eb('orderId', '=', of.orderId) : eb('walletAddress', 'in', addresses),
        )
        .where('nextLookAtMs', '>', atMs)
        .execute();
    },
    update: async ({ orderId, version }, { orderId: _key, ...after }) =>
      changedOne(
        await db
          .updateTable('partnerOrders')
          .set({ ...after, version: version + 1 })
          .where('orderId', '=', orderId)
          .where('version', '=', version)
          .executeTakeFirst(),
      ),
    ...countsIn(db),
  };
}

type Counts = Pick<PartnerOrders, 'paidBy' | 'couponUse' | 'closedSince' | 'lastCreatedAtMs'>;

function countsIn(db: Kysely<Database>): Counts {
  return {
    paidBy: (email, sinceMs) =>
      db
        .selectFrom('partnerOrders')
        .select(['createdAtMs', 'valueUsd'])
        .where('email', '=', email)
        .where('createdAtMs', '>=', sinceMs)
        // Written out: a value that is bound would not be known to have an index of its own.
        .where('paymentState', '=', sql.lit('PaymentReceived'))
        .where('orderState', '!=', 'Refunded')
        .execute(),
    couponUse: async (code, email) => {
      const holders = await db
        .selectFrom('partnerOrders')
        .select('email')
        .where('couponCode', '=', code)
        .where('paymentState', 'not in', UNPAID_ENDS)
        .where('orderState', 'not in', ['PaymentSetupFailed', 'Refunded'])
        .execute();
      const byCustomer = holders.filter((holder) => holder.email === email).length;
      return { total: holders.length, byCustomer };
    },
    closedSince: async (applicationId, sinceMs) => {
      const closed = await db
        .selectFrom('partnerOrders')
        .select(['paymentState', 'receivedAtomic'])
        .where('applicationId', '=', applicationId)
        .where('closedAtMs', '>', sinceMs)
        // It could not have been paid.
        .where('orderState', '!=', 'PaymentSetupFailed')
        .execute();
      const unpaid = closed.filter(
        (row) => row.paymentState !== 'PaymentReceived' && row.receivedAtomic === '0',
      );
      return { closed: closed.length, unpaid: unpaid.length };
    },
    lastCreatedAtMs: async (applicationId) => {
      const last = await db
        .selectFrom('partnerOrders')
        .select('createdAtMs')
        .where('applicationId', '=', applicationId)
        .orderBy('createdAtMs', 'desc')
        .limit(1)
        .executeTakeFirst();
      return last?.createdAtMs;
    },
  };
}
