/** Second schema step: orders of the partner API, events of all orders, and webhooks. */
import type { Kysely } from 'kysely';
import { type ColumnTypes, primary, required, unique } from './columns.ts';
import type { Database } from './database.ts';

export async function createPartnerTables(db: Kysely<Database>, types: ColumnTypes): Promise<void> {
  await createPartnerOrders(db);
  await createOrderEvents(db);
  await createOutbox(db);
  await freeDeliveries(db, types);
}

async function createPartnerOrders(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('partnerOrders')
    .addColumn('orderId', 'text', primary)
    .addColumn('applicationId', 'text', required)
    .addColumn('orderState', 'text', required)
    .addColumn('paymentState', 'text', required)
    .addColumn('email', 'text', required)
    .addColumn('request', 'text', required)
    .addColumn('lines', 'text', required)
    .addColumn('quote', 'text', required)
    .addColumn('valueUsd', 'text', required)
    .addColumn('couponCode', 'text')
    .addColumn('coin', 'text', required)
    .addColumn('network', 'text')
    .addColumn('decimals', 'integer', required)
    .addColumn('coinAmountAtomic', 'text', required)
    .addColumn('receivedAtomic', 'text', required)
    .addColumn('seenAtomic', 'text', required)
    .addColumn('walletAddress', 'text', unique)
    .addColumn('transactions', 'text', required)
    .addColumn('notificationUrl', 'text')
    .addColumn('refundAddress', 'text')
    .addColumn('idempotencyKey', 'text')
    .addColumn('createdAtMs', 'bigint', required)
    .addColumn('windowEndsAtMs', 'bigint', required)
    .addColumn('updatedAtMs', 'bigint', required)
    .addColumn('closedAtMs', 'bigint')
    .addColumn('nextLookAtMs', 'bigint')
    .addColumn('version', 'integer', required)
    // Null keys count as different from each other.
    .addUniqueConstraint('partner_orders_by_key', ['applicationId', 'idempotencyKey'])
    .execute();
  await indexPartnerOrders(db);
}

async function indexPartnerOrders(db: Kysely<Database>): Promise<void> {
  const index = (name: string, columns: (keyof Database['partnerOrders'])[]) =>
    db.schema.createIndex(name).on('partnerOrders').columns(columns).execute();
  await index('partner_orders_due', ['nextLookAtMs']);
  await index('partner_orders_by_email', ['email', 'createdAtMs']);
  await index('partner_orders_by_coupon', ['couponCode']);
  await index('partner_orders_closed', ['applicationId', 'closedAtMs']);
  await index('partner_orders_created', ['applicationId', 'createdAtMs']);
}

/** No foreign key: orders of both surfaces have events. */
async function createOrderEvents(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('orderEvents')
    .addColumn('position', 'bigint', primary)
    .addColumn('orderId', 'text', required)
    .addColumn('seq', 'integer', required)
    .addColumn('atMs', 'bigint', required)
    .addColumn('body', 'text', required)
    .addUniqueConstraint('order_events_by_order', ['orderId', 'seq'])
    .execute();
}

async function createOutbox(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('outbox')
    .addColumn('webhookId', 'text', primary)
    .addColumn('orderId', 'text', required)
    .addColumn('seq', 'integer', required)
    .addColumn('url', 'text', required)
    .addColumn('attempts', 'integer', required)
    .addColumn('nextAttemptAtMs', 'bigint', required)
    .addColumn('state', 'text', required)
    .addColumn('lastError', 'text')
    .addColumn('createdAtMs', 'bigint', required)
    .execute();
  await db.schema
    .createIndex('outbox_due')
    .on('outbox')
    .columns(['state', 'nextAttemptAtMs'])
    .execute();
}

/** Deliveries now belong to an order of either surface, which a foreign key cannot express. */
async function freeDeliveries(db: Kysely<Database>, types: ColumnTypes): Promise<void> {
  await db.schema.dropIndex('deliveries_due').execute();
  await db.schema.alterTable('deliveries').renameTo('boundDeliveries').execute();
  await db.schema
    .createTable('deliveries')
    .addColumn('deliveryId', 'text', primary)
    .addColumn('orderId', 'text', required)
    .addColumn('line', 'integer', required)
    .addColumn('beneficiary', 'text', required)
    .addColumn('goods', 'text', required)
    .addColumn('state', 'text', required)
    .addColumn('attempts', 'integer', required)
    .addColumn('nextAttemptAtMs', 'bigint', required)
    .addColumn('voucher', types.bytes)
    .addColumn('failureReason', 'text')
    .addUniqueConstraint('free_deliveries_by_line', ['orderId', 'line'])
    .execute();
  await db
    .insertInto('deliveries')
    .expression((eb) => eb.selectFrom('boundDeliveries').selectAll())
    .execute();
  await db.schema.dropTable('boundDeliveries').execute();
  await db.schema
    .createIndex('deliveries_due')
    .on('deliveries')
    .columns(['state', 'nextAttemptAtMs'])
    .execute();
}
