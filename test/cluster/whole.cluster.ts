/**
 * Three servers on one PostgreSQL, while servers, database and buyers are killed: `npm run test:cluster`.
 * `CLUSTER_PURCHASES` says how many purchases, `CLUSTER_LANES` how many at once, `CLUSTER_SEED` repeats a run.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OwnPostgres, startOwnPostgres } from '../support/postgres-server.ts';
import { drawPlans, runPurchases } from './campaign.ts';
import { UNFINISHED_ROWS, verdictOf } from './verdict.ts';
import { openWorld, SERVERS, type World } from './world.ts';

const count = Number(process.env.CLUSTER_PURCHASES ?? 500);
const lanes = Number(process.env.CLUSTER_LANES ?? 8);
const seed = Number(process.env.CLUSTER_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** A webhook whose sender died is tried again when its booking has run out. */
const LAST_WEBHOOK_MS = 120_000;

let postgres: OwnPostgres;
let world: World;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  world = await openWorld(postgres.address);
});
afterAll(async () => {
  await world.close();
  await postgres.remove();
});

it('every purchase is paid once, delivered once and told in order', async () => {
  const { home, servers, receiver } = world;
  console.log(`seed ${seed}`);
  const startedMs = performance.now();
  let databaseCrashes = 0;
  const purchases = await runPurchases({
    ...{ servers, receiver, lanes },
    plans: drawPlans(seed, count, SERVERS),
    database: {
      query: postgres.run,
      crash: async () => {
        databaseCrashes += 1;
        await postgres.crash();
      },
    },
    told: (done) => {
      if (done % 50 === 0 || done === count) console.log(`  ${done} of ${count}`);
    },
  });
  const seconds = (performance.now() - startedMs) / 1_000;
  const pending = () => postgres.run(UNFINISHED_ROWS.webhooks ?? '');
  await expect.poll(pending, { timeout: LAST_WEBHOOK_MS, interval: 1_000 }).toEqual([{ n: '0' }]);
  const query = postgres.run;
  const verdict = await verdictOf({ servers, query, receiver, purchases, databaseCrashes });
  console.log(`${[...verdict.lines, ...verdict.faults].join('\n')}\n  in ${seconds.toFixed(0)} s`);
  expect(verdict.faults).toEqual([]);
  expect(await home.json(servers.audit)).toMatchObject({ agrees: true, mismatches: [], open: 0 });
});
