/** The store of several servers: PostgreSQL, where writes to different orders run in parallel. */

import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import { hearOthers } from './postgres-news.ts';
import { openPool, tryAgain } from './postgres-pool.ts';
import { STEPS } from './schema.ts';
import { type Db, statement } from './statement.ts';
import { POSTGRES_TYPES } from './steps.ts';
import type { Facts, OpenOptions, Store } from './store.ts';
import { deliveries } from './tables/deliveries.ts';
import { addEventAt, noteChanges } from './tables/order-events.ts';
import { partnerOrders, type WholeOrder } from './tables/partner-orders.ts';
import { createPresence } from './tables/servers.ts';
import { type Engine, tablesIn } from './tables.ts';

/** Lets only one program at a time change the tables. */
const MIGRATION_LOCK = 'scrip schema';

/**
 * Opens the store at a `postgres://` address; creates missing tables.
 * @throws {ScripError} STORE_UNUSABLE when it is unreachable, or written by a newer program
 */
export async function openPostgresStore(
  address: string,
  { look, named }: OpenOptions = {},
): Promise<Store> {
  const pool = openPool(address, named);
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin()],
  });
  try {
    await look?.(await factsOf(db));
    await prepare(db);
    const news = await hearOthers(address);
    const tables = tablesIn(db, ENGINE);
    const single = tablesIn(db, WRITING);
    const presence = createPresence({
      own: news.session,
      dead: async (names) =>
        (await UNHELD.all(db, { names: JSON.stringify(names) })).map(({ name }) => name),
    });
    return {
      tables,
      async write(work, { isSingle = false } = {}) {
        const changed = new Set<string>();
        const result = await tryAgain(() =>
          isSingle
            ? work(noteChanges(single, changed))
            : inTransaction(db, (one) => work(noteChanges(tablesIn(one, WRITING), changed))),
        );
        news.tell(changed);
        return result;
      },
      snapshot: (work) =>
        db
          .transaction()
          .setIsolationLevel('repeatable read')
          .setAccessMode('read only')
          .execute(async (one) => {
            // It locks nothing, and its reader may ask a chain meanwhile.
            await sql`set local idle_in_transaction_session_timeout = 0`.execute(one);
            // It reads whole tables.
            await sql`set local enable_seqscan = on`.execute(one);
            return work(tablesIn(one, ENGINE));
          }),
      others: news,
      presence,
      close: async () => {
        await presence.leave(tables);
        await news.close();
        await db.destroy();
      },
    };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

function inTransaction<T>(db: Db, work: (transaction: Db) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('read committed').execute(work);
}

const TAKE = statement(
  ({ names }: { readonly names: string }) => sql`
    select pg_advisory_xact_lock(hashtextextended(held.value, 0))
    from json_array_elements_text(${names}::json) as held`,
);

/** A lock of a session's name is free once that session has ended. */
const UNHELD = statement(
  ({ names }: { readonly names: string }) => sql<{ readonly name: string }>`
    select noted.value as name from json_array_elements_text(${names}::json) as noted
    where pg_try_advisory_xact_lock(hashtextextended(noted.value, 0))`,
);

const NEXT_POSITION = sql<number>`nextval('order_event_positions')`;

const INSERT_ORDER = statement(
  ({ row, deliveries: lines, event: { orderId, atMs, body } }: WholeOrder) => sql`
    with made as (${partnerOrders.inserted([row])} returning order_id),
      lines as (${deliveries.inserted(lines)} returning line)
    insert into order_events (order_id, at_ms, body, position, seq)
    values (${orderId}, ${atMs}, ${body}, ${NEXT_POSITION}, 1)`,
);

const ENGINE: Engine = {
  locksRows: false,
  holds: (db) => ({
    // Sorted, so two writes never wait for each other.
    take: async (...names) => {
      if (names.length > 0) await TAKE.run(db, { names: JSON.stringify(names.toSorted()) });
    },
  }),
  addEvent: addEventAt(NEXT_POSITION),
  insertOrder: INSERT_ORDER,
};

const WRITING: Engine = { ...ENGINE, locksRows: true };

/** Undefined where the database has no store yet. */
async function factsOf(db: Db): Promise<Facts | undefined> {
  const { rows } = await sql`select 1 where to_regclass('scrip_schema') is not null`.execute(db);
  return rows.length === 0 ? undefined : tablesIn(db, ENGINE).facts;
}

async function prepare(db: Db): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await ENGINE.holds(transaction).take(`fact ${MIGRATION_LOCK}`);
    await sql`create table if not exists scrip_schema (version integer not null)`.execute(
      transaction,
    );
    await sql`create sequence if not exists order_event_positions`.execute(transaction);
    const { rows } = await sql<{ version: number }>`select version from scrip_schema`.execute(
      transaction,
    );
    const from = rows[0]?.version ?? 0;
    if (from > STEPS.length) throw newer(from);
    if (from === STEPS.length) return;
    for (const step of STEPS.slice(from)) await step(transaction, POSTGRES_TYPES);
    await sql`delete from scrip_schema`.execute(transaction);
    await sql`insert into scrip_schema values (${STEPS.length})`.execute(transaction);
  });
}

function newer(version: number): ScripError {
  return new ScripError(
    'STORE_UNUSABLE',
    t`The store has version ${version} and was written by a newer scrip`,
    { hint: t`Update scrip, or name another database.` },
  );
}
