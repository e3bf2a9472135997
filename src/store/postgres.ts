/** The store of several servers: PostgreSQL, where writes to different orders run in parallel. */

import { hearOthers } from './postgres-news.ts';
import { openPool, tryAgain } from './postgres-pool.ts';
import {
  missingSteps,
  NO_VERSION,
  POSTGRES_WORDS,
  requireNoneOpen,
  SHOP_SCHEMA,
  type StoreVersion,
} from './schema.ts';
import { type Db, dbOver, inTransaction, sql } from './sql.ts';
import type { Facts, OpenOptions, Store } from './store.ts';
import { BRANDS, deliveries } from './tables/deliveries.ts';
import { addEventAt, noteChanges } from './tables/order-events.ts';
import { partnerOrders } from './tables/partner-orders.ts';
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
  const db = dbOver((text, values) => pool.use((execute) => execute(text, values)));
  const transaction = <T>(how: string, work: (inside: Db) => Promise<T>): Promise<T> =>
    pool.use((execute) => {
      const bounds = {
        begin: () => execute(`start transaction isolation level ${how}`, []),
        commit: () => execute('commit', []),
        rollback: () => execute('rollback', []),
      };
      return inTransaction(execute, bounds, work);
    });
  try {
    await look?.(await factsOf(db));
    await transaction(WRITE, prepare);
    const news = await hearOthers(address);
    const tables = tablesIn(db, ENGINE);
    const single = tablesIn(db, WRITING);
    const presence = createPresence({ own: news.session, dead: deadIn(db) });
    return {
      tables,
      async write(work, { isSingle = false } = {}) {
        const changed = new Set<string>();
        const result = await tryAgain(() =>
          isSingle
            ? work(noteChanges(single, changed))
            : transaction(WRITE, (one) => work(noteChanges(tablesIn(one, WRITING), changed))),
        );
        news.tell(changed);
        return result;
      },
      snapshot: (work) =>
        transaction('repeatable read read only', async (one) => {
          // It locks nothing, and its reader may ask a chain meanwhile.
          await one.run(sql`set local idle_in_transaction_session_timeout = 0`);
          // It reads whole tables.
          await one.run(sql`set local enable_seqscan = on`);
          return work(tablesIn(one, ENGINE));
        }),
      others: news,
      presence,
      close: async () => {
        await presence.leave(tables);
        await news.close();
        await pool.end();
      },
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

const WRITE = 'read committed';

/** A lock of a session's name is free once that session has ended. */
const unheld = (names: string) => sql<{ readonly name: string }>`
  select noted.value as name from json_array_elements_text(${names}::json) as noted
  where pg_try_advisory_xact_lock(hashtextextended(noted.value, 0))`;

const deadIn = (db: Db) => async (names: readonly string[]) =>
  (await db.all(unheld(JSON.stringify(names)))).map(({ name }) => name);

const NEXT_POSITION = sql`nextval('order_event_positions')`;

const ENGINE: Engine = {
  locksRows: false,
  holds: (db) => ({
    // Sorted, so two writes never wait for each other.
    take: async (...names) => {
      if (names.length === 0) return;
      await db.run(sql`
        select pg_advisory_xact_lock(hashtextextended(held.value, 0))
        from json_array_elements_text(${JSON.stringify(names.toSorted())}::json) as held`);
    },
  }),
  addEvent: addEventAt(NEXT_POSITION),
  brand: { text: BRANDS.postgres, values: [] },
  insertOrder: ({ row, deliveries: lines, event: { orderId, atMs, body } }) => sql`
    with made as (${partnerOrders.inserted([row])} returning order_id),
      lines as (${deliveries.inserted(lines)} returning line)
    insert into order_events (order_id, at_ms, body, position, seq)
    values (${orderId}, ${atMs}, ${body}, ${NEXT_POSITION}, 1)`,
};

const WRITING: Engine = { ...ENGINE, locksRows: true };

/** Undefined where the database has no store yet. */
async function factsOf(db: Db): Promise<Facts | undefined> {
  const found = await db.first(sql`select 1 where to_regclass('scrip_schema') is not null`);
  return found === undefined ? undefined : tablesIn(db, ENGINE).facts;
}

async function prepare(db: Db): Promise<void> {
  await ENGINE.holds(db).take(`fact ${MIGRATION_LOCK}`);
  await db.run(sql`create table if not exists scrip_schema (version integer not null)`);
  await db.run(sql`create sequence if not exists order_event_positions`);
  await db.run(sql`alter table scrip_schema add column if not exists latest integer`);
  const known = await db.first(sql<StoreVersion>`
    select version as oldest, coalesce(latest, version) as latest from scrip_schema`);
  const missing = missingSteps(SHOP_SCHEMA, known ?? NO_VERSION, POSTGRES_WORDS);
  if (missing === undefined) return;
  if (missing.locksOut) await requireNoneOpen(tablesIn(db, ENGINE), { dead: deadIn(db) });
  for (const text of missing.statements) await db.run({ text, values: [] });
  const { oldest, latest } = missing.version;
  await db.run(sql`delete from scrip_schema`);
  await db.run(sql`insert into scrip_schema (version, latest) values (${oldest}, ${latest})`);
}
