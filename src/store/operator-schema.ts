/** Schema steps: partners with secrets, and the log of what operators do. */
import type { Kysely } from 'kysely';
import { primary, required } from './columns.ts';
import type { Database } from './database.ts';

export async function createOperatorTables(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('partners')
    .addColumn('partnerId', 'text', primary)
    .addColumn('secretHash', 'text', required)
    .addColumn('formerHash', 'text')
    .addColumn('formerUntilMs', 'bigint')
    .addColumn('networks', 'text', required)
    .addColumn('ordersPerMinute', 'integer')
    .addColumn('createdAtMs', 'bigint', required)
    .addColumn('revokedAtMs', 'bigint')
    .addColumn('version', 'integer', required)
    .execute();
  await db.schema
    .createTable('operatorActions')
    .addColumn('actionId', 'text', primary)
    .addColumn('atMs', 'bigint', required)
    .addColumn('who', 'text', required)
    .addColumn('action', 'text', required)
    .addColumn('subject', 'text', required)
    .addColumn('result', 'text', required)
    .execute();
  await db.schema
    .createIndex('operator_actions_latest')
    .on('operatorActions')
    .columns(['atMs', 'actionId'])
    .execute();
}

/** A later step: why an operator acted, and indexes of orders by state, for lists and monitors. */
export async function createDesk(db: Kysely<Database>): Promise<void> {
  await db.schema.alterTable('operatorActions').addColumn('reason', 'text').execute();
  await db.schema
    .createIndex('partner_orders_by_state')
    .on('partnerOrders')
    .columns(['orderState', 'updatedAtMs'])
    .execute();
  await db.schema
    .createIndex('orders_by_status')
    .on('orders')
    .columns(['status', 'createdAtMs'])
    .execute();
}

/** A later step: how often a partner's webhook secret was changed, and until when the one before signs. */
export async function renewWebhookSecrets(db: Kysely<Database>): Promise<void> {
  await db.schema
    .alterTable('partners')
    .addColumn('webhookGeneration', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('partners').addColumn('formerWebhookUntilMs', 'bigint').execute();
}
