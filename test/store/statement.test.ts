import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { missingSteps, NO_VERSION, SHOP_SCHEMA, SQLITE_WORDS } from '../../src/store/schema.ts';
import { type Db, dbOver, join, sql } from '../../src/store/sql.ts';
import { connect, type SqliteConnection } from '../../src/store/sqlite-driver.ts';
import { table } from '../../src/store/table.ts';
import { backlogIn } from '../../src/store/tables/backlog.ts';
import { partnerOrdersIn } from '../../src/store/tables/partner-orders.ts';
import { ALONE } from '../../src/store/tables.ts';
import { allRows } from '../support/all-rows.ts';

let connection: SqliteConnection;
beforeEach(async () => {
  connection = await connect(':memory:');
  for (const one of missingSteps(SHOP_SCHEMA, NO_VERSION, SQLITE_WORDS)?.statements ?? [])
    await connection.run(one);
});
afterEach(() => connection.close());

type Fact = { readonly name: string; readonly value: string };
const facts = table<Fact>('facts', 'name');
const ALL = sql<Fact>`select * from facts order by name`;

describe('a statement', () => {
  it('takes parts and lists, and its values in their order', async () => {
    const { db } = connection;
    await facts.in(db).insert(...['a', 'b', 'c'].map((name) => ({ name, value: name })));
    const those = sql`name in (${join(['b', 'c'])})`;
    const change = sql`update facts set value = ${'?'} where ${those} and value <> ${'c'}`;
    expect(change).toMatchObject({ values: ['?', 'b', 'c', 'c'] });
    expect(await db.changes(change)).toBe(1);
    expect(await db.all(ALL)).toEqual([
      { name: 'a', value: 'a' },
      { name: 'b', value: '?' },
      { name: 'c', value: 'c' },
    ]);
  });

  it('gives the first row, or none, or insists on one', async () => {
    const { db } = connection;
    expect(await db.first(ALL)).toBeUndefined();
    await expect(db.only(ALL)).rejects.toMatchObject({ code: 'INTERNAL' });
    await facts.in(db).insert({ name: 'a', value: '1' });
    expect(await db.only(ALL)).toEqual({ name: 'a', value: '1' });
  });
});

it('a whole table is read in the order of its key, page by page', async () => {
  const { db } = connection;
  const names = Array.from({ length: 1_001 }, (_, index) => `fact ${1_000 + index}`);
  await facts.in(db).insert(...names.toReversed().map((name) => ({ name, value: '' })));
  const read = await allRows(facts.in(db).rows());
  expect(read.map(({ name }) => name)).toEqual(names);
});

it('a transaction is undone by an error, and not usable after its end', async () => {
  const { db, transaction } = connection;
  let kept: Db | undefined;
  await transaction('write', async (inside) => {
    kept = inside;
    await facts.in(inside).insert({ name: 'a', value: '1' });
  });
  await expect(kept?.all(ALL)).rejects.toMatchObject({ code: 'INTERNAL' });
  const fault = new RangeError('no');
  const failing = transaction('write', async (inside) => {
    await facts.in(inside).insert({ name: 'b', value: '2' });
    throw fault;
  });
  await expect(failing).rejects.toBe(fault);
  expect(await db.all(ALL)).toEqual([{ name: 'a', value: '1' }]);
});

/** How SQLite answers what a piece of work asks. */
async function plansOf(work: (watched: Db) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  const watched = dbOver(async (text, values) => {
    const plan = { text: `explain query plan ${text}`, values };
    const rows = await connection.db.all<{ readonly detail: string }>(plan);
    plans.push(rows.map(({ detail }) => detail).join('; '));
    return { rows: [{}], changes: 0 };
  });
  await work(watched);
  return plans;
}

it('what a customer has paid is found by the index of paid orders', async () => {
  const [plan] = await plansOf((on) => partnerOrdersIn(on, ALONE).paidBy('buyer@example.com', 0));
  expect(plan).toContain('USING INDEX partner_orders_paid');
});

describe('what monitors ask', () => {
  it.each([
    ['partnerOrders', 'COVERING INDEX partner_orders_by_state'],
    ['orders', 'COVERING INDEX orders_by_status'],
    ['payments', 'COVERING INDEX settlements_by_state'],
    ['refunds', 'INDEX payouts_due'],
    // It holds those that wait alone, and is read at its end.
    ['oldestWebhook', 'SEARCH outbox USING INDEX outbox_by_age'],
    ['webhooks', 'COVERING INDEX outbox_due'],
  ] as const)('%s: is counted by an index, whatever has ended', async (name, index) => {
    const [plan, ...more] = await plansOf((on) => {
      const backlog = backlogIn(on);
      return name === 'partnerOrders'
        ? backlog.partnerOrders(['WaitingForPayment', 'WaitingForDelivery'])
        : backlog[name]();
    });
    expect(more).toEqual([]);
    expect(plan).toContain(index);
    expect(plan).not.toMatch(/SCAN (?!SUBQUERY)/);
  });
});
