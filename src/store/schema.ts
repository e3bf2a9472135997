/** The schema steps of a shop's store. */
import { inTurn, type Step } from './steps.ts';
import { createCallerFees } from './tables/caller-fees.ts';
import { createCatalogs } from './tables/catalogs.ts';
import { createChain, leaveChain } from './tables/chain.ts';
import { createClaims } from './tables/claims.ts';
import { createDeliveries, freeDeliveries, rememberCodes } from './tables/deliveries.ts';
import { createFacts } from './tables/facts.ts';
import { createOperatorActions, giveReasons } from './tables/operator-actions.ts';
import { createOrderEvents } from './tables/order-events.ts';
import { createOrders, indexOrdersByStatus } from './tables/orders.ts';
import { ageWebhooks, createOutbox, orderWebhooks } from './tables/outbox.ts';
import {
  countPaidOrders,
  createPartnerOrders,
  indexPartnerOrdersByState,
  nameMakers,
  namePages,
} from './tables/partner-orders.ts';
import { createPartners, renewWebhookSecrets } from './tables/partners.ts';
import { createPaymentLeases } from './tables/payment-leases.ts';
import { createPaymentRequests } from './tables/payment-requests.ts';
import { createPurchases } from './tables/purchases.ts';
import { createRates } from './tables/rates.ts';
import { closeReceivingAccounts, createReceivingAccounts } from './tables/receiving-accounts.ts';
import { createPayouts, createRefunds } from './tables/refunds.ts';
import { createServers } from './tables/servers.ts';
import { createSessions } from './tables/sessions.ts';
import { createSettlements, namePayments } from './tables/settlements.ts';
import { createTries } from './tables/tries.ts';
import { createWizardSessions } from './tables/wizard-sessions.ts';

/**
 * Steps from an empty database to this program's schema, append-only: a database of version n has
 * run the first n. The engine runs the missing ones in one transaction.
 */
export const STEPS: readonly Step[] = [
  inTurn(
    createSessions,
    createSettlements,
    createOrders,
    createDeliveries,
    createClaims,
    createPurchases,
    createChain,
    createFacts,
  ),
  inTurn(createPartnerOrders, createOrderEvents, createOutbox, freeDeliveries),
  createWizardSessions,
  createRefunds,
  namePayments,
  nameMakers,
  createCallerFees,
  createPaymentLeases,
  leaveChain,
  orderWebhooks,
  countPaidOrders,
  createReceivingAccounts,
  createPaymentRequests,
  createPayouts,
  createTries,
  inTurn(createPartners, createOperatorActions),
  createRates,
  createServers,
  inTurn(giveReasons, indexPartnerOrdersByState, indexOrdersByStatus),
  renewWebhookSecrets,
  createCatalogs,
  ageWebhooks,
  rememberCodes,
  closeReceivingAccounts,
  namePages,
];
