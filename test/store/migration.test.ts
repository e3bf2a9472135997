import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { expect, it } from 'vitest';
import { STEPS } from '../../src/store/schema.ts';
import { connect } from '../../src/store/sqlite-driver.ts';
import { POSTGRES_TYPES, SQLITE_TYPES } from '../../src/store/steps.ts';
import { table } from '../../src/store/table.ts';
import { leaveChain } from '../../src/store/tables/chain.ts';
import { type DeliveryRow, deliveriesIn } from '../../src/store/tables/deliveries.ts';
import { ordersIn } from '../../src/store/tables/orders.ts';
import {
  namePages,
  partnerOrders,
  partnerOrdersIn,
} from '../../src/store/tables/partner-orders.ts';
import { createPayouts, payoutsIn, type RefundRow } from '../../src/store/tables/refunds.ts';
import { settlementsIn } from '../../src/store/tables/settlements.ts';
import { ALONE } from '../../src/store/tables.ts';
import { ENGINES } from '../support/engines.ts';
import { createDatabase } from '../support/postgres-server.ts';
import { orderRow, partnerOrderRow, settlementRow } from '../support/store-suite.ts';

it('the second version keeps deliveries, and takes those of partner orders', async () => {
  const { db } = await connect(':memory:');
  const [first, second] = STEPS;
  await first?.(db, SQLITE_TYPES);
  const delivery = {
    deliveryId: 'delivery-1',
    orderId: 'order-1',
    line: 0,
    beneficiary: 'ann@example.com',
    goods: '{}',
    state: 'pending',
    attempts: 3,
    nextAttemptAtMs: 5,
    voucher: Uint8Array.of(1, 2),
    failureReason: null,
  } as const;
  // As the first version wrote it: later columns are not there.
  await ordersIn(db).insert(orderRow(), [delivery as unknown as DeliveryRow]);
  await second?.(db, SQLITE_TYPES);
  const deliveries = deliveriesIn(db);
  expect(await deliveries.ofOrder('order-1')).toEqual([delivery]);
  expect(await deliveries.due(5, 10)).toEqual([delivery]);
  const stray = { ...delivery, deliveryId: 'delivery-2', orderId: 'another surface' };
  const rows = table<typeof stray>('deliveries', 'deliveryId').in(db);
  await rows.insert(stray);
  const twin = { ...stray, deliveryId: 'delivery-3' };
  await expect(rows.insert(twin)).rejects.toMatchObject({
    code: 'RECORD_EXISTS',
  });
  await db.destroy();
});

it('the fifth version keeps settlements, which have no name', async () => {
  const { db } = await connect(':memory:');
  for (const step of STEPS.slice(0, 4)) await step(db, SQLITE_TYPES);
  const { paymentId: _none, ...before } = settlementRow();
  // As the fourth version wrote it: the column is not there.
  await table<typeof before>('settlements', 'messageHash').in(db).insert(before);
  await STEPS[4]?.(db, SQLITE_TYPES);
  const settlements = settlementsIn(db, false);
  expect(await settlements.bySession(before.sessionId)).toEqual({ ...before, paymentId: null });
  await settlements.insert(settlementRow({ messageHash: 'm', sessionId: 's', orderId: 'o' }));
  await db.destroy();
});

it('the version that pays refunds knows no payment of earlier refunds, and so sends none', async () => {
  const { db } = await connect(':memory:');
  const step = STEPS.indexOf(createPayouts);
  for (const earlier of STEPS.slice(0, step)) await earlier(db, SQLITE_TYPES);
  const row = {
    ...({ refundId: 'r', orderId: 'order-1', kind: 'refund', line: null, coin: 'USDC' } as const),
    ...{ amountAtomic: '7', decimals: 6, recipient: 'w', reason: '', createdAtMs: 1 },
  } as const;
  await table<RefundRow>('refunds', 'refundId').in(db).insert(row);
  await createPayouts(db, SQLITE_TYPES);
  const payouts = payoutsIn(db);
  expect(await payouts.due(Number.MAX_SAFE_INTEGER, 5)).toEqual([]);
  expect(await payouts.list('waiting', 5)).toEqual([{ refund: row, payout: null }]);
  await db.destroy();
});

/** An empty database of each engine, with the types of its columns. */
const EMPTY = {
  SQLite: async () => ({ ...(await connect(':memory:')), types: SQLITE_TYPES, remove: () => {} }),
  PostgreSQL: async () => {
    const { address, drop } = await createDatabase();
    const pool = new pg.Pool({ connectionString: address });
    // Dropping the database cuts what the pool has not closed yet.
    pool.on('connect', (client) => client.on('error', () => {}));
    const dialect = new PostgresDialect({ pool });
    const db = new Kysely<unknown>({ dialect, plugins: [new CamelCasePlugin()] });
    return { db, types: POSTGRES_TYPES, remove: drop };
  },
} as const;

it.each(ENGINES)(
  'orders get pages of their own, also those that a server of the version before adds, on %s',
  async (engine) => {
    const { db, types, remove } = await EMPTY[engine]();
    const step = STEPS.indexOf(namePages);
    for (const earlier of STEPS.slice(0, step)) await earlier(db, types);
    const add = async (orderId: string) => {
      const { pageId: _none, ...row } = partnerOrderRow({ orderId, walletAddress: null });
      await table<typeof row>('partnerOrders', 'orderId').in(db).insert(row);
    };
    await add('one');
    await add('two');
    await namePages(db, types);
    await add('three');
    const rows = await partnerOrders.in(db).select(sql`order by order_id`);
    expect(new Set(rows.map(({ pageId }) => pageId)).size).toBe(3);
    for (const { pageId } of rows) expect(pageId).toMatch(/^[0-9a-f]{32}$/);
    const orders = partnerOrdersIn(db, ALONE);
    for (const id of ['one', 'two', 'three']) {
      const page = (await orders.byId(id))?.pageId ?? '';
      expect(await orders.ofPage(page)).toMatchObject({ orderId: id });
    }
    await db.destroy();
    await remove();
  },
);

it('since the chain left, steps only add: a server of the version before goes on beside a new one', async () => {
  const { db, run } = await connect(':memory:');
  const columns = async (): Promise<ReadonlyMap<string, boolean>> => {
    const tables = await run("select name from sqlite_schema where type = 'table'");
    const found = await Promise.all(
      tables.map(async ({ name: table }) =>
        (await run(`pragma table_info(${table})`)).map(
          ({ name, notnull, dflt_value }) =>
            [`${table}.${name}`, notnull === 1 && dflt_value === null] as const,
        ),
      ),
    );
    return new Map(found.flat());
  };
  for (const [index, step] of STEPS.entries()) {
    const before = await columns();
    await step(db, SQLITE_TYPES);
    if (index <= STEPS.indexOf(leaveChain)) continue;
    const after = await columns();
    expect([...before.keys()].filter((name) => !after.has(name))).toEqual([]);
    const tables = new Set([...before.keys()].map(tableOf));
    const demanded = [...after].filter(
      ([name, isDemanded]) => isDemanded && !before.has(name) && tables.has(tableOf(name)),
    );
    expect(demanded).toEqual([]);
  }
  await db.destroy();
});

const tableOf = (name: string): string => name.split('.')[0] ?? '';
