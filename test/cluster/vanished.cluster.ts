/** A server's machine vanishes in a write: nothing tells the database, and others wait for the rows it locked. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { createDatabase, type TestDatabase } from '../support/postgres-server.ts';

let database: TestDatabase;
let stores: readonly [Store, Store];
beforeAll(async () => {
  database = await createDatabase();
  stores = await Promise.all([openStore(database.address), openStore(database.address)]);
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await database.drop();
});

it('its rows are free before another write gives up, and its own write is made anew', async () => {
  const [gone, other] = stores;
  const order: string[] = [];
  let locked: () => void = () => undefined;
  let come = (): void => undefined;
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve;
  });
  const isBack = new Promise<void>((resolve) => {
    come = resolve;
  });
  const write = (name: string, meanwhile: Promise<void>) => async (store: Store) => {
    await store.write(async ({ facts, holds }) => {
      await holds.take('fact shared');
      locked();
      await meanwhile;
      await facts.set('shared', name);
    });
    order.push(name);
  };
  const held = write('gone', isBack)(gone);
  await isLocked;
  await write('other', Promise.resolve())(other);
  come();
  await held;
  expect(order).toEqual(['other', 'gone']);
});

it('a snapshot, which locks nothing, may take longer', async () => {
  const [one] = stores;
  const read = await one.snapshot(async ({ facts }) => {
    const idle =
      "select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'";
    const longer = `${idle} and state_change < now() - interval '7 seconds'`;
    await expect.poll(() => database.run(longer), { timeout: 20_000 }).toHaveLength(1);
    return facts.get('shared');
  });
  expect(read).toBe('gone');
});
