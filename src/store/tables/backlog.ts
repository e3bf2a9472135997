/** What waits in a shop, counted by indexes alone: ended orders cost nothing. */
import type { Db } from '../database.ts';
import { FAULTY } from './deliveries.ts';
import { UNDECIDED } from './outbox.ts';
import type { PartnerOrderRow } from './partner-orders.ts';

export interface Waiting {
  readonly count: number;
  /** Since when the oldest waits; null if none does. */
  readonly sinceMs: number | null;
}

const NONE: Waiting = { count: 0, sinceMs: null };

export function backlogIn(db: Db) {
  return {
    /** Orders of the partner API in these states, since they are in them. */
    partnerOrders: (states: readonly PartnerOrderRow['orderState'][]) =>
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
    /** Orders of the checkout host that are paid, or being paid. */
    orders: async (): Promise<Waiting> =>
      (await db
        .selectFrom('orders')
        .select(({ fn }) => [
          fn.countAll<number>().as('count'),
          fn.min<number | null>('createdAtMs').as('sinceMs'),
        ])
        .where('status', '=', 'processing')
        .executeTakeFirst()) ?? NONE,
    /** Payments to the checkout host that the chain has not decided. */
    payments: async (): Promise<Waiting> =>
      (await db
        .selectFrom('settlements')
        .select(({ fn }) => [
          fn.countAll<number>().as('count'),
          fn.min<number | null>('createdAtMs').as('sinceMs'),
        ])
        .where('state', '=', 'submitting')
        .executeTakeFirst()) ?? NONE,
    /** Lines whose supplier gave no goods, by fault. */
    faultyLines: () =>
      db
        .selectFrom('deliveries')
        .select(({ fn }) => ['fault', fn.countAll<number>().as('count')])
        .where(FAULTY)
        .groupBy('fault')
        .execute(),
    /** Refunds that are neither sent nor refused; null for those that wait for nothing in particular. */
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
    /** Webhooks that did not arrive. */
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
    /** Since when the oldest webhook is pending; null if none is. */
    oldestWebhook: async () => {
      const oldest = await db
        .selectFrom('outbox')
        .select(({ fn }) => fn.min<number | null>('createdAtMs').as('sinceMs'))
        .where(UNDECIDED)
        .executeTakeFirst();
      return oldest?.sinceMs ?? null;
    },
  };
}
