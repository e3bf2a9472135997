/**
 * Three servers on one PostgreSQL, while servers, database and buyers are killed: `npm run test:cluster`.
 * `CLUSTER_PURCHASES` says how many purchases, `CLUSTER_LANES` how many at once, `CLUSTER_SEED` repeats a run.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/postgres-server.ts';
import { drawPlans, runPurchases } from './campaign.ts';
import { type Servers, startServers } from './servers.ts';
import { UNFINISHED_ROWS, verdictOf } from './verdict.ts';
import { openReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const count = Number(process.env.CLUSTER_PURCHASES ?? 500);
const lanes = Number(process.env.CLUSTER_LANES ?? 8);
const seed = Number(process.env.CLUSTER_SEED ?? Math.floor(Math.random() * 2 ** 31));
const SERVERS = 3;
/** A webhook whose sender died is tried again when its booking has run out. */
const LAST_WEBHOOK_MS = 120_000;

let home: Home;
let postgres: OwnPostgres;
let servers: Servers;
let receiver: WebhookReceiver;

beforeAll(async () => {
  home = makeHome();
  [postgres, receiver] = await Promise.all([startOwnPostgres(), openReceiver()]);
  servers = await startServers(home, { count: SERVERS, database: postgres.address });
});
afterAll(async () => {
  await servers.stop();
  await receiver.close();
  await postgres.remove();
  home.remove();
});

it('every purchase is paid once, delivered once and told in order', async () => {
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
