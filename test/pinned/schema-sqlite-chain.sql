3 3
CREATE TABLE "chain_accounts" ("address" text not null primary key, "lamports" text not null, "owner" text not null, "data" blob not null, "executable" integer not null)
CREATE INDEX "chain_accounts_by_owner" on "chain_accounts" ("owner")
automatic sqlite_autoindex_chain_accounts_1
CREATE TABLE "chain_mentions" ("address" text not null, "position" bigint not null references "chain_transactions" ("position"), constraint "chain_mentions_key" primary key ("address", "position"))
automatic sqlite_autoindex_chain_mentions_1
CREATE TABLE "chain_transactions" ("position" bigint not null primary key, "signature" text not null unique, "message_hash" text not null unique, "slot" bigint not null, "block_time_ms" bigint not null, "error" text, "wire" blob not null, "meta" text not null)
CREATE INDEX "chain_transactions_by_slot" on "chain_transactions" ("slot")
automatic sqlite_autoindex_chain_transactions_1
automatic sqlite_autoindex_chain_transactions_2
automatic sqlite_autoindex_chain_transactions_3
CREATE TABLE "evm_blocks" ("number" bigint not null primary key, "hash" text not null, "time_ms" bigint not null, "transaction" text unique, "wire" blob, "receipt" text)
automatic sqlite_autoindex_evm_blocks_1
automatic sqlite_autoindex_evm_blocks_2
CREATE TABLE "evm_state" ("key" text not null, "block" bigint not null, "value" blob not null, constraint "evm_state_key" primary key ("key", "block"))
CREATE INDEX "evm_state_by_block" on "evm_state" ("block")
automatic sqlite_autoindex_evm_state_1
CREATE TABLE "facts" ("name" text not null primary key, "value" text not null)
automatic sqlite_autoindex_facts_1
