/** The same store on PostgreSQL, where writes on different orders run beside each other. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { latestVersion, SHOP_SCHEMA } from '../../src/store/schema.ts';
import type { Store } from '../../src/store/store.ts';
import { SINGLE } from '../../src/store/writes.ts';
import { increment } from '../support/increment.ts';
import {
  createDatabase,
  type OwnPostgres,
  startOwnPostgres,
  type TestDatabase,
} from '../support/postgres-server.ts';
import { expectHeard, loadStores } from '../support/store-load.ts';
import { deliveryRow, describeStore, partnerOrderRow } from '../support/store-suite.ts';

let open: TestDatabase[] = [];
async function newDatabase(): Promise<TestDatabase> {
  const database = await createDatabase();
  open.push(database);
  return database;
}
afterAll(async () => {
  await Promise.all(open.map((database) => database.drop()));
  open = [];
});

// Made as the file is read: what a test makes is dropped at the end of that test.
const emptied = await createDatabase();
describeStore('PostgreSQL', async () => {
  const store = await openStore(emptied.address);
  const tables = await emptied.run(
    "select string_agg(quote_ident(tablename), ', ') as names from pg_tables where schemaname = 'public' and tablename <> 'scrip_schema'",
  );
  await emptied.run(`truncate ${tables[0]?.names}`);
  await emptied.run('alter sequence order_event_positions restart');
  return store;
});

describe('two servers on one PostgreSQL', () => {
  let database: TestDatabase;
  let stores: readonly [Store, Store];
  beforeAll(async () => {
    database = await newDatabase();
    // Both find an empty database: one of them makes the tables.
    stores = await Promise.all([openStore(database.address), openStore(database.address)]);
  });
  afterAll(() => Promise.all(stores.map((store) => store.close())));

  it('write on different orders at once, and both commit', async () => {
    const [gate, counted] = [meeting(2), meeting(2)];
    let seen = 0;
    const openTransactions = async () =>
      (
        await database.run(
          "select pid from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
        )
      ).length;
    const change = (store: Store, orderId: string) =>
      store.write(async ({ partnerOrders, orderEvents, holds }) => {
        await holds.take(`order ${orderId}`);
        const row = partnerOrderRow({ orderId, idempotencyKey: null, walletAddress: null });
        await partnerOrders.insert(row, []);
        await orderEvents.append({ orderId, atMs: 1, body: '{}' });
        // Neither goes on before the other has come as far: PostgreSQL has both open.
        await gate();
        if (orderId === 'one') seen = await openTransactions();
        await counted();
        const after = { ...row, email: 'changed@example.com', version: row.version + 1 };
        return partnerOrders.update(row, after);
      });
    expect(await Promise.all([change(stores[0], 'one'), change(stores[1], 'two')])).toEqual([
      true,
      true,
    ]);
    expect(seen).toBe(2);
    for (const orderId of ['one', 'two']) {
      expect(await stores[0].tables.partnerOrders.byId(orderId)).toMatchObject({ version: 1 });
      expect(await stores[1].tables.orderEvents.latestSeq(orderId)).toBe(1);
    }
  });

  it('wait for each other on one order', async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        stores[index % 2 === 0 ? 0 : 1].write(async ({ facts, holds }) => {
          await holds.take('fact counter');
          return increment(facts);
        }),
      ),
    );
    expect(await stores[0].tables.facts.get('counter')).toBe('40');
  });

  it('lease each row to one of them, by statements that commit by themselves', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `due-${index}`);
    await stores[0].write(async ({ partnerOrders }) => {
      for (const orderId of ids) {
        const own = { idempotencyKey: null, walletAddress: null, nextLookAtMs: 5 };
        await partnerOrders.insert(partnerOrderRow({ orderId, ...own }), []);
      }
    });
    const lease = (store: Store) =>
      store.write(
        ({ partnerOrders }) => partnerOrders.lease({ atMs: 5, untilMs: 9_000, limit: 3 }),
        SINGLE,
      );
    const leased = await Promise.all(
      Array.from({ length: 40 }, (_, turn) => lease(stores[turn % 2 === 0 ? 0 : 1])),
    );
    const found = leased.flat().map(({ orderId }) => orderId);
    expect(found.toSorted()).toEqual(ids.toSorted());
  });

  it('are tried again when they got into each other’s way', async () => {
    const gate = meeting(2);
    const cross = (store: Store, ...names: readonly ['a' | 'b', 'a' | 'b']) =>
      store.write(async ({ facts, holds }) => {
        await holds.take(`fact ${names[0]}`);
        await gate();
        await holds.take(`fact ${names[1]}`);
        await facts.set(names[0], 'crossed');
      });
    await Promise.all([cross(stores[0], 'a', 'b'), cross(stores[1], 'b', 'a')]);
    expect(await stores[0].tables.facts.get('a')).toBe('crossed');
    expect(await stores[0].tables.facts.get('b')).toBe('crossed');
  });

  it('hear of each other’s events', async () => {
    stores[1].others?.changedOrders();
    await stores[0].write(async ({ orderEvents, holds }) => {
      await holds.take('order heard');
      await orderEvents.append({ orderId: 'heard', atMs: 1, body: '{}' });
    });
    await expect.poll(() => stores[1].others?.changedOrders()).toContain('heard');
  });

  it('hear of many changes, also of those just before the other one closes', async () => {
    const names = Array.from({ length: 450 }, (_, index) => `many-${index}`);
    const third = await openStore(database.address);
    stores[1].others?.changedOrders();
    await third.write(async ({ orderEvents }) => {
      for (const orderId of names) await orderEvents.append({ orderId, atMs: 1, body: '{}' });
    });
    await third.close();
    const heard = new Set<string>();
    const hear = () => {
      for (const orderId of stores[1].others?.changedOrders() ?? []) heard.add(orderId);
      return names.filter((name) => !heard.has(name));
    };
    await expect.poll(hear).toEqual([]);
  });

  it('go on while a newer program adds columns', async () => {
    const { partnerOrders } = stores[0].tables;
    const row = partnerOrderRow({ orderId: 'older', idempotencyKey: null, walletAddress: null });
    const change = (version: number) =>
      stores[0].write(async (tables) => {
        const before = await tables.partnerOrders.byId('older');
        return before && tables.partnerOrders.update(before, { ...before, version });
      });
    await stores[0].write((tables) => tables.partnerOrders.insert(row, []));
    // Often enough for each connection to keep the statements.
    await Promise.all(Array.from({ length: 40 }, () => partnerOrders.byId('older')));
    expect(await change(1)).toBe(true);
    await database.run('alter table partner_orders add column newer text');
    expect(
      await Promise.all(Array.from({ length: 20 }, () => partnerOrders.byId('older'))),
    ).toEqual(Array.from({ length: 20 }, () => expect.objectContaining({ version: 1 })));
    await database.run('alter table partner_orders drop column newer');
    expect(await change(2)).toBe(true);
  });

  it('go on after the server has cut their connections, and look at everything again', async () => {
    stores[0].others?.changedOrders();
    await stores[0].write((tables) => stores[0].presence.note(tables));
    const names = await stores[1].tables.servers.all();
    expect(names).toHaveLength(1);
    expect(await stores[1].presence.dead(stores[1].tables)).toEqual([]);
    await database.run(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    );
    await expect
      .poll(() => stores[0].tables.facts.get('counter').catch(() => 'cut'), { timeout: 10_000 })
      .toBe('40');
    await expect.poll(() => stores[0].others?.changedOrders(), { timeout: 10_000 }).toBeUndefined();
    // A server is known by the connection that listens: what it held under the lost one is free.
    expect(await stores[1].presence.dead(stores[1].tables)).toEqual(names);
  });
});

it('an order reads no others, though its statements were planned while there were none', async () => {
  const database = await newDatabase();
  const store = await openStore(database.address);
  const ask = async (orderId: string) => {
    await store.tables.partnerOrders.closedSince('shop-1', 1, 'none');
    await store.tables.partnerOrders.paidBy('ann@example.com', 1);
    await store.write((tables) => tables.deliveries.release(orderId, 5), SINGLE);
  };
  for (let turn = 0; turn < 10; turn += 1) await ask('nobody');
  for (let index = 0; index < 300; index += 1) {
    const orderId = `order-${index}`;
    const own = { idempotencyKey: null, walletAddress: null };
    const row = partnerOrderRow({ orderId, applicationId: 'shop-1', ...own });
    const line = deliveryRow({ deliveryId: `delivery-${index}`, orderId });
    await store.write((tables) => tables.partnerOrders.insert(row, [line]), SINGLE);
  }
  for (let index = 0; index < 30; index += 1) await ask(`order-${index}`);
  await store.close();
  const read = await database.run(
    "select sum(idx_tup_read)::int as rows, sum(seq_tup_read)::int as all_rows from pg_stat_user_indexes join pg_stat_user_tables using (relid) where pg_stat_user_tables.relname in ('partner_orders', 'deliveries')",
  );
  expect(Number(read[0]?.rows)).toBeLessThan(500);
  expect(Number(read[0]?.all_rows)).toBe(0);
});

describe('a PostgreSQL that crashes under load', () => {
  let server: OwnPostgres;
  let stores: readonly [Store, Store];
  beforeAll(async () => {
    server = await startOwnPostgres();
    stores = await Promise.all([openStore(server.address), openStore(server.address)]);
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await server.remove();
  });

  it('lets requests wait, and loses nothing that was acknowledged', async () => {
    let reads = 0;
    const load = loadStores(stores, async (store) => {
      await store.tables.facts.get('write 0 0');
      reads += 1;
    });
    try {
      for (let crash = 0; crash < 2; crash += 1) {
        await load.goesOn(20);
        await server.crash();
      }
      await load.goesOn(20);
    } finally {
      await load.end(server.run);
    }
    expect(reads).toBeGreaterThan(0);
  });

  it('is listened to again', () => expectHeard(stores));
});

describe('an address that can never be reached', () => {
  it('is told at once where the server takes no TLS', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.once('data', () => socket.end('N'));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const address = `postgres://postgres@127.0.0.1:${port}/shop?sslmode=verify-full`;
    await expect(openStore(address)).rejects.toMatchObject(NO_TLS);
    expect(connections).toBe(1);
    server.close();
    const { address: real } = await newDatabase();
    await expect(openStore(`${real}?sslmode=verify-full`)).rejects.toMatchObject(NO_TLS);
  });

  it.each([
    ['sslrootcert=/nowhere.pem', 'The store failed: ENOENT: no such file or directory, open'],
    ['uselibpqcompat=true&sslmode=verify-ca', 'requires specifying a CA with sslrootcert'],
  ])('is told at once where %s cannot be used', async (query, said) => {
    // Nothing listens there, which is waited for.
    const address = `postgres://postgres@127.0.0.1:1/shop?${query}`;
    const message = expect.stringContaining(said);
    await expect(openStore(address)).rejects.toMatchObject({ code: 'STORE_UNUSABLE', message });
  });

  const NO_TLS = {
    code: 'STORE_UNUSABLE',
    message: 'The store failed: The server does not support SSL connections',
  };
});

it('a read whose connection is cut is asked again', async () => {
  const { address, run } = await newDatabase();
  const store = await openStore(address);
  const blocker = new pg.Client({ connectionString: address });
  await blocker.connect();
  await blocker.query('begin; lock table order_events in access exclusive mode');
  const read = store.tables.orderEvents.latestPosition();
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`;
  await expect.poll(() => run(cut)).not.toEqual([]);
  await blocker.end();
  expect(await read).toBe(0);
  await store.close();
});

it('a database of a newer program is refused, unless its steps only added to it', async () => {
  const { address, run } = await newDatabase();
  await (await openStore(address)).close();
  const newer = latestVersion(SHOP_SCHEMA) + 1;
  await run(`update scrip_schema set latest = ${newer}`);
  await (await openStore(address)).close();
  expect((await run('select latest from scrip_schema'))[0]?.latest).toBe(newer);
  await run(`update scrip_schema set version = ${newer}`);
  await expect(openStore(address)).rejects.toMatchObject({
    code: 'STORE_UNUSABLE',
    message: `The store has version ${newer} and was written by a newer scrip`,
  });
});

/** Resolves for all when so many have come; those who come again do not wait. */
function meeting(count: number): () => Promise<void> {
  let come = 0;
  let open: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    come += 1;
    if (come >= count) open();
    return all;
  };
}
