/** What waits in a shop, counted by indexes alone: ended orders cost nothing. */
import { type Db, join, sql } from '../sql.ts';
import { type DeliveryRow, FAULTY } from './deliveries.ts';
import { type OutboxRow, UNDECIDED } from './outbox.ts';
import type { PartnerOrderRow } from './partner-orders.ts';
import type { PayoutRow } from './refunds.ts';

export interface Waiting {
  readonly count: number;
  /** Since when the oldest waits; null if none does. */
  readonly sinceMs: number | null;
}

export function backlogIn(db: Db) {
  const { all, only } = db;
  return {
    /** Orders of the partner API in these states, since they are in them. */
    partnerOrders: (states: readonly PartnerOrderRow['orderState'][]) =>
      all(sql<Waiting & Pick<PartnerOrderRow, 'orderState'>>`
        select order_state, count(*) as count, min(updated_at_ms) as since_ms
        from partner_orders where order_state in (${join(states)}) group by order_state`),
    /** Orders of the checkout host that are paid, or being paid. */
    orders: () =>
      only(sql<Waiting>`
        select count(*) as count, min(created_at_ms) as since_ms
        from orders where status = 'processing'`),
    /** Payments to the checkout host that the chain has not decided. */
    payments: () =>
      only(sql<Waiting>`
        select count(*) as count, min(created_at_ms) as since_ms
        from settlements where state = 'submitting'`),
    /** Lines whose supplier gave no goods, by fault. */
    faultyLines: () =>
      all(sql<Pick<Waiting, 'count'> & Pick<DeliveryRow, 'fault'>>`
        select fault, count(*) as count from deliveries where ${FAULTY} group by fault`),
    /** Refunds that are neither sent nor refused; null for those that wait for nothing in particular. */
    refunds: () =>
      // Only those that are final have no time.
      all(sql<Waiting & Pick<PayoutRow, 'waitsFor'>>`
        select payouts.waits_for, count(*) as count, min(refunds.created_at_ms) as since_ms
        from payouts inner join refunds on refunds.refund_id = payouts.refund_id
        where payouts.next_at_ms >= 0 group by payouts.waits_for`),
    /** Webhooks that did not arrive. */
    webhooks: async () => {
      const found = await all(sql<Pick<Waiting, 'count'> & Pick<OutboxRow, 'state'>>`
        select state, count(*) as count from outbox
        where state in ('pending', 'dead') group by state`);
      return (['pending', 'dead'] as const).map((state) => ({
        state,
        count: found.find((row) => row.state === state)?.count ?? 0,
      }));
    },
    /** Webhooks that failed so often, or were given up since an instant. */
    failingWebhooks: (attempts: number, sinceMs: number) =>
      only(sql<Pick<Waiting, 'count'>>`
        select count(*) as count from outbox where (state = 'pending' and attempts > ${attempts})
          or (state = 'dead' and next_attempt_at_ms >= ${sinceMs})`),
    /** Since when the oldest webhook is pending; null if none is. */
    oldestWebhook: async () => {
      const oldest = await only(sql<Pick<Waiting, 'sinceMs'>>`
        select min(created_at_ms) as since_ms from outbox where ${UNDECIDED}`);
      return oldest.sinceMs;
    },
  };
}
