/** Six purchases at three servers, one of which is killed; the whole is `npm run test:cluster`. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/postgres-server.ts';
import { drawPlans, runPurchases } from './campaign.ts';
import { UNFINISHED_ROWS, verdictOf } from './verdict.ts';
import { judgeWebhooks } from './webhook-receiver.ts';
import { openWorld, SERVERS, type World } from './world.ts';

const PURCHASES = 6;
const LANES = 3;

it('the judge sees a webhook that is missing, repeated or early', () => {
  const [first, second] = [1, 2].map((seq) => ({ orderId: 'a', seq, id: `a${seq}` }));
  if (first === undefined || second === undefined) throw new Error('two webhooks');
  expect(judgeWebhooks([first, second, first], [first, second])).toMatchObject({
    ...{ events: 2, taken: 3, repeated: 1, missing: [], outOfOrder: [] },
  });
  expect(judgeWebhooks([second, first], [first, second]).outOfOrder).toEqual(['a 1']);
  expect(judgeWebhooks([second], [first, second]).missing).toEqual(['a 1']);
});

let database: TestDatabase;
let world: World;

beforeAll(async () => {
  database = await createDatabase();
  world = await openWorld(database.address);
});
afterAll(async () => {
  await world.close();
  await database.drop();
});

it('one of three servers dies: each buyer pays once, has the goods once, and is told in order', async () => {
  const { servers, receiver } = world;
  const plans = drawPlans(1, PURCHASES, SERVERS).map((plan, index) => ({
    ...plan,
    buyerDiesAt: undefined,
    strike:
      index === 2
        ? { at: 'server' as const, afterMs: 300, server: 0, diesAt: undefined }
        : undefined,
  }));
  const query = database.run;
  const purchases = await runPurchases({
    ...{ servers, receiver, plans, lanes: LANES },
    database: { query },
  });
  const pending = () => query(UNFINISHED_ROWS.webhooks ?? '');
  await expect.poll(pending).toEqual([{ n: '0' }]);
  const verdict = await verdictOf({ servers, query, receiver, purchases, databaseCrashes: 0 });
  expect(verdict.faults).toEqual([]);
  expect(purchases.map(({ end }) => end.split(' ')[0])).toEqual(
    Array.from({ length: PURCHASES }, () => 'delivered'),
  );
  expect(servers.all.map(({ ends }) => ends.kills)).toEqual([1, 0, 0]);
});
