import { type Kysely, sql } from 'kysely';
import type { Database } from '../database.ts';
import type { PaymentRequestRow, PaymentRequests } from '../payment-requests.ts';
import { dueWorkOf } from './due-work.ts';
import { ALONE } from './engine.ts';

const dueRequests = dueWorkOf<PaymentRequestRow>(
  { name: 'paymentRequests', key: 'messageHash', dueAt: 'nextLookAtMs' },
  (db, { atMs, limit }) =>
    db
      .selectFrom('paymentRequests')
      .selectAll()
      .where('state', '=', 'live')
      .where('nextLookAtMs', '<=', atMs)
      .orderBy('createdAtMs')
      .limit(limit),
);

export function paymentRequestsIn(db: Kysely<Database>, { locksRows } = ALONE): PaymentRequests {
  const live = () => db.selectFrom('paymentRequests').selectAll().where('state', '=', 'live');
  return {
    insert: async (row) => {
      await db.insertInto('paymentRequests').values(row).execute();
    },
    liveOf: (orderId) => live().where('orderId', '=', orderId).executeTakeFirst(),
    ...dueRequests(db, locksRows),
    update: async (messageHash, changes) => {
      await db
        .updateTable('paymentRequests')
        .set(changes)
        .where('messageHash', '=', messageHash)
        .where('state', '=', 'live')
        .execute();
    },
    forget: async (beforeMs) => {
      await db
        .deleteFrom('paymentRequests')
        .where('createdAtMs', '<', beforeMs)
        .where('state', '!=', 'live')
        .execute();
    },
    lamportsSince: async (sinceMs) => {
      const sum = await db
        .selectFrom('paymentRequests')
        // As text: drivers keep fewer digits of a number than engines do.
        .select(sql<string | null>`cast(sum(cast(lamports as bigint)) as text)`.as('lamports'))
        .where('createdAtMs', '>=', sinceMs)
        .where('state', '!=', 'expired')
        .executeTakeFirst();
      return BigInt(sum?.lamports ?? 0);
    },
  };
}
