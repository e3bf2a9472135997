/** The address of a database moves to its standby, while two stores write and listen there. */
import { afterAll, beforeAll, it } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type OwnPostgres, type Standby, startOwnPostgres } from '../support/postgres-server.ts';
import { expectHeard, loadStores } from '../support/store-load.ts';
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
  const load = loadStores(stores);
  let awayMs = 0;
  try {
    await load.goesOn(50);
    const beganMs = performance.now();
    // It moves before the standby takes writes: until then those that reach it wait as well.
    address.use([portOf(standby.address)]);
    await standby.takeOver();
    await load.goesOn(1);
    awayMs = Math.round(performance.now() - beganMs);
    await load.goesOn(50);
  } finally {
    await load.end(standby.run);
  }
  const { acknowledged, unknown } = load.counts();
  process.stderr.write(
    `standby: ${acknowledged} writes, ${unknown} unknown, away for ${awayMs} ms\n`,
  );
  await expectHeard(stores);
});
