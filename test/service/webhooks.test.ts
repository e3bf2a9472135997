import { createServer, type IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { SendWebhook } from '../../src/domain/address/webhook-address.ts';
import { createGuardedSend } from '../../src/net/guarded-send.ts';
import { recordCheckoutStatus } from '../../src/service/checkout/order-events.ts';
import { createWebhookKeys } from '../../src/service/webhooks/webhook-signature.ts';
import {
  createWebhookAdmin,
  createWebhookWorker,
  WEBHOOK_RETRY_MS,
} from '../../src/service/webhooks/webhooks.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { atEnd, listenOn } from '../support/at-end.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { seeded } from '../support/random.ts';
import { sessionRow } from '../support/store-suite.ts';
import { verifyThen } from '../support/webhook-receiver.ts';

const KEY = new Uint8Array(32).fill(7);
const START_MS = 1_800_000_000_000;

async function shop(send: SendWebhook) {
  const store = await openSqliteStore(':memory:');
  atEnd(() => store.close());
  const clock = { nowMs: START_MS, now: () => clock.nowMs };
  const deps = { store, clock, random: (length: number) => new Uint8Array(length).fill(128) };
  const worker = createWebhookWorker({ ...deps, webhooks: { send, key: KEY } });
  const pass = async (ms: number) => {
    clock.nowMs += ms;
    await worker.start();
    await worker.drain();
  };
  return { store, clock, pass };
}

async function addOrder(store: Store, orderId: string, callbackUrl: string, atMs = START_MS) {
  const dates = { createdAtMs: atMs, updatedAtMs: atMs };
  const order = { orderId, sessionId: `s-${orderId}`, email: 'a@example.com', callbackUrl };
  await store.write(async (tables) => {
    await tables.sessions.insert(
      sessionRow({ sessionId: order.sessionId, destination: `d-${orderId}` }),
    );
    const paid = { status: 'completed', amountAtomic: null } as const;
    await tables.orders.insert({ ...order, ...dates, ...paid }, []);
    await recordCheckoutStatus(tables, { ...order, status: 'completed' }, atMs);
  });
}

/** A thousand in the long run. */
const EVENTS = Math.min(1_000, fuzzRuns(250));
const MOODS = [200, 204, 301, 302, 307, 308, 400, 404, 410, 500, 503, 'hang', 'reset'] as const;
type Mood = (typeof MOODS)[number];
const DEAD = /^(HTTP_(30[1278]|400|404|410|500|503)|TIMEOUT|ECONNRESET)$/;

/** An endpoint that answers as it likes, and checks what it gets as a receiver does. */
async function moodySink(nowMs: () => number) {
  const draw = seeded(11);
  const keys = createWebhookKeys(KEY);
  const taken = new Set<string>();
  const moods = new Set<Mood>();
  const faults: string[] = [];
  let redirected = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (!request.url?.startsWith('/hook/')) redirected += 1;
    const fault = await faultOf(request.headers, body, keys, nowMs());
    if (fault !== undefined) faults.push(fault);
    // Half of all answers are good; the rest is anything.
    const mood = draw() < 0.5 ? 200 : (MOODS[Math.floor(draw() * MOODS.length)] ?? 200);
    moods.add(mood);
    if (mood === 'hang') return;
    if (mood === 'reset') return void request.socket.resetAndDestroy();
    if (mood < 300) taken.add(String(request.headers['webhook-id']));
    response.writeHead(mood, mood < 400 && mood >= 300 ? { location: '/elsewhere' } : {}).end();
  });
  return { url: await listenOn(server), taken, moods, faults, redirected: () => redirected };
}

/** What a receiver has against a message, by an independent library. */
async function faultOf(
  headers: IncomingHttpHeaders,
  body: string,
  keys: ReturnType<typeof createWebhookKeys>,
  nowMs: number,
): Promise<string | undefined> {
  const { data } = JSON.parse(body);
  if (Object.keys(data).join() !== 'order_id,status,seq') return `says ${Object.keys(data)}`;
  const secret = await keys.ofOrder(data.order_id);
  try {
    // One that the sender gave up may be read late; it is judged by when it was sent.
    const sentAtMs = Number(headers['webhook-timestamp']) * 1_000;
    if (sentAtMs > nowMs) return 'sent in the future';
    verifyThen(secret, body, headers);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

describe('webhooks', () => {
  it('reach a sink that fails at random, or are dead with the reason', async () => {
    const sink = await moodySink(() => world.clock.nowMs);
    const send = createGuardedSend({ isPrivateAllowed: true, totalTimeoutMs: 50 });
    const world = await shop(send);
    for (let count = 0; count < EVENTS; count += 1) {
      await addOrder(world.store, `cr_${count}`, `${sink.url}/hook/${count}`);
    }
    const { outbox } = world.store.tables;
    const isOver = async () => (await outbox.byState('pending', 1)).length === 0;
    for (let round = 0; round < 2_000 && !(await isOver()); round += 1) {
      await world.pass(round < 300 ? 1_000 : 3_600_000);
    }
    const delivered = await outbox.byState('delivered', EVENTS);
    const dead = await outbox.byState('dead', EVENTS);
    expect(delivered.length + dead.length).toBe(EVENTS);
    expect(delivered.filter(({ webhookId }) => !sink.taken.has(webhookId))).toEqual([]);
    expect(
      dead.map(({ lastError }) => lastError).filter((reason) => !DEAD.test(reason ?? '')),
    ).toEqual([]);
    // With such luck some say 410, and most arrive.
    expect(dead.some(({ lastError }) => lastError === 'HTTP_410')).toBe(true);
    expect(delivered.length).toBeGreaterThan(EVENTS / 2);
    expect(sink.moods).toEqual(new Set(MOODS));
    expect({ faults: sink.faults, redirected: sink.redirected() }).toEqual({
      faults: [],
      redirected: 0,
    });
  });

  it('come back on the schedule of the standard, and end dead', async () => {
    const times: number[] = [];
    const world = await shop(async () => {
      times.push(world.clock.nowMs);
      return { status: 500 };
    });
    await addOrder(world.store, 'cr_1', 'https://example.com/hook');
    await world.pass(0);
    for (const waitMs of WEBHOOK_RETRY_MS) {
      await world.pass(waitMs * 0.9 - 1);
      await world.pass(waitMs * 0.2 + 2);
    }
    expect(times).toHaveLength(10);
    expect(WEBHOOK_RETRY_MS.reduce((sum, ms) => sum + ms, 0)).toBe(272_105_000);
    const [dead] = await world.store.tables.outbox.byState('dead', 1);
    expect(dead).toMatchObject({ attempts: 10, lastError: 'HTTP_500' });
  });

  it('are made no more of an order whose endpoint is gone, and are of one made later', async () => {
    let calls = 0;
    const world = await shop(async () => {
      calls += 1;
      return { status: calls === 1 ? 410 : 200 };
    });
    const url = 'https://example.com/hook';
    await addOrder(world.store, 'cr_1', url);
    await world.pass(0);
    await addOrder(world.store, 'cr_2', url);
    await world.pass(0);
    expect(calls).toBe(1);
    await addOrder(world.store, 'cr_3', url, START_MS + 1);
    await world.pass(1);
    expect(calls).toBe(2);
  });

  it('are at most four at once to one host, and others do not wait for it', async () => {
    const release: (() => void)[] = [];
    const hosts: string[] = [];
    const store = await openSqliteStore(':memory:');
    atEnd(() => store.close());
    const clock = { nowMs: START_MS, now: () => clock.nowMs };
    const send: SendWebhook = ({ url }) => {
      hosts.push(new URL(url).host);
      if (url.includes('fast')) return Promise.resolve({ status: 200 });
      return new Promise((resolve) => release.push(() => resolve({ status: 200 })));
    };
    const random = (length: number) => new Uint8Array(length);
    const worker = createWebhookWorker({ store, clock, random, webhooks: { send, key: KEY } });
    for (let count = 0; count < 6; count += 1) {
      await addOrder(store, `cr_${count}`, 'https://slow.example/');
    }
    await addOrder(store, 'cr_fast', 'https://fast.example/');
    await worker.start();
    while (hosts.length < 5) await new Promise(setImmediate);
    expect(hosts.filter((host) => host === 'slow.example')).toHaveLength(4);
    expect(hosts).toContain('fast.example');
    for (const each of release) each();
    await worker.drain();
  });
});

describe('a change that is told again', () => {
  it('goes to the order’s own address under a new id, as it was', async () => {
    const sent: { readonly id: string | undefined; readonly body: string }[] = [];
    const { store, clock, pass } = await shop(async ({ headers, body }) => {
      sent.push({ id: headers['webhook-id'], body });
      return { status: 200 };
    });
    await addOrder(store, 'o1', 'https://one.example/');
    await pass(0);
    const admin = createWebhookAdmin(store, clock);
    for (const [webhookId, facts] of [
      ['again', undefined],
      ['once-more', { status: 'completed' }],
    ] as const) {
      expect(await admin.resend({ orderId: 'o1', facts, webhookId })).toMatchObject({
        webhook_id: webhookId,
        url: 'https://one.example/',
        state: 'pending',
      });
    }
    await pass(0);
    expect(sent.map(({ id }) => id)).toEqual(['msg_o1_1', 'again', 'once-more']);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
  });

  it('is one that there was, of an order that there is', async () => {
    const { store, clock } = await shop(async () => ({ status: 200 }));
    await addOrder(store, 'o1', 'https://one.example/');
    const admin = createWebhookAdmin(store, clock);
    const never = { orderId: 'o1', facts: { status: 'failed' }, webhookId: 'w' } as const;
    await expect(admin.resend(never)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      details: { changes: [{ status: 'completed' }] },
    });
    const unknown = { orderId: 'o2', webhookId: 'w' };
    await expect(admin.resend(unknown)).rejects.toMatchObject({ code: 'ORDER_UNKNOWN' });
  });
});
