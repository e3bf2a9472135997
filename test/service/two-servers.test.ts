/** What happened at one server of a shop counts at another: two servers on one PostgreSQL. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { createPayerBudget } from '../../src/service/payer-budget.ts';
import { skippingClock } from '../support/manual-clock.ts';
import { BASE, HEADERS, orderBody, via } from '../support/partner-sandbox.ts';
import { createDatabase, type TestDatabase } from '../support/postgres-server.ts';
import { random } from '../support/random.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { answerAll, beginPurchase, elicitOnce, GIFT_ANSWERS } from '../support/wizard-caller.ts';

/** Far more than a test lasts: nothing comes back meanwhile. */
const DAY_MS = 86_400_000;
const ORDERS = 40;

let database: TestDatabase;
const folder = tempFolder();
let one: Sandbox;
let other: Sandbox;
beforeAll(async () => {
  database = await createDatabase();
  const open = () =>
    openSandbox({
      dataDir: folder,
      database: database.address,
      clock: skippingClock(),
      random,
      baseUrl: BASE,
      traffic: { rates: { ordersByPartner: { count: ORDERS, windowMs: DAY_MS } } },
    });
  one = await open();
  other = await open();
});
afterAll(async () => {
  await Promise.all([one.close(), other.close()]);
  await database.drop();
});

const order = (sandbox: Sandbox, application: string): Promise<Response> =>
  sandbox.handle(
    new Request(`${BASE}/v5/orders`, {
      method: 'POST',
      body: JSON.stringify(orderBody({ payment: via('BTC', 'Mainnet') })),
      headers: { ...HEADERS, 'X-Cr-Application': application },
    }),
  );

it('a payer whose payments failed at both is blocked at both', async () => {
  const [here, there] = [one, other].map(({ store }) =>
    createPayerBudget(store, { now: () => store.others?.now() ?? 0 }),
  );
  const atMs = one.store.others?.now() ?? 0;
  await here?.note('payer', { messageHash: 'first', atMs });
  await there?.note('payer', { messageHash: 'second', atMs });
  // The same failure, seen by both, counts once.
  await there?.note('payer', { messageHash: 'first', atMs });
  expect(await here?.isBlocked('payer')).toBe(false);
  await there?.note('payer', { messageHash: 'third', atMs });
  expect(await here?.isBlocked('payer')).toBe(true);
  expect(await there?.isBlocked('payer')).toBe(true);
});

it('orders that were made at both and never paid hold a partner back at both', async () => {
  for (let made = 0; made < 5; made += 1) {
    for (const sandbox of [one, other]) expect((await order(sandbox, 'unpaid')).status).toBe(200);
  }
  // Their windows are over.
  await database.run('update partner_orders set window_ends_at_ms = 0, next_look_at_ms = 0');
  await one.tick();
  for (const sandbox of [one, other]) {
    const refused = await order(sandbox, 'unpaid');
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ detail: 'PARTNER_THROTTLED' });
    expect((await order(sandbox, 'another')).status).toBe(200);
  }
});

it('a guided purchase is answered at both in turn, and ends as one order', async () => {
  const token = await beginPurchase(one);
  for (const [index, answer] of GIFT_ANSWERS.entries()) {
    await answerAll(index % 2 === 0 ? other : one, token, [answer]);
  }
  const confirm = { session_token: token, answer: 'yes' };
  const confirmed = await elicitOnce(one, confirm);
  expect(confirmed.status).toBe('complete');
  expect(await elicitOnce(other, confirm)).toEqual(confirmed);
});

it('requests at both use up one limit, once the servers have told each other', async () => {
  let taken = 0;
  const ask = async (sandbox: Sandbox) => {
    const { status } = await order(sandbox, 'busy');
    if (status === 200) taken += 1;
    return status;
  };
  for (let asked = 0; asked < ORDERS / 2; asked += 1) {
    for (const sandbox of [one, other]) expect(await ask(sandbox)).toBe(200);
  }
  // Each has half of its own limit left. They exchange about once a second.
  const press = async () => {
    await Promise.all([one.tick(), other.tick()]);
    return [await ask(one), await ask(other)];
  };
  await expect.poll(press, { timeout: 20_000, interval: 500 }).toEqual([429, 429]);
  expect(taken).toBeLessThan(1.5 * ORDERS);
});
