/** Payments that a node reports by websocket, and the same when it reports nothing. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { createAgents } from '../../src/net/agents.ts';
import { systemClock } from '../../src/net/clock.ts';
import { createHttpFetch } from '../../src/net/fetch.ts';
import { fundByFaucet } from '../../src/rails/faucet.ts';
import { createAccountNews, websocketUrlOf } from '../../src/rails/solana/account-news.ts';
import { associatedTokenAddress } from '../../src/rails/solana/address.ts';
import { createSolanaRpc } from '../../src/rails/solana/rpc.ts';
import { createSolanaWatch } from '../../src/rails/solana/watch.ts';
import { serveChain } from '../../src/sandbox/serve.ts';
import { atOnce } from '../../src/service/partner/orders/progress.ts';
import { lookDue, unchecked } from '../../src/service/partner/orders/reconcile.ts';
import { checkWebsocket } from '../../src/shop/nodes.ts';
import { createPaymentWakes, type PaymentWakes } from '../../src/shop/payment-wakes.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { COMPANY_HOST, openCompanyNetwork } from '../support/company-network.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';
import { newKey } from '../support/new-key.ts';
import { accountRow, partnerOrderRow } from '../support/store-suite.ts';
import { tempFolder } from '../support/temp-folder.ts';

const RENEW_MS = 5_000;
const CHECK_MS = 30_000;
/** Orders of this age are looked at every ten seconds. */
const AGE_MS = 60 * 60_000;
const LOOK_MS = 10_000;

let store: Store;
let clock: ManualClock;
let cleanUps: (() => unknown)[];
beforeEach(async () => {
  store = await openSqliteStore(':memory:');
  clock = manualClock();
  cleanUps = [() => store.close()];
});
afterEach(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

function wakesAt(url: string, most = 50) {
  const reports: unknown[] = [];
  const report = (error: unknown) => reports.push(error);
  const wakes = createPaymentWakes({
    ...{ store, clock, most },
    open: (onChange) => createAccountNews({ url, clock, report, onChange }),
  });
  cleanUps.push(() => wakes.close());
  return { wakes, reports };
}

/** The order leases the account of this owner. */
async function openOrder(position: number, owner: string = newKey().address): Promise<string> {
  const orderId = `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`;
  const createdAtMs = clock.now() - AGE_MS;
  const row = { orderId, walletAddress: owner, createdAtMs, nextLookAtMs: clock.now() };
  const lease = `order ${orderId}` as const;
  await store.write(async ({ partnerOrders, receivingAccounts }) => {
    const windowEndsAtMs = createdAtMs + 24 * AGE_MS;
    await partnerOrders.insert(partnerOrderRow({ ...row, windowEndsAtMs }), []);
    const leasedAtMs = clock.now() + position;
    await receivingAccounts.insert(accountRow({ owner, position, lease, createdAtMs, leasedAtMs }));
  });
  return orderId;
}

const accountAt = async (position: number) => {
  const rows = await store.tables.receivingAccounts.all(SOLANA_MAINNET);
  return associatedTokenAddress(rows[position]?.owner ?? '', USDC_MINT);
};

const subscriptions = (wakes: PaymentWakes) =>
  Number(
    wakes
      .lines()
      .find((line) => line.startsWith('scrip_chain_subscriptions '))
      ?.slice(26),
  );

async function openChain() {
  const dataDir = tempFolder();
  const serve = (port: number) =>
    serveChain({ dataDir, port, host: '127.0.0.1', clock: systemClock });
  let server = await serve(0);
  cleanUps.push(() => server.close());
  const rpcUrl = `${server.url}/rpc`;
  const node = { url: rpcUrl, fetch: createHttpFetch({}), clock: systemClock };
  const watch = createSolanaWatch({ rpc: createSolanaRpc(node), mints: { USDC: USDC_MINT } });
  const deps = { store, watch, clock, compliance: unchecked, setup: atOnce };
  return {
    url: websocketUrlOf(rpcUrl),
    look: () => lookDue(deps, 100),
    pay: (owner: string) =>
      fundByFaucet(node, owner, { usdcAtomic: atomic(5_000_000n), lamports: atomic(0n) }),
    stop: () => server.close(),
    async restart() {
      server = await serve(Number(new URL(server.url).port));
    },
  };
}

const seenOf = async (orderId: string) =>
  (await store.tables.partnerOrders.byId(orderId))?.seenAtomic;

it('a payment is seen without a wait for the next look at its order', async () => {
  const chain = await openChain();
  const { wakes, reports } = wakesAt(chain.url);
  const owner = newKey().address;
  const orderId = await openOrder(0, owner);
  await openOrder(1);
  await chain.look();
  await wakes.hear();
  await expect.poll(() => subscriptions(wakes)).toBe(2);
  await chain.pay(owner);
  await expect
    .poll(async () => {
      await wakes.hear();
      await chain.look();
      return seenOf(orderId);
    })
    .toBe('5000000');
  expect(wakes.lines()).toContain('scrip_chain_wakeups_total 1');
  // The node that was asked could have been behind the one that told: the order is looked at again.
  for (const atMs of [1_000, 1_000]) {
    clock.advance(atMs);
    await wakes.hear();
  }
  expect(wakes.lines()).toContain('scrip_chain_wakeups_total 3');
  expect(reports).toEqual([]);
});

it('a websocket that dies leaves payments to polling, and is opened again', async () => {
  const chain = await openChain();
  const { wakes, reports } = wakesAt(chain.url);
  const [first, second] = [newKey().address, newKey().address];
  const orders = [await openOrder(0, first), await openOrder(1, second)];
  await chain.look();
  await wakes.hear();
  await expect.poll(() => subscriptions(wakes)).toBe(2);
  await chain.stop();
  await expect.poll(() => subscriptions(wakes)).toBe(0);
  await chain.restart();
  await chain.pay(first);
  await wakes.hear();
  await chain.look();
  expect(await seenOf(orders[0] ?? '')).toBe('0');
  clock.advance(LOOK_MS);
  await wakes.hear();
  await chain.look();
  expect(await seenOf(orders[0] ?? '')).toBe('5000000');

  await expect.poll(() => subscriptions(wakes)).toBe(2);
  await chain.pay(second);
  await expect
    .poll(async () => {
      await wakes.hear();
      await chain.look();
      return seenOf(orders[1] ?? '');
    })
    .toBe('5000000');
  expect(reports).toEqual([]);
});

it.each(['a handshake', 'a subscription'])(
  'a node that never answers %s is left, and told of once',
  async (what) => {
    const chain = await openChain();
    const silent = what === 'a handshake' ? await hangingServer() : await serverOf(() => undefined);
    const { wakes, reports } = wakesAt(silent.url);
    const owner = newKey().address;
    const orderId = await openOrder(0, owner);
    await chain.look();
    await chain.pay(owner);
    await wakes.hear();
    await expect.poll(silent.connections).toBe(1);
    clock.advance(LOOK_MS);
    await wakes.hear();
    await chain.look();
    expect(await seenOf(orderId)).toBe('5000000');
    for (const count of [2, 3]) {
      silent.reset();
      await expect
        .poll(() => {
          clock.advance(CHECK_MS);
          return silent.connections();
        })
        .toBeGreaterThanOrEqual(count);
    }
    expect(reports).toHaveLength(1);
    expect(String(reports[0])).toContain('payments are found by polling alone');
  },
);

/** Takes connections and says nothing until it is told to reset them. */
async function hangingServer() {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const reset = () => {
    for (const socket of sockets) socket.destroy();
  };
  cleanUps.push(reset, () => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${port}`, connections: () => count, reset };
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly [string | number];
}

/** A node that answers each call with what `answer` gives; undefined is no answer. */
async function serverOf(answer: (call: Call) => object | undefined) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  let count = 0;
  const calls: Call[] = [];
  server.on('connection', (socket) => {
    count += 1;
    socket.on('message', (data) => {
      const call: Call = JSON.parse(String(data));
      calls.push(call);
      const reply = answer(call);
      if (reply !== undefined) socket.send(JSON.stringify({ id: call.id, ...reply }));
    });
  });
  cleanUps.push(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const named = (method: string) => calls.filter((call) => call.method === method);
  return {
    url: `ws://127.0.0.1:${port}`,
    connections: () => count,
    reset: () => undefined,
    say(text: string) {
      for (const socket of server.clients) socket.send(text);
    },
    subscribed: () => named('accountSubscribe').map(({ params }) => params[0]),
    ended: () => named('accountUnsubscribe').map(({ params }) => params[0]),
  };
}

it('a node that reports what did not happen has orders looked at once a second, and no more', async () => {
  const chain = await openChain();
  const node = await serverOf(({ id }) => ({ result: id }));
  const { wakes, reports } = wakesAt(node.url);
  const orderId = await openOrder(0);
  await wakes.hear();
  await expect.poll(() => subscriptions(wakes)).toBe(1);
  const change = { method: 'accountNotification', params: { subscription: 1, result: {} } };
  const lies = [change, { ...change, params: { subscription: 7 } }, { id: 1, error: {} }, [], null];
  const wakeUps = () => Number(wakes.lines().at(-1)?.split(' ')[1]);
  await expect
    .poll(async () => {
      for (const lie of [...lies.map((one) => JSON.stringify(one)), '{']) node.say(lie);
      await wakes.hear();
      await chain.look();
      return wakeUps();
    })
    .toBe(1);
  for (const count of [1, 2]) {
    for (const atMs of [500, 500]) {
      clock.advance(atMs);
      await wakes.hear();
      await chain.look();
    }
    expect(wakeUps()).toBe(1 + count);
  }
  const order = await store.tables.partnerOrders.byId(orderId);
  expect(order).toMatchObject({ orderState: 'WaitingForPayment', seenAtomic: '0' });
  expect([subscriptions(wakes), reports]).toEqual([1, []]);
});

it('of a thousand open orders the newest are subscribed to, as many as are configured', async () => {
  const node = await serverOf(({ id }) => ({ result: 1_000 + id }));
  const { wakes } = wakesAt(node.url, 40);
  for (let position = 0; position < 1_000; position += 1) await openOrder(position);
  await wakes.hear();
  await expect.poll(() => subscriptions(wakes)).toBe(40);
  const newest = await Promise.all([999, 960].map(accountAt));
  expect([node.subscribed()[0], node.subscribed().at(-1)]).toEqual(newest);
  await openOrder(1_000);
  clock.advance(RENEW_MS);
  await wakes.hear();
  await expect.poll(node.ended).toHaveLength(1);
  await expect.poll(() => subscriptions(wakes)).toBe(40);
  expect(node.subscribed().at(-1)).toBe(await accountAt(1_000));
  expect(node.subscribed()).toHaveLength(41);
});

it('a node that takes fewer subscriptions than configured has those of the newest orders', async () => {
  let taken = 0;
  const node = await serverOf(({ id, method }) => {
    if (method === 'accountUnsubscribe') taken -= 1;
    else if (taken === 3) return { error: { code: -32_603, message: 'Too many' } };
    else taken += 1;
    return { result: method === 'accountUnsubscribe' ? true : 1_000 + id };
  });
  const { wakes } = wakesAt(node.url);
  for (let position = 0; position < 5; position += 1) await openOrder(position);
  await wakes.hear();
  await expect.poll(() => node.subscribed().length).toBe(5);
  await expect.poll(() => subscriptions(wakes)).toBe(3);
  await openOrder(5);
  clock.advance(RENEW_MS);
  await wakes.hear();
  await expect.poll(() => subscriptions(wakes)).toBe(3);
  expect(node.subscribed().slice(5)).toEqual([await accountAt(5)]);
  expect(node.ended()).toEqual([1_003]);
});

it('without subscriptions no websocket is opened', async () => {
  const node = await serverOf(({ id }) => ({ result: id }));
  const { wakes } = wakesAt(node.url, 0);
  await openOrder(0);
  await wakes.hear();
  await wakes.close();
  expect(node.connections()).toBe(0);
});

it('the check of a shop says whether the websocket reports accounts', async () => {
  const chain = await openChain();
  const account = associatedTokenAddress(newKey().address, USDC_MINT);
  await checkWebsocket(chain, account, clock);
  const silent = await serverOf(() => undefined);
  const checked = checkWebsocket({ url: `${silent.url}/?api-key=SECRET` }, account, clock);
  const refused = expect(checked).rejects.toMatchObject({
    code: 'CHAIN_UNREACHABLE',
    message: expect.stringMatching(/^The websocket at 127\.0\.0\.1:\d+ reports no accounts$/),
  });
  await expect.poll(() => clock.sleepers()).toBe(1);
  clock.advance(10_000);
  await refused;
  const none = checkWebsocket({ url: 'ws://127.0.0.1:1' }, account, clock);
  await expect(none).rejects.toThrow('The websocket at 127.0.0.1:1 cannot be opened');
});

it('the websocket goes through a proxy, to a host of the company’s own authority', async () => {
  const node = await serverOf(({ id }) => ({ result: id }));
  const account = associatedTokenAddress(newKey().address, USDC_MINT);
  const behind = node.url.replace('ws', 'http');
  const company = await openCompanyNetwork(() => behind, {
    leads: { 'node.example:8900': behind },
  });
  const caFile = join(tempFolder(), 'ca.pem');
  writeFileSync(caFile, company.authority);
  const { socketAgent } = createAgents({ env: { HTTPS_PROXY: company.proxyUrl }, caFile });
  for (const url of [`wss://${COMPANY_HOST}/`, 'ws://node.example:8900/']) {
    await checkWebsocket({ url, agent: socketAgent }, account, clock);
  }
  expect(new Set(company.proxy.asked)).toEqual(
    new Set([`${COMPANY_HOST}:443`, 'node.example:8900']),
  );
  const asked = company.proxy.asked.length;
  await checkWebsocket({ url: node.url, agent: socketAgent }, account, clock);
  expect(company.proxy.asked).toHaveLength(asked);
});

it('the address of the websocket follows from that of the RPC', () => {
  expect(websocketUrlOf('https://rpc.example/?api-key=K')).toBe('wss://rpc.example/?api-key=K');
  expect(websocketUrlOf('http://127.0.0.1:8899/rpc')).toBe('ws://127.0.0.1:8900/rpc');
});
