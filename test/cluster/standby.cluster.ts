/** The address of a database moves to its standby, while two stores write and listen there. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '../../src/storage/open.ts';
import type { Store } from '../../src/storage/store.ts';
import { type OwnPostgres, type Standby, startOwnPostgres } from '../support/postgres-server.ts';
import { type Balancer, openBalancer } from './balancer.ts';

let first: OwnPostgres;
let standby: Standby;
let address: Balancer;
let stores: readonly [Store, Store];
const portOf = (url: string): number => Number(new URL(url).port);
beforeAll(async () => {
  first = await startOwnPostgres();
  standby = await first.standBy();
  address = await openBalancer();
  address.use([portOf(first.address)]);
  const moving = `postgres://postgres@127.0.0.1:${portOf(address.url)}/postgres`;
  stores = await Promise.all([openStore(moving), openStore(moving)]);
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await address.close();
  await standby.remove();
  await first.remove();
});

it('nothing that was acknowledged is lost, requests wait, and changes are heard again', async () => {
  const acknowledged: string[] = [];
  const failures: unknown[] = [];
  let isOver = false;
  const write = async (store: Store, worker: number) => {
    for (let count = 0; !isOver; count += 1) {
      const name = `write ${worker} ${count}`;
      await store
        .write(({ facts }) => facts.set(name, 'kept'))
        .then(() => acknowledged.push(name))
        .catch((error: unknown) => failures.push(error));
    }
  };
  const load = stores.flatMap((store, index) => [
    write(store, 2 * index),
    write(store, 2 * index + 1),
  ]);
  const goesOn = (from: number) =>
    expect.poll(() => acknowledged.length > from, { timeout: 30_000 }).toBe(true);
  let awayMs = 0;
  try {
    await goesOn(50);
    const beganMs = performance.now();
    // It moves before the standby takes writes: until then those that reach it wait as well.
    address.use([portOf(standby.address)]);
    await standby.takeOver();
    await goesOn(acknowledged.length);
    awayMs = Math.round(performance.now() - beganMs);
    await goesOn(acknowledged.length + 50);
  } finally {
    isOver = true;
  }
  await Promise.all(load);
  process.stderr.write(
    `standby: ${acknowledged.length} writes, ${failures.length} unknown, away for ${awayMs} ms\n`,
  );
  // Only a commit that was not answered is told to its caller: it may stand.
  const unknown = { code: 'STORE_UNUSABLE', details: { isUndone: false } };
  for (const failure of failures) expect(failure).toMatchObject(unknown);
  const rows = await standby.run("select name from facts where value = 'kept'");
  const kept = new Set(rows.map(({ name }) => name));
  expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
  const tellAndHear = async () => {
    await stores[0].write(async ({ orderEvents, holds }) => {
      await holds.take('order after');
      await orderEvents.append({ orderId: 'after', atMs: 1, body: '{}' });
    });
    return stores[1].others?.changedOrders();
  };
  await expect.poll(tellAndHear, { timeout: 10_000 }).toContain('after');
});
