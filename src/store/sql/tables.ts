import type { Kysely } from 'kysely';
import type { ChainTables } from '../chain-records.ts';
import type { Database } from '../database.ts';
import type { Tables } from '../store.ts';
import { backlogIn } from './backlog.ts';
import { booksIn } from './books.ts';
import { callerFeesIn } from './caller-fees.ts';
import { catalogsIn } from './catalogs.ts';
import { chainIn } from './chain.ts';
import { choresIn } from './chores.ts';
import { claimsIn } from './claims.ts';
import { deliveriesIn } from './deliveries.ts';
import { ALONE } from './engine.ts';
import { factsIn } from './facts.ts';
import { operatorActionsIn } from './operator-actions.ts';
import { orderEventsIn } from './order-events.ts';
import { ordersIn } from './orders.ts';
import { outboxIn } from './outbox.ts';
import { partnerOrdersIn } from './partner-orders.ts';
import { partnersIn } from './partners.ts';
import { paymentLeasesIn } from './payment-leases.ts';
import { paymentRequestsIn } from './payment-requests.ts';
import { payoutsIn } from './payouts.ts';
import { purchasesIn } from './purchases.ts';
import { receivingAccountsIn } from './receiving-accounts.ts';
import { refundsIn } from './refunds.ts';
import { serversIn } from './servers.ts';
import { sessionsIn } from './sessions.ts';
import { settlementsIn } from './settlements.ts';
import { sharedRatesIn } from './shared-rates.ts';
import { wizardSessionsIn } from './wizard-sessions.ts';

/** Creates all tables of a shop over one connection or transaction. */
export function tablesIn(db: Kysely<Database>, engine = ALONE): Tables {
  return {
    sessions: sessionsIn(db),
    settlements: settlementsIn(db, engine),
    orders: ordersIn(db),
    deliveries: deliveriesIn(db, engine),
    partnerOrders: partnerOrdersIn(db, engine),
    paymentLeases: paymentLeasesIn(db),
    orderEvents: orderEventsIn(db, engine),
    outbox: outboxIn(db, engine),
    wizardSessions: wizardSessionsIn(db),
    claims: claimsIn(db),
    purchases: purchasesIn(db),
    refunds: refundsIn(db),
    paymentRequests: paymentRequestsIn(db, engine),
    payouts: payoutsIn(db, engine),
    receivingAccounts: receivingAccountsIn(db),
    partners: partnersIn(db),
    catalogs: catalogsIn(db),
    operatorActions: operatorActionsIn(db),
    callerFees: callerFeesIn(db),
    backlog: backlogIn(db),
    books: booksIn(db),
    sharedRates: sharedRatesIn(db),
    chores: choresIn(db),
    servers: serversIn(db),
    facts: factsIn(db),
    holds: engine.holds(db),
  };
}

/** The same for an embedded chain. */
export function chainTablesIn(db: Kysely<Database>): ChainTables {
  return { chain: chainIn(db), facts: factsIn(db) };
}
