/** The schema steps of a shop's store. Names are snake_case in SQL. */
import { type Kysely, sql } from 'kysely';
import { createCallerFeeTable } from './caller-fee-schema.ts';
import { createCatalogTable } from './catalog-schema.ts';
import { createChain, leaveChain } from './chain-schema.ts';
import { type ColumnTypes, primary, required, requiredUnique, unique } from './columns.ts';
import type { Database } from './database.ts';
import { createLeaseTables } from './lease-schema.ts';
import { createDesk, createOperatorTables, renewWebhookSecrets } from './operator-schema.ts';
import { createPartnerTables } from './partner-schema.ts';
import { createPaymentRequestTable } from './payment-request-schema.ts';
import { createPayoutTables } from './payout-schema.ts';
import { createRatesTable } from './rates-schema.ts';
import { closeReceivingAccounts, createReceivingTables } from './receiving-schema.ts';
import { createRefundTables } from './refund-schema.ts';
import { createServersTable } from './servers-schema.ts';
import { createFacts, type Step } from './steps.ts';
import { rememberCodes } from './supplied-schema.ts';
import { createTriesTable } from './tries-schema.ts';
import { createWizardTables } from './wizard-schema.ts';

/**
 * Steps from an empty database to this program's schema, append-only: a database of version n has
 * run the first n. The engine runs the missing ones in one transaction.
 */
export const STEPS: readonly Step[] = [
  async (db, types) => {
    await createCheckout(db, types);
    await createClaims(db);
    await createChain(db, types);
    await createFacts(db);
  },
  createPartnerTables,
  createWizardTables,
  createRefundTables,
  namePayments,
  nameMakers,
  createCallerFeeTable,
  createLeaseTables,
  leaveChain,
  orderWebhooks,
  countPaidOrders,
  createReceivingTables,
  createPaymentRequestTable,
  createPayoutTables,
  createTriesTable,
  createOperatorTables,
  createRatesTable,
  createServersTable,
  createDesk,
  renewWebhookSecrets,
  createCatalogTable,
  ageWebhooks,
  rememberCodes,
  closeReceivingAccounts,
  namePages,
];

/** The first version that keeps the chain in its own store. */
export const CHAIN_LEFT = STEPS.indexOf(leaveChain) + 1;

async function createCheckout(db: Kysely<Database>, types: ColumnTypes): Promise<void> {
  await createSessions(db);
  await createSettlements(db);
  await createOrders(db);
  await createDeliveries(db, types);
}

async function createSessions(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('sessions')
    .addColumn('sessionId', 'text', primary)
    .addColumn('bodyHash', 'text', required)
    .addColumn('body', 'text', required)
    .addColumn('payTo', 'text', required)
    .addColumn('destination', 'text', requiredUnique)
    .addColumn('amountAtomic', 'text', required)
    .addColumn('requirement', 'text', required)
    .addColumn('lines', 'text', required)
    .addColumn('createdAtMs', 'bigint', required)
    .addColumn('expiresAtMs', 'bigint', required)
    .execute();
}

/** Unique columns allow one settlement per message, session, order and transaction, even in a race. */
async function createSettlements(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('settlements')
    .addColumn('messageHash', 'text', primary)
    .addColumn('sessionId', 'text', requiredUnique)
    .addColumn('orderId', 'text', requiredUnique)
    .addColumn('payload', 'text', required)
    .addColumn('payer', 'text', required)
    .addColumn('state', 'text', required)
    .addColumn('transaction', 'text', unique)
    .addColumn('reason', 'text')
    .addColumn('createdAtMs', 'bigint', required)
    .addColumn('settledAtMs', 'bigint')
    .execute();
  await db.schema
    .createIndex('settlements_by_state')
    .on('settlements')
    .columns(['state', 'createdAtMs'])
    .execute();
}

/** Fifth step: the buyer's payment ids, unique among settlements that have not failed. */
async function namePayments(db: Kysely<Database>): Promise<void> {
  await db.schema.alterTable('settlements').addColumn('paymentId', 'text').execute();
  await db.schema
    .createIndex('settlements_by_payment_id')
    .unique()
    .on('settlements')
    .column('paymentId')
    .where(sql.ref('state'), '!=', sql.lit('failed'))
    .execute();
}

/** Tenth step: an index for sending an order's webhooks one after another. */
async function orderWebhooks(db: Kysely<Database>): Promise<void> {
  await db.schema.createIndex('outbox_of_order').on('outbox').columns(['orderId', 'seq']).execute();
}

/**
 * Step 22: an index for how long the oldest webhook waits. SQLite takes it only where no index has an
 * equal state to offer.
 */
async function ageWebhooks(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createIndex('outbox_by_age')
    .on('outbox')
    .column('createdAtMs')
    .where(sql<boolean>`state <> 'delivered' and state <> 'dead'`)
    .execute();
}

/** Step 25: ids of payment pages, so that a page's link does not hold the order's id. */
export async function namePages(db: Kysely<Database>, types: ColumnTypes): Promise<void> {
  await types.addPageIds(db);
  await db.schema
    .createIndex('partner_orders_by_page')
    .unique()
    .on('partnerOrders')
    .column('pageId')
    .execute();
}

/** Eleventh step: an index of paid orders per email address, for spending limits. */
async function countPaidOrders(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createIndex('partner_orders_paid')
    .on('partnerOrders')
    .columns(['email', 'createdAtMs'])
    .where(sql.ref('paymentState'), '=', sql.lit('PaymentReceived'))
    .execute();
}

/** Sixth step: who created an order of the partner API. */
async function nameMakers(db: Kysely<Database>): Promise<void> {
  await db.schema.alterTable('partnerOrders').addColumn('maker', 'text').execute();
}

/** No foreign key to the session: sessions may be deleted while orders are kept. */
async function createOrders(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('orders')
    .addColumn('orderId', 'text', primary)
    .addColumn('sessionId', 'text', requiredUnique)
    .addColumn('email', 'text', required)
    .addColumn('status', 'text', required)
    .addColumn('callbackUrl', 'text')
    .addColumn('createdAtMs', 'bigint', required)
    .addColumn('updatedAtMs', 'bigint', required)
    .execute();
}

async function createDeliveries(db: Kysely<Database>, types: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('deliveries')
    .addColumn('deliveryId', 'text', primary)
    .addColumn('orderId', 'text', (column) => column.notNull().references('orders.orderId'))
    .addColumn('line', 'integer', required)
    .addColumn('beneficiary', 'text', required)
    .addColumn('goods', 'text', required)
    .addColumn('state', 'text', required)
    .addColumn('attempts', 'integer', required)
    .addColumn('nextAttemptAtMs', 'bigint', required)
    .addColumn('voucher', types.bytes)
    .addColumn('failureReason', 'text')
    .addUniqueConstraint('deliveries_by_line', ['orderId', 'line'])
    .execute();
  await db.schema
    .createIndex('deliveries_due')
    .on('deliveries')
    .columns(['state', 'nextAttemptAtMs'])
    .execute();
}

async function createClaims(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('claims')
    .addColumn('messageHash', 'text', primary)
    .addColumn('transaction', 'text', requiredUnique)
    .addColumn('wire', 'text', required)
    .addColumn('lastValidBlockHeight', 'bigint', required)
    .addColumn('state', 'text', required)
    .addColumn('reason', 'text')
    .addColumn('createdAtMs', 'bigint', required)
    .execute();
  await db.schema
    .createTable('purchases')
    .addColumn('reference', 'text', primary)
    .addColumn('request', 'text', required)
    .addColumn('outcome', 'text', required)
    .addColumn('readyAtMs', 'bigint', required)
    .addColumn('attempts', 'integer', required)
    .addColumn('voucher', 'text')
    .addColumn('createdAtMs', 'bigint', required)
    .execute();
}
