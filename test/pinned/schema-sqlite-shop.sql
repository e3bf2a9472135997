30 33
CREATE TABLE "caller_fees" ("message_hash" text not null primary key, "caller" text not null, "day" text not null, "lamports" text not null)
CREATE INDEX "caller_fees_of_day" on "caller_fees" ("day", "caller")
automatic sqlite_autoindex_caller_fees_1
CREATE TABLE "catalogs" ("version" text not null primary key, "text" text not null, "taken_at_ms" bigint not null)
automatic sqlite_autoindex_catalogs_1
CREATE TABLE "claims" ("message_hash" text not null primary key, "transaction" text not null unique, "wire" text not null, "last_valid_block_height" bigint not null, "state" text not null, "reason" text, "created_at_ms" bigint not null, "landed_in" text, "network" text, "swept" text, "fee" text default '')
CREATE INDEX "claims_by_time" on "claims" ("created_at_ms")
CREATE INDEX "claims_landed_in" on "claims" ("landed_in")
CREATE INDEX "claims_without_fee" on "claims" ("created_at_ms") where "fee" is null and "state" <> 'submitting'
automatic sqlite_autoindex_claims_1
automatic sqlite_autoindex_claims_2
CREATE TABLE "deliveries" ("delivery_id" text not null primary key, "order_id" text not null, "line" integer not null, "beneficiary" text not null, "goods" text not null, "state" text not null, "attempts" integer not null, "next_attempt_at_ms" bigint not null, "voucher" blob, "failure_reason" text, "code_digest" text, "fault" text, constraint "free_deliveries_by_line" unique ("order_id", "line"))
CREATE UNIQUE INDEX "deliveries_by_code" on "deliveries" ("code_digest") where code_digest is not null
CREATE INDEX "deliveries_due" on "deliveries" ("state", "next_attempt_at_ms")
CREATE INDEX "deliveries_faulty" on "deliveries" ("fault") where state = 'pending' and fault is not null
CREATE INDEX "deliveries_of_beneficiary" on "deliveries" (lower("beneficiary"))
CREATE INDEX "deliveries_of_brand" on "deliveries" ((json_extract("goods", '$.product.brand.name')))
CREATE INDEX "deliveries_undigested" on "deliveries" ("delivery_id") where state = 'completed' and code_digest is null
automatic sqlite_autoindex_deliveries_1
automatic sqlite_autoindex_deliveries_2
CREATE TABLE "facts" ("name" text not null primary key, "value" text not null)
automatic sqlite_autoindex_facts_1
CREATE TABLE "fee_transactions" ("message_hash" text not null primary key, "account" text not null, "nonce" integer not null, "transaction" text not null, "wire" text not null, "created_at_ms" bigint not null, constraint "fee_transactions_by_nonce" unique ("account", "nonce"))
automatic sqlite_autoindex_fee_transactions_1
automatic sqlite_autoindex_fee_transactions_2
CREATE TABLE "operator_actions" ("action_id" text not null primary key, "at_ms" bigint not null, "who" text not null, "action" text not null, "subject" text not null, "result" text not null, "reason" text)
CREATE INDEX "operator_actions_latest" on "operator_actions" ("at_ms", "action_id")
automatic sqlite_autoindex_operator_actions_1
CREATE TABLE "order_events" ("position" bigint not null primary key, "order_id" text not null, "seq" integer not null, "at_ms" bigint not null, "body" text not null, constraint "order_events_by_order" unique ("order_id", "seq"))
automatic sqlite_autoindex_order_events_1
automatic sqlite_autoindex_order_events_2
CREATE TABLE "order_transactions" ("transaction" text not null, "order_id" text not null, primary key ("transaction", "order_id"))
automatic sqlite_autoindex_order_transactions_1
CREATE TABLE "orders" ("order_id" text not null primary key, "session_id" text not null unique, "email" text not null, "status" text not null, "callback_url" text, "created_at_ms" bigint not null, "updated_at_ms" bigint not null, "amount_atomic" text)
CREATE INDEX "orders_by_status" on "orders" ("status", "created_at_ms")
CREATE INDEX "orders_listed" on "orders" ("created_at_ms", "order_id", "status", "email", "amount_atomic")
CREATE INDEX "orders_of_buyer" on "orders" (lower("email"))
automatic sqlite_autoindex_orders_1
automatic sqlite_autoindex_orders_2
CREATE TABLE "outbox" ("webhook_id" text not null primary key, "order_id" text not null, "seq" integer not null, "url" text not null, "attempts" integer not null, "next_attempt_at_ms" bigint not null, "state" text not null, "last_error" text, "created_at_ms" bigint not null)
CREATE INDEX "outbox_by_age" on "outbox" ("created_at_ms") where state <> 'delivered' and state <> 'dead'
CREATE INDEX "outbox_due" on "outbox" ("state", "next_attempt_at_ms")
CREATE INDEX "outbox_of_order" on "outbox" ("order_id", "seq")
automatic sqlite_autoindex_outbox_1
CREATE TRIGGER partner_orders_made_paid after insert on partner_orders
      when new.transactions <> '[]' begin insert into order_transactions ("transaction", order_id)
  select distinct value, new.order_id from json_each(new.transactions) where true on conflict do nothing; end
CREATE TRIGGER partner_orders_page after insert on partner_orders
      when new.page_id is null begin update partner_orders set page_id = lower(hex(randomblob(16))) where order_id = new.order_id; end
CREATE TRIGGER partner_orders_paid after update of transactions on partner_orders
      when new.transactions <> old.transactions begin insert into order_transactions ("transaction", order_id)
  select distinct value, new.order_id from json_each(new.transactions) where true on conflict do nothing; end
CREATE TABLE "partner_orders" ("order_id" text not null primary key, "application_id" text not null, "order_state" text not null, "payment_state" text not null, "email" text not null, "request" text not null, "lines" text not null, "quote" text not null, "value_usd" text not null, "coupon_code" text, "coin" text not null, "network" text, "decimals" integer not null, "coin_amount_atomic" text not null, "received_atomic" text not null, "seen_atomic" text not null, "wallet_address" text unique, "transactions" text not null, "notification_url" text, "refund_address" text, "idempotency_key" text, "created_at_ms" bigint not null, "window_ends_at_ms" bigint not null, "updated_at_ms" bigint not null, "closed_at_ms" bigint, "next_look_at_ms" bigint, "version" integer not null, "maker" text, page_id text, "erased_at_ms" bigint, constraint "partner_orders_by_key" unique ("application_id", "idempotency_key"))
CREATE INDEX "partner_orders_by_coupon" on "partner_orders" ("coupon_code")
CREATE UNIQUE INDEX "partner_orders_by_page" on "partner_orders" ("page_id")
CREATE INDEX "partner_orders_by_reference" on "partner_orders" ("idempotency_key") where "idempotency_key" is not null
CREATE INDEX "partner_orders_by_state" on "partner_orders" ("order_state", "updated_at_ms")
CREATE INDEX "partner_orders_closed" on "partner_orders" ("application_id", "closed_at_ms")
CREATE INDEX "partner_orders_created" on "partner_orders" ("application_id", "created_at_ms")
CREATE INDEX "partner_orders_due" on "partner_orders" ("next_look_at_ms")
CREATE INDEX "partner_orders_listed" on "partner_orders" ("created_at_ms", "order_id", "order_state", "application_id", "email", "decimals", "coin_amount_atomic")
CREATE INDEX "partner_orders_of_buyer" on "partner_orders" (lower("email"))
CREATE INDEX "partner_orders_of_persons" on "partner_orders" ("created_at_ms", "order_id") where "erased_at_ms" is null
CREATE INDEX "partner_orders_of_refund_address" on "partner_orders" ("refund_address") where "refund_address" is not null
CREATE INDEX "partner_orders_paid" on "partner_orders" ("email", "created_at_ms") where "payment_state" = 'PaymentReceived'
CREATE INDEX "partner_orders_sold" on "partner_orders" ("closed_at_ms") where "payment_state" = 'PaymentReceived'
automatic sqlite_autoindex_partner_orders_1
automatic sqlite_autoindex_partner_orders_2
automatic sqlite_autoindex_partner_orders_3
CREATE TABLE "partners" ("partner_id" text not null primary key, "secret_hash" text not null, "former_hash" text, "former_until_ms" bigint, "networks" text not null, "orders_per_minute" integer, "created_at_ms" bigint not null, "revoked_at_ms" bigint, "version" integer not null, "webhook_generation" integer default 0 not null, "former_webhook_until_ms" bigint)
automatic sqlite_autoindex_partners_1
CREATE TABLE "payment_leases" ("order_id" text not null primary key, "holder" text not null, "ends_at_ms" bigint not null, "passed_on" integer not null)
automatic sqlite_autoindex_payment_leases_1
CREATE TABLE "payment_requests" ("message_hash" text not null primary key, "order_id" text not null, "account" text not null, "amount_atomic" text not null, "transaction" text not null, "wire" text not null, "lamports" text not null, "last_valid_block_height" bigint not null, "state" text not null, "created_at_ms" bigint not null, "next_look_at_ms" bigint)
CREATE INDEX "payment_requests_by_time" on "payment_requests" ("created_at_ms")
CREATE UNIQUE INDEX "payment_requests_live" on "payment_requests" ("order_id") where "state" = 'live'
CREATE INDEX "payment_requests_of_account" on "payment_requests" ("account")
CREATE INDEX "payment_requests_of_order" on "payment_requests" ("order_id")
automatic sqlite_autoindex_payment_requests_1
CREATE TABLE "payouts" ("refund_id" text not null primary key, "state" text not null, "waits_for" text, "approved_by" text, "transfer" text unique, "transaction" text, "reserved_at_ms" bigint, "attempts" integer not null, "next_at_ms" bigint, "updated_at_ms" bigint not null, "version" integer not null)
CREATE INDEX "payouts_by_transaction" on "payouts" ("transaction")
CREATE INDEX "payouts_due" on "payouts" ("next_at_ms")
CREATE INDEX "payouts_reserved" on "payouts" ("reserved_at_ms")
automatic sqlite_autoindex_payouts_1
automatic sqlite_autoindex_payouts_2
CREATE TABLE "purchase_costs" ("delivery_id" text not null primary key, "amount" text not null, "currency" text not null)
automatic sqlite_autoindex_purchase_costs_1
CREATE TABLE "purchases" ("reference" text not null primary key, "request" text not null, "outcome" text not null, "ready_at_ms" bigint not null, "attempts" integer not null, "voucher" text, "created_at_ms" bigint not null)
automatic sqlite_autoindex_purchases_1
CREATE TABLE "rates" ("name" text not null primary key, "full_at_ms" bigint not null)
automatic sqlite_autoindex_rates_1
CREATE TABLE "receiving_accounts" ("owner" text not null primary key, "position" integer not null unique, "lease" text, "last_lease" text, "leased_at_ms" bigint, "baseline" text, "sweep" text, "created_at_ms" bigint not null, "version" integer not null, "closed_at_ms" bigint, "network" text not null default 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp')
CREATE INDEX "receiving_accounts_closed" on "receiving_accounts" ("closed_at_ms")
automatic sqlite_autoindex_receiving_accounts_1
automatic sqlite_autoindex_receiving_accounts_2
CREATE TABLE "refunds" ("refund_id" text not null primary key, "order_id" text not null, "kind" text not null, "line" integer, "coin" text not null, "amount_atomic" text not null, "decimals" integer not null, "recipient" text, "reason" text not null, "created_at_ms" bigint not null)
CREATE INDEX "refunds_of_order" on "refunds" ("order_id")
automatic sqlite_autoindex_refunds_1
CREATE TABLE "sales" ("delivery_id" text not null primary key, "receipt" bigint not null, "order_id" text not null, "line" integer not null, "paid_at_ms" bigint not null, "partner_id" text, "network" text, "coin" text not null, "decimals" integer not null, "amount_atomic" text not null, "transactions" text not null, "product_id" text not null, "product" text not null, "country" text not null, "currency" text not null, "face_value" text not null, "rate" text, constraint "sales_by_order" unique ("order_id", "line"), constraint "sales_by_receipt" unique ("receipt", "line"))
CREATE INDEX "sales_by_time" on "sales" ("paid_at_ms", "receipt", "line")
automatic sqlite_autoindex_sales_1
automatic sqlite_autoindex_sales_2
automatic sqlite_autoindex_sales_3
CREATE TABLE "servers" ("name" text not null primary key)
automatic sqlite_autoindex_servers_1
CREATE TABLE "sessions" ("session_id" text not null primary key, "body_hash" text not null, "body" text not null, "pay_to" text not null, "destination" text not null unique, "amount_atomic" text not null, "requirement" text not null, "lines" text not null, "created_at_ms" bigint not null, "expires_at_ms" bigint not null, "other_requirements" text, "erased_at_ms" bigint)
CREATE INDEX "sessions_of_persons" on "sessions" ("created_at_ms", "session_id") where "erased_at_ms" is null
automatic sqlite_autoindex_sessions_1
automatic sqlite_autoindex_sessions_2
CREATE TABLE "settlements" ("message_hash" text not null primary key, "session_id" text not null unique, "order_id" text not null unique, "payload" text not null, "payer" text not null, "state" text not null, "transaction" text, "reason" text, "created_at_ms" bigint not null, "settled_at_ms" bigint, "payment_id" text, "network" text not null default 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp')
CREATE INDEX "settlements_by_other_transaction" on "settlements" ("transaction") where "network" <> 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
CREATE UNIQUE INDEX "settlements_by_payment_id" on "settlements" ("payment_id") where "state" != 'failed'
CREATE INDEX "settlements_by_state" on "settlements" ("state", "created_at_ms")
CREATE UNIQUE INDEX "settlements_by_transaction" on "settlements" ("transaction") where "network" = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
CREATE INDEX "settlements_of_payer" on "settlements" ("payer", "created_at_ms")
CREATE INDEX "settlements_sold" on "settlements" ("settled_at_ms") where "state" = 'settled'
automatic sqlite_autoindex_settlements_1
automatic sqlite_autoindex_settlements_2
automatic sqlite_autoindex_settlements_3
CREATE TABLE "tries" ("name" text not null primary key, "attempts" integer not null, "next_attempt_at_ms" bigint not null)
automatic sqlite_autoindex_tries_1
CREATE TABLE "wizard_sessions" ("token_hash" text not null primary key, "client" text not null, "application_id" text not null, "answers" text not null, "version" integer not null, "created_at_ms" bigint not null, "last_used_at_ms" bigint not null)
automatic sqlite_autoindex_wizard_sessions_1
CREATE INDEX "wizard_sessions_by_use" on "wizard_sessions" ("last_used_at_ms")
CREATE INDEX "wizard_sessions_of_client" on "wizard_sessions" ("client", "last_used_at_ms")
