import { type Kysely, sql } from 'kysely';
import type { Backlog, Waiting } from '../backlog.ts';
import type { Database } from '../database.ts';
import { FAULTY } from '../supplied-schema.ts';

const NONE: Waiting = { count: 0, sinceMs: null };

export function backlogIn(db: Kysely<Database>): Backlog {
  return {
    partnerOrders: (states) =>
      db
        .selectFrom('partnerOrders')
        .select(({ fn }) => [
          'orderState',
          fn.countAll<number>().as('count'),
          fn.min<number>('updatedAtMs').as('sinceMs'),
        ])
        .where('orderState', 'in', states)
        .groupBy('orderState')
        .execute(),
    orders: async () =>
      (await db
        .selectFrom('orders')
        .select(({ fn }) => [
          fn.countAll<number>().as('count'),
          fn.min<number | null>('createdAtMs').as('sinceMs'),
        ])
        .where('status', '=', 'processing')
        .executeTakeFirst()) ?? NONE,
    payments: async () =>
      (await db
        .selectFrom('settlements')
        .select(({ fn }) => [
          fn.countAll<number>().as('count'),
          fn.min<number | null>('createdAtMs').as('sinceMs'),
        ])
        .where('state', '=', 'submitting')
        .executeTakeFirst()) ?? NONE,
    faultyLines: () =>
      db
        .selectFrom('deliveries')
        .select(({ fn }) => ['fault', fn.countAll<number>().as('count')])
        .where(FAULTY)
        .groupBy('fault')
        .execute(),
    refunds: () =>
      db
        .selectFrom('payouts')
        .innerJoin('refunds', 'refunds.refundId', 'payouts.refundId')
        .select(({ fn }) => [
          'payouts.waitsFor',
          fn.countAll<number>().as('count'),
          fn.min<number>('refunds.createdAtMs').as('sinceMs'),
        ])
        // Only those that are final have none.
        .where('payouts.nextAtMs', '>=', 0)
        .groupBy('payouts.waitsFor')
        .execute(),
    webhooks: async () => {
      const found = await db
        .selectFrom('outbox')
        .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
        .where('state', 'in', ['pending', 'dead'])
        .groupBy('state')
        .execute();
      return (['pending', 'dead'] as const).map((state) => ({
        state,
        count: found.find((row) => row.state === state)?.count ?? 0,
      }));
    },
    oldestWebhook: async () => {
      const oldest = await db
        .selectFrom('outbox')
        .select(({ fn }) => fn.min<number | null>('createdAtMs').as('sinceMs'))
        // Pending, in the words of the index, which holds those alone.
        .where(sql<boolean>`state <> 'delivered' and state <> 'dead'`)
        .executeTakeFirst();
      return oldest?.sinceMs ?? null;
    },
  };
}
