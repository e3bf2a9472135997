import { type Kysely, sql } from 'kysely';
import type { Database } from '../database.ts';
import type { PaymentRequests } from '../payment-requests.ts';

export function paymentRequestsIn(db: Kysely<Database>): PaymentRequests {
  const live = () => db.selectFrom('paymentRequests').selectAll().where('state', '=', 'live');
  return {
    insert: async (row) => {
      await db.insertInto('paymentRequests').values(row).execute();
    },
    liveOf: (orderId) => live().where('orderId', '=', orderId).executeTakeFirst(),
    due: (atMs, limit) =>
      live().where('nextLookAtMs', '<=', atMs).orderBy('createdAtMs').limit(limit).execute(),
    update: async (messageHash, changes) => {
      await db
        .updateTable('paymentRequests')
        .set(changes)
        .where('messageHash', '=', messageHash)
        .where('state', '=', 'live')
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
