/** The tables of a shop, and what of their SQL differs between engines. */
import { type Db, type Sql, sql } from './sql.ts';
import { backlogIn } from './tables/backlog.ts';
import { catalogsIn } from './tables/catalogs.ts';
import { claimsIn, feeTransactionsIn } from './tables/claims.ts';
import { BRANDS, deliveriesIn } from './tables/deliveries.ts';
import { factsIn } from './tables/facts.ts';
import { operatorActionsIn } from './tables/operator-actions.ts';
import { type AddEvent, addEventAt, orderEventsIn } from './tables/order-events.ts';
import { ordersIn } from './tables/orders.ts';
import { outboxIn } from './tables/outbox.ts';
import { partnerOrdersIn, type WholeOrder } from './tables/partner-orders.ts';
import { partnersIn } from './tables/partners.ts';
import { paymentLeasesIn } from './tables/payment-leases.ts';
import { paymentRequestsIn } from './tables/payment-requests.ts';
import { purchasesIn } from './tables/purchases.ts';
import { sharedRatesIn } from './tables/rates.ts';
import { receivingAccountsIn } from './tables/receiving-accounts.ts';
import { payoutsIn, refundsIn } from './tables/refunds.ts';
import { salesIn } from './tables/sales.ts';
import { serversIn } from './tables/servers.ts';
import { sessionsIn } from './tables/sessions.ts';
import { settlementsIn } from './tables/settlements.ts';
import { choresIn } from './tables/tries.ts';
import { wizardSessionsIn } from './tables/wizard-sessions.ts';
import type { Holds } from './writes.ts';

export interface Engine {
  readonly holds: (db: Db) => Holds;
  /** Whether a write locks the rows that it reads in order to change them. */
  readonly locksRows: boolean;
  readonly addEvent: AddEvent;
  /** The brand of a line's goods. */
  readonly brand: Sql;
  /** Inserts a whole order by one statement, if that is cheaper than several. */
  readonly insertOrder?: (order: WholeOrder) => Sql;
}

/** Of an engine that runs one write at a time. */
export const ALONE: Engine = {
  locksRows: false,
  holds: () => ({ take: async () => undefined }),
  addEvent: addEventAt(sql`(select coalesce(max(position), 0) + 1 from order_events)`),
  brand: { text: BRANDS.sqlite, values: [] },
};

export type Tables = ReturnType<typeof tablesIn>;

/** All tables over one connection or transaction. */
export function tablesIn(db: Db, engine = ALONE) {
  const { locksRows, addEvent } = engine;
  return {
    sessions: sessionsIn(db),
    settlements: settlementsIn(db, locksRows),
    orders: ordersIn(db),
    deliveries: deliveriesIn(db, locksRows),
    partnerOrders: partnerOrdersIn(db, engine),
    paymentLeases: paymentLeasesIn(db),
    orderEvents: orderEventsIn(db, addEvent),
    outbox: outboxIn(db, locksRows),
    wizardSessions: wizardSessionsIn(db),
    claims: claimsIn(db),
    feeTransactions: feeTransactionsIn(db),
    purchases: purchasesIn(db),
    refunds: refundsIn(db),
    paymentRequests: paymentRequestsIn(db, locksRows),
    payouts: payoutsIn(db, locksRows),
    sales: salesIn(db),
    receivingAccounts: receivingAccountsIn(db),
    partners: partnersIn(db),
    catalogs: catalogsIn(db),
    operatorActions: operatorActionsIn(db),
    backlog: backlogIn(db),
    sharedRates: sharedRatesIn(db),
    chores: choresIn(db, 'accounts'),
    personChores: choresIn(db, 'persons'),
    /** Loaded on first use. */
    persons: async () => (await import('./tables/persons.ts')).personsIn(db),
    orderSearch: async () => (await import('./tables/order-search.ts')).orderSearchIn(db, engine),
    servers: serversIn(db),
    facts: factsIn(db),
    holds: engine.holds(db),
  };
}
