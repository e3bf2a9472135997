/** The tables, as rows see them, and the steps that make them. Names are snake_case in SQL. */
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type {
  ChainAccountRow,
  ChainTransactionRow,
  ClaimRow,
  DeliveryRow,
  OrderRow,
  PurchaseRow,
  SessionRow,
  SettlementRow,
} from './store.ts';

/** Engines without booleans count, so every engine does. */
type Flag = 0 | 1;

export interface ChainAccountRecord extends Omit<ChainAccountRow, 'executable'> {
  readonly executable: Flag;
}

export interface ChainTransactionRecord extends ChainTransactionRow {
  /** Order of execution, from 1. */
  readonly position: number;
}

/** Which transaction named which account. */
interface ChainMentionRecord {
  readonly address: string;
  readonly position: number;
}

interface FactRecord {
  readonly name: string;
  readonly value: string;
}

export interface Database {
  readonly sessions: SessionRow;
  readonly settlements: SettlementRow;
  readonly orders: OrderRow;
  readonly deliveries: DeliveryRow;
  readonly claims: ClaimRow;
  readonly purchases: PurchaseRow;
  readonly chainAccounts: ChainAccountRecord;
  readonly chainTransactions: ChainTransactionRecord;
  readonly chainMentions: ChainMentionRecord;
  readonly facts: FactRecord;
}

/** What an engine calls the types that differ. */
interface ColumnTypes {
  readonly bytes: 'blob' | 'bytea';
}

type Step = (db: Kysely<Database>, types: ColumnTypes) => Promise<void>;

/**
 * The steps from an empty database to this program's, in order and append-only: a database of
 * version n has seen the first n. The engine runs those that are missing in one transaction.
 */
export const STEPS: readonly Step[] = [
  async (db, types) => {
    await createCheckout(db, types);
    await createClaims(db);
    await createChain(db, types);
    await db.schema
      .createTable('facts')
      .addColumn('name', 'text', primary)
      .addColumn('value', 'text', required)
      .execute();
  },
];

const required = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.notNull();
const primary = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
  column.primaryKey().notNull();
const unique = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.unique();
const requiredUnique = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
  column.notNull().unique();

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

/** One settlement per message, session, order and transaction, whatever races for it. */
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

/** No foreign key to the session: sessions may be swept while orders are kept. */
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

async function createChain(db: Kysely<Database>, types: ColumnTypes): Promise<void> {
  await createChainAccounts(db, types);
  await db.schema
    .createTable('chainTransactions')
    .addColumn('position', 'bigint', primary)
    .addColumn('signature', 'text', requiredUnique)
    .addColumn('messageHash', 'text', requiredUnique)
    .addColumn('slot', 'bigint', required)
    .addColumn('blockTimeMs', 'bigint', required)
    .addColumn('error', 'text')
    .addColumn('wire', types.bytes, required)
    .addColumn('meta', 'text', required)
    .execute();
  await db.schema
    .createTable('chainMentions')
    .addColumn('address', 'text', required)
    .addColumn('position', 'bigint', (column) =>
      column.notNull().references('chainTransactions.position'),
    )
    .addPrimaryKeyConstraint('chain_mentions_key', ['address', 'position'])
    .execute();
}

async function createChainAccounts(db: Kysely<Database>, types: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('chainAccounts')
    .addColumn('address', 'text', primary)
    // Text: lamports take 64 bits, of which engines and drivers keep fewer.
    .addColumn('lamports', 'text', required)
    .addColumn('owner', 'text', required)
    .addColumn('data', types.bytes, required)
    .addColumn('executable', 'integer', required)
    .execute();
  await db.schema
    .createIndex('chain_accounts_by_owner')
    .on('chainAccounts')
    .column('owner')
    .execute();
}
