import { CompiledQuery, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { STEPS } from '../../src/store/schema.ts';
import { connect } from '../../src/store/sqlite-driver.ts';
import { type Db, rowsOf, statement } from '../../src/store/statement.ts';

import { SQLITE_TYPES } from '../../src/store/steps.ts';
import { table } from '../../src/store/table.ts';
import { backlogIn } from '../../src/store/tables/backlog.ts';
import { partnerOrdersIn } from '../../src/store/tables/partner-orders.ts';
import { ALONE } from '../../src/store/tables.ts';

let db: Db;
beforeEach(async () => {
  ({ db } = await connect(':memory:'));
  for (const step of STEPS) await step(db, SQLITE_TYPES);
});
afterEach(() => db.destroy());

type Fact = { readonly name: string; readonly value: string };
const facts = table<Fact>('facts', 'name');

describe('a statement', () => {
  it('is built once, and runs with the values of each call', async () => {
    let built = 0;
    const insert = statement(({ name, value }: Fact) => {
      built += 1;
      return sql`insert into facts (name, value) values (${name}, ${value})`;
    });
    await insert.run(db, { name: 'a', value: '1' });
    await insert.run(db, { name: 'b', value: '2' });
    await db.transaction().execute((inside) => insert.run(inside, { name: 'c', value: '3' }));
    expect(built).toBe(1);
    expect(await rowsOf(db, sql`select * from facts order by name`)).toEqual([
      { name: 'a', value: '1' },
      { name: 'b', value: '2' },
      { name: 'c', value: '3' },
    ]);
  });

  it('is built again for a list of another length', async () => {
    await facts.in(db).insert(...['a', 'b', 'c'].map((name) => ({ name, value: name })));
    let built = 0;
    const named = statement(({ names }: { readonly names: readonly string[] }) => {
      built += 1;
      return sql`select name from facts where name in (${sql.join(names)}) order by name`;
    });
    expect(await named.all(db, { names: ['a', 'b'] })).toEqual([{ name: 'a' }, { name: 'b' }]);
    expect(await named.all(db, { names: ['b', 'c'] })).toEqual([{ name: 'b' }, { name: 'c' }]);
    expect(await named.all(db, { names: ['c'] })).toEqual([{ name: 'c' }]);
    expect(built).toBe(2);
  });

  it('keeps its own constants, wherever values come in between', async () => {
    const rename = statement(
      ({ to, from }: { readonly to: string; readonly from: string }) =>
        sql`update facts set value = ${to} where name = ${'kept'} and value = ${from}`,
    );
    await facts.in(db).insert({ name: 'kept', value: 'old' });
    // The order of the fields is not that of the statement.
    expect(await rename.changesOne(db, { from: 'other', to: 'new' })).toBe(false);
    expect(await rename.changesOne(db, { from: 'old', to: 'new' })).toBe(true);
    expect(await rowsOf(db, sql`select value from facts`)).toEqual([{ value: 'new' }]);
  });

  it('gives the first row, or none, or insists on one', async () => {
    const find = statement(
      ({ name }: Pick<Fact, 'name'>) => sql<Fact>`select * from facts where name = ${name}`,
    );
    expect(await find.first(db, { name: 'a' })).toBeUndefined();
    await expect(find.only(db, { name: 'a' })).rejects.toThrow(ScripError);
    await facts.in(db).insert({ name: 'a', value: '1' });
    expect(await find.only(db, { name: 'a' })).toEqual({ name: 'a', value: '1' });
  });
});

/** How SQLite answers what a piece of work asks. */
async function plansOf(work: (watched: Db) => Promise<unknown>): Promise<string[]> {
  const asked: CompiledQuery[] = [];
  const watched = db.withPlugin({
    transformQuery: ({ node, queryId }) => {
      asked.push(db.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  await work(watched);
  const plans = asked.map(({ sql, parameters }) =>
    db.executeQuery<{ readonly detail: string }>(
      // A plan does not depend on the values.
      CompiledQuery.raw(
        `explain query plan ${sql}`,
        parameters.map(() => null),
      ),
    ),
  );
  return (await Promise.all(plans)).map(({ rows }) => rows.map(({ detail }) => detail).join('; '));
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
