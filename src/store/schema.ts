/** The schema of a shop's store, and how a database gets it. */
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import { BRANDS } from './tables/deliveries.ts';

/** What differs between engines. */
interface EngineWords {
  readonly bytes: 'blob' | 'bytea';
  /** A text of 32 random hex digits that each order gets. */
  readonly pageId: string;
  /** Databases have this name of the key. */
  readonly deliveriesKey: string;
  /** Statements of this engine alone, after the others. */
  readonly own: readonly string[];
  /** Ends that a transaction is in one settlement and one payout alone. */
  readonly sharedTransactions: string;
  /** The brand of a line's goods. */
  readonly brand: string;
  /** Transactions of an order of the partner API, as rows with a `value`. */
  readonly transactionsOf: (row: string) => string;
  /** Have each transaction of such an order in `order_transactions`, also those that an older server writes. */
  readonly noteTransactions: readonly string[];
}

const NOTED = (transactions: string) => `insert into order_transactions ("transaction", order_id)
  select distinct value, new.order_id from ${transactions} where true on conflict do nothing`;
const SQLITE_TRANSACTIONS = (row: string) => `json_each(${row}.transactions)`;
const POSTGRES_TRANSACTIONS = (row: string) =>
  `json_array_elements_text(${row}.transactions::json)`;

export const SQLITE_WORDS: EngineWords = {
  bytes: 'blob',
  pageId: 'page_id text',
  deliveriesKey: 'primary key',
  own: [
    `create trigger partner_orders_page after insert on partner_orders
      when new.page_id is null begin update partner_orders set page_id = lower(hex(randomblob(16))) where order_id = new.order_id; end`,
  ],
  // A column of SQLite is unique for good, so the tables are made anew.
  sharedTransactions: `
    create table "new_settlements" (
      "message_hash" text not null primary key, "session_id" text not null unique,
      "order_id" text not null unique, "payload" text not null, "payer" text not null,
      "state" text not null, "transaction" text, "reason" text, "created_at_ms" bigint not null,
      "settled_at_ms" bigint, "payment_id" text,
      "network" text not null default 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
    );
    insert into "new_settlements" select * from "settlements";
    drop table "settlements";
    alter table "new_settlements" rename to "settlements";
    create unique index "settlements_by_payment_id" on "settlements" ("payment_id")
      where "state" != 'failed';
    create index "settlements_by_state" on "settlements" ("state", "created_at_ms");
    create table "new_payouts" (
      "refund_id" text not null primary key, "state" text not null, "waits_for" text,
      "approved_by" text, "transfer" text unique, "transaction" text, "reserved_at_ms" bigint,
      "attempts" integer not null, "next_at_ms" bigint, "updated_at_ms" bigint not null,
      "version" integer not null
    );
    insert into "new_payouts" select * from "payouts";
    drop table "payouts";
    alter table "new_payouts" rename to "payouts";
    create index "payouts_due" on "payouts" ("next_at_ms");
    create index "payouts_reserved" on "payouts" ("reserved_at_ms");
  `,
  brand: BRANDS.sqlite,
  transactionsOf: SQLITE_TRANSACTIONS,
  noteTransactions: [
    `create trigger partner_orders_paid after update of transactions on partner_orders
      when new.transactions <> old.transactions begin ${NOTED(SQLITE_TRANSACTIONS('new'))}; end`,
    `create trigger partner_orders_made_paid after insert on partner_orders
      when new.transactions <> '[]' begin ${NOTED(SQLITE_TRANSACTIONS('new'))}; end`,
  ],
};

export const POSTGRES_WORDS: EngineWords = {
  bytes: 'bytea',
  pageId: `"page_id" text not null default replace(gen_random_uuid()::text, '-', '')`,
  deliveriesKey: 'constraint "deliveries_pkey1" primary key',
  own: [],
  sharedTransactions: `
    alter table "settlements" drop constraint "settlements_transaction_key";
    alter table "payouts" drop constraint "payouts_transaction_key";
  `,
  brand: BRANDS.postgres,
  transactionsOf: POSTGRES_TRANSACTIONS,
  noteTransactions: [
    `create function note_order_transactions() returns trigger language plpgsql as $$
      begin ${NOTED(POSTGRES_TRANSACTIONS('new'))}; return null; end $$`,
    `create trigger partner_orders_paid after update of transactions on partner_orders for each row
      when (new.transactions <> old.transactions) execute function note_order_transactions()`,
    `create trigger partner_orders_made_paid after insert on partner_orders for each row
      when (new.transactions <> '[]') execute function note_order_transactions()`,
  ],
};

export interface Schema {
  /** Version of a database that has run the first step alone; an empty one has version 0. */
  readonly firstVersion: number;
  /**
   * The oldest version whose programs go on with the present tables. Each step after it only adds what they need
   * not know, as test/store/migration.test.ts checks; raise it to the version of a step that does more.
   */
  readonly oldestVersion: number;
  /** Statements of each step, append-only. */
  readonly steps: readonly ((words: EngineWords) => readonly string[])[];
}

/** What a database keeps of its tables. */
export interface StoreVersion {
  /** The oldest version whose programs may use it; programs that know only this number wrote the same as both. */
  readonly oldest: number;
  readonly latest: number;
}

export const NO_VERSION: StoreVersion = { oldest: 0, latest: 0 };

export function latestVersion({ firstVersion, steps }: Schema): number {
  return firstVersion + steps.length - 1;
}

interface Upgrade {
  readonly statements: readonly string[];
  readonly version: StoreVersion;
  /** Whether programs of the version before cannot go on: none of them may be open. */
  readonly locksOut: boolean;
}

/**
 * Returns what a database of this version has not run yet, and its version then; undefined where nothing is missing,
 * as in one of a newer program that older ones may use.
 * @throws {ScripError} STORE_UNUSABLE when a newer program wrote it, with which this one cannot go on
 */
export function missingSteps(
  schema: Schema,
  { oldest, latest }: StoreVersion,
  words: EngineWords,
): Upgrade | undefined {
  const { firstVersion, oldestVersion, steps } = schema;
  const own = latestVersion(schema);
  if (latest !== 0 && latest < firstVersion) {
    throw new ScripError(
      'STORE_UNUSABLE',
      t`The store has version ${latest}, which no release of scrip wrote`,
      { hint: t`Name another database, or go on with the scrip that wrote this one.` },
    );
  }
  if (oldest > own) {
    throw new ScripError(
      'STORE_UNUSABLE',
      t`The store has version ${latest} and was written by a newer scrip`,
      { hint: t`Update scrip, or name another database.` },
    );
  }
  if (latest >= own) return undefined;
  const done = latest === 0 ? 0 : latest - firstVersion + 1;
  return {
    statements: steps.slice(done).flatMap((step) => step(words)),
    version: { oldest: Math.max(oldest, oldestVersion), latest: own },
    locksOut: latest !== 0 && latest < oldestVersion,
  };
}

/** @throws {ScripError} STORE_UNUSABLE while servers are open that the upgrade would lock out */
export async function requireNoneOpen(
  { servers }: { readonly servers: { all(): Promise<readonly string[]> } },
  { dead }: { dead(names: readonly string[]): Promise<readonly string[]> },
): Promise<void> {
  const names = await servers.all();
  if ((await dead(names)).length === names.length) return;
  throw new ScripError(
    'STORE_UNUSABLE',
    t`A server of an earlier version is open, and cannot go on with the tables of this one`,
    { hint: t`Take a copy of the database, stop all servers, then run this again.` },
  );
}

/** Splits a text at its semicolons, and takes its lines together. */
export function statements(text: string): readonly string[] {
  return text
    .split(';')
    .map((one) => one.trim().replace(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')'))
    .filter((one) => one !== '');
}

/**
 * Unique columns allow one settlement per message, session, order and transaction, even in a race. Null keys of
 * orders count as different from each other. No foreign keys: deliveries and events are of orders of both
 * surfaces, and sessions may be deleted while orders are kept. Nothing writes `caller_fees`.
 */
const TABLES = ({ bytes, pageId, deliveriesKey }: EngineWords) => `
  create table "caller_fees" (
    "message_hash" text not null primary key, "caller" text not null, "day" text not null,
    "lamports" text not null
  );
  create index "caller_fees_of_day" on "caller_fees" ("day", "caller");
  create table "catalogs" (
    "version" text not null primary key, "text" text not null, "taken_at_ms" bigint not null
  );
  create table "claims" (
    "message_hash" text not null primary key, "transaction" text not null unique,
    "wire" text not null, "last_valid_block_height" bigint not null, "state" text not null,
    "reason" text, "created_at_ms" bigint not null
  );
  create table "deliveries" (
    "delivery_id" text not null ${deliveriesKey}, "order_id" text not null, "line" integer not null,
    "beneficiary" text not null, "goods" text not null, "state" text not null,
    "attempts" integer not null, "next_attempt_at_ms" bigint not null, "voucher" ${bytes},
    "failure_reason" text, "code_digest" text, "fault" text,
    constraint "free_deliveries_by_line" unique ("order_id", "line")
  );
  create unique index "deliveries_by_code" on "deliveries" ("code_digest")
    where code_digest is not null;
  create index "deliveries_due" on "deliveries" ("state", "next_attempt_at_ms");
  create index "deliveries_faulty" on "deliveries" ("fault")
    where state = 'pending' and fault is not null;
  create index "deliveries_undigested" on "deliveries" ("delivery_id")
    where state = 'completed' and code_digest is null;
  create table "facts" ("name" text not null primary key, "value" text not null);
  create table "operator_actions" (
    "action_id" text not null primary key, "at_ms" bigint not null, "who" text not null,
    "action" text not null, "subject" text not null, "result" text not null, "reason" text
  );
  create index "operator_actions_latest" on "operator_actions" ("at_ms", "action_id");
  create table "order_events" (
    "position" bigint not null primary key, "order_id" text not null, "seq" integer not null,
    "at_ms" bigint not null, "body" text not null,
    constraint "order_events_by_order" unique ("order_id", "seq")
  );
  create table "orders" (
    "order_id" text not null primary key, "session_id" text not null unique,
    "email" text not null, "status" text not null, "callback_url" text,
    "created_at_ms" bigint not null, "updated_at_ms" bigint not null
  );
  create index "orders_by_status" on "orders" ("status", "created_at_ms");
  create table "outbox" (
    "webhook_id" text not null primary key, "order_id" text not null, "seq" integer not null,
    "url" text not null, "attempts" integer not null, "next_attempt_at_ms" bigint not null,
    "state" text not null, "last_error" text, "created_at_ms" bigint not null
  );
  create index "outbox_by_age" on "outbox" ("created_at_ms")
    where state <> 'delivered' and state <> 'dead';
  create index "outbox_due" on "outbox" ("state", "next_attempt_at_ms");
  create index "outbox_of_order" on "outbox" ("order_id", "seq");
  create table "partner_orders" (
    "order_id" text not null primary key, "application_id" text not null,
    "order_state" text not null, "payment_state" text not null, "email" text not null,
    "request" text not null, "lines" text not null, "quote" text not null,
    "value_usd" text not null, "coupon_code" text, "coin" text not null, "network" text,
    "decimals" integer not null, "coin_amount_atomic" text not null,
    "received_atomic" text not null, "seen_atomic" text not null, "wallet_address" text unique,
    "transactions" text not null, "notification_url" text, "refund_address" text,
    "idempotency_key" text, "created_at_ms" bigint not null, "window_ends_at_ms" bigint not null,
    "updated_at_ms" bigint not null, "closed_at_ms" bigint, "next_look_at_ms" bigint,
    "version" integer not null, "maker" text, ${pageId},
    constraint "partner_orders_by_key" unique ("application_id", "idempotency_key")
  );
  create index "partner_orders_by_coupon" on "partner_orders" ("coupon_code");
  create index "partner_orders_by_email" on "partner_orders" ("email", "created_at_ms");
  create unique index "partner_orders_by_page" on "partner_orders" ("page_id");
  create index "partner_orders_by_state" on "partner_orders" ("order_state", "updated_at_ms");
  create index "partner_orders_closed" on "partner_orders" ("application_id", "closed_at_ms");
  create index "partner_orders_created" on "partner_orders" ("application_id", "created_at_ms");
  create index "partner_orders_due" on "partner_orders" ("next_look_at_ms");
  create index "partner_orders_paid" on "partner_orders" ("email", "created_at_ms")
    where "payment_state" = 'PaymentReceived';
  create table "partners" (
    "partner_id" text not null primary key, "secret_hash" text not null, "former_hash" text,
    "former_until_ms" bigint, "networks" text not null, "orders_per_minute" integer,
    "created_at_ms" bigint not null, "revoked_at_ms" bigint, "version" integer not null,
    "webhook_generation" integer default 0 not null, "former_webhook_until_ms" bigint
  );
  create table "payment_leases" (
    "order_id" text not null primary key, "holder" text not null, "ends_at_ms" bigint not null,
    "passed_on" integer not null
  );
  create table "payment_requests" (
    "message_hash" text not null primary key, "order_id" text not null, "account" text not null,
    "amount_atomic" text not null, "transaction" text not null, "wire" text not null,
    "lamports" text not null, "last_valid_block_height" bigint not null, "state" text not null,
    "created_at_ms" bigint not null, "next_look_at_ms" bigint
  );
  create index "payment_requests_by_time" on "payment_requests" ("created_at_ms");
  create unique index "payment_requests_live" on "payment_requests" ("order_id")
    where "state" = 'live';
  create table "payouts" (
    "refund_id" text not null primary key, "state" text not null, "waits_for" text,
    "approved_by" text, "transfer" text unique, "transaction" text unique,
    "reserved_at_ms" bigint, "attempts" integer not null, "next_at_ms" bigint,
    "updated_at_ms" bigint not null, "version" integer not null
  );
  create index "payouts_due" on "payouts" ("next_at_ms");
  create index "payouts_reserved" on "payouts" ("reserved_at_ms");
  create table "purchases" (
    "reference" text not null primary key, "request" text not null, "outcome" text not null,
    "ready_at_ms" bigint not null, "attempts" integer not null, "voucher" text,
    "created_at_ms" bigint not null
  );
  create table "rates" ("name" text not null primary key, "full_at_ms" bigint not null);
  create table "receiving_accounts" (
    "owner" text not null primary key, "position" integer not null unique, "lease" text,
    "last_lease" text, "leased_at_ms" bigint, "baseline" text, "sweep" text,
    "created_at_ms" bigint not null, "version" integer not null, "closed_at_ms" bigint
  );
  create index "receiving_accounts_closed" on "receiving_accounts" ("closed_at_ms");
  create table "refunds" (
    "refund_id" text not null primary key, "order_id" text not null, "kind" text not null,
    "line" integer, "coin" text not null, "amount_atomic" text not null,
    "decimals" integer not null, "recipient" text, "reason" text not null,
    "created_at_ms" bigint not null
  );
  create index "refunds_of_order" on "refunds" ("order_id");
  create table "servers" ("name" text not null primary key);
  create table "sessions" (
    "session_id" text not null primary key, "body_hash" text not null, "body" text not null,
    "pay_to" text not null, "destination" text not null unique, "amount_atomic" text not null,
    "requirement" text not null, "lines" text not null, "created_at_ms" bigint not null,
    "expires_at_ms" bigint not null
  );
  create table "settlements" (
    "message_hash" text not null primary key, "session_id" text not null unique,
    "order_id" text not null unique, "payload" text not null, "payer" text not null,
    "state" text not null, "transaction" text unique, "reason" text,
    "created_at_ms" bigint not null, "settled_at_ms" bigint, "payment_id" text
  );
  create unique index "settlements_by_payment_id" on "settlements" ("payment_id")
    where "state" != 'failed';
  create index "settlements_by_state" on "settlements" ("state", "created_at_ms");
  create table "tries" (
    "name" text not null primary key, "attempts" integer not null,
    "next_attempt_at_ms" bigint not null
  );
  create table "wizard_sessions" (
    "token_hash" text not null primary key, "client" text not null,
    "application_id" text not null, "answers" text not null, "version" integer not null,
    "created_at_ms" bigint not null, "last_used_at_ms" bigint not null
  );
  create index "wizard_sessions_by_use" on "wizard_sessions" ("last_used_at_ms");
  create index "wizard_sessions_of_client" on "wizard_sessions" ("client", "last_used_at_ms");
`;

/** What was paid before there were further rails was paid on the first. */
const FURTHER_RAILS = `
  alter table "settlements" add column "network" text not null
    default 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
  alter table "sessions" add column "other_requirements" text;
`;

/** Of a rail whose transactions are numbered by the account that pays for them, and named once they are sent. */
const FEE_ACCOUNTS = `
  create table "fee_transactions" (
    "message_hash" text not null primary key, "account" text not null, "nonce" integer not null,
    "transaction" text not null, "wire" text not null, "created_at_ms" bigint not null,
    constraint "fee_transactions_by_nonce" unique ("account", "nonce")
  );
  alter table "claims" add column "landed_in" text;
`;

/**
 * On a rail whose payments are not identified by their transaction, anyone may land several of them in one. On
 * Solana a transaction is one payment.
 */
const SHARED_TRANSACTIONS = `
  create unique index "settlements_by_transaction" on "settlements" ("transaction")
    where "network" = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
  create index "payouts_by_transaction" on "payouts" ("transaction");
  create index "claims_landed_in" on "claims" ("landed_in");
`;

const OWN_ORDERS = `
  create index "settlements_of_payer" on "settlements" ("payer", "created_at_ms");
`;

/** Orders of the partner API had accounts on Solana alone. */
const FURTHER_ACCOUNTS = `
  alter table "receiving_accounts" add column "network" text not null
    default 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
`;

/** What has its person still is found without a look at the rest. */
const ERASED_PERSONS = `
  alter table "partner_orders" add column "erased_at_ms" bigint;
  alter table "sessions" add column "erased_at_ms" bigint;
  create index "partner_orders_of_persons" on "partner_orders" ("created_at_ms", "order_id")
    where "erased_at_ms" is null;
  create index "sessions_of_persons" on "sessions" ("created_at_ms", "session_id")
    where "erased_at_ms" is null;
`;

/** Fees of claims that an older program makes are not known: an empty text. */
const SALES = `
  create table "sales" (
    "delivery_id" text not null primary key, "receipt" bigint not null, "order_id" text not null,
    "line" integer not null, "paid_at_ms" bigint not null, "partner_id" text, "network" text,
    "coin" text not null, "decimals" integer not null, "amount_atomic" text not null,
    "transactions" text not null, "product_id" text not null, "product" text not null,
    "country" text not null, "currency" text not null, "face_value" text not null, "rate" text,
    constraint "sales_by_order" unique ("order_id", "line"),
    constraint "sales_by_receipt" unique ("receipt", "line")
  );
  create index "sales_by_time" on "sales" ("paid_at_ms", "receipt", "line");
  create table "purchase_costs" (
    "delivery_id" text not null primary key, "amount" text not null, "currency" text not null
  );
  create index "partner_orders_sold" on "partner_orders" ("closed_at_ms")
    where "payment_state" = 'PaymentReceived';
  create index "settlements_sold" on "settlements" ("settled_at_ms") where "state" = 'settled';
  alter table "claims" add column "network" text;
  alter table "claims" add column "swept" text;
  alter table "claims" add column "fee" text default '';
  create index "claims_by_time" on "claims" ("created_at_ms");
  create index "claims_without_fee" on "claims" ("created_at_ms")
    where "fee" is null and "state" <> 'submitting';
`;

/**
 * What an operator looks for orders by. The lists are filtered in their indexes, as rows are wide. By the exact
 * letters of an e-mail address only paid orders are asked for, which have an index of their own.
 */
const FOUND_ORDERS = ({ brand, transactionsOf }: EngineWords) => `
  alter table "orders" add column "amount_atomic" text;
  update "orders" set "amount_atomic" =
    (select amount_atomic from sessions where sessions.session_id = orders.session_id);
  create index "orders_listed" on "orders" ("created_at_ms", "order_id", "status", "email",
    "amount_atomic");
  create index "orders_of_buyer" on "orders" (lower("email"));
  create index "partner_orders_listed" on "partner_orders" ("created_at_ms", "order_id",
    "order_state", "application_id", "email", "decimals", "coin_amount_atomic");
  drop index "partner_orders_by_email";
  create index "partner_orders_of_buyer" on "partner_orders" (lower("email"));
  create index "partner_orders_by_reference" on "partner_orders" ("idempotency_key")
    where "idempotency_key" is not null;
  create index "partner_orders_of_refund_address" on "partner_orders" ("refund_address")
    where "refund_address" is not null;
  create index "payment_requests_of_account" on "payment_requests" ("account");
  create index "payment_requests_of_order" on "payment_requests" ("order_id");
  create index "settlements_by_other_transaction" on "settlements" ("transaction")
    where "network" <> 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
  create index "deliveries_of_beneficiary" on "deliveries" (lower("beneficiary"));
  create index "deliveries_of_brand" on "deliveries" ((${brand}));
  create table "order_transactions" (
    "transaction" text not null, "order_id" text not null,
    primary key ("transaction", "order_id")
  );
  insert into "order_transactions" ("transaction", "order_id")
    select distinct value, order_id from partner_orders, ${transactionsOf('partner_orders')};
`;

export const SHOP_SCHEMA: Schema = {
  firstVersion: 25,
  oldestVersion: 30,
  steps: [
    (words) => [...statements(TABLES(words)), ...words.own],
    () => statements(FURTHER_RAILS),
    () => statements(FEE_ACCOUNTS),
    (words) => statements(words.sharedTransactions + SHARED_TRANSACTIONS),
    () => statements(OWN_ORDERS),
    () => statements(FURTHER_ACCOUNTS),
    () => statements(ERASED_PERSONS),
    () => statements(SALES),
    (words) => [...statements(FOUND_ORDERS(words)), ...words.noteTransactions],
  ],
};
