// P11: weight of an idle stream, and time to tell all of them, of the sources. The readers live in a process of
// their own, so that only ours is weighed. STREAMS=1000 opens fewer.
import { fork } from 'node:child_process';
import { request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadSources } from './sources.mjs';

const SOURCES = `export { listen } from './src/service/http/node.ts';
  export { createOrderHub } from './src/service/partner/events/order-hub.ts';
  export { followOrders } from './src/service/partner/events/stream.ts';`;
const COUNT = Number(process.env.STREAMS ?? 10_000);
/** Opened first and kept: what a server loads and grows once is not the weight of a stream. */
const WARM = 500;
const OPENED_AT_ONCE = 100;

if (process.argv[2] === 'read') {
  let heard = 0;
  const [url, from, to] = process.argv.slice(3);
  const open = (index) =>
    new Promise((resolve, reject) => {
      const path = `/v5/orders/${Math.floor(index / 3)}/subscribe`;
      const outgoing = request(url + path, { agent: false }, (response) => {
        response.on('data', () => {
          heard += 1;
          process.send({ heard });
        });
        resolve();
      });
      outgoing.once('error', reject).end();
    });
  // More at once would not fit into the server's queue of new connections.
  for (let index = Number(from); index < Number(to); index += OPENED_AT_ONCE) {
    const upTo = Math.min(index + OPENED_AT_ONCE, Number(to));
    await Promise.all(Array.from({ length: upTo - index }, (_, more) => open(index + more)));
  }
} else {
  const { listen, createOrderHub, followOrders } = await loadSources(SOURCES);
  let seq = 1;
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  const row = (orderId) => ({
    orderId,
    applicationId: 'bench',
    orderState: 'WaitingForPayment',
    paymentState: 'PaymentRequested',
  });
  const event = () => ({ seq, body: '{}', position: seq, orderId: '' });
  const store = {
    tables: {
      partnerOrders: { byId: async (orderId) => row(orderId) },
      orderEvents: {
        since: async (_, after) => (after < seq ? [event()] : []),
        latestSeq: async () => seq,
        latestPosition: async () => 0,
        after: async () => [],
      },
    },
  };
  const gate = { refusalOf: async () => undefined };
  const deps = { store, gate, clock: { now: () => Date.now() } };
  const hub = createOrderHub({
    ...deps,
    streamLimits: { perOrder: 3, perProcess: WARM + COUNT },
    view: async ({ orderId }) => ({ order_id: orderId, filler: 'x'.repeat(3000) }),
  });
  const follow = followOrders(deps, { hub, pageHub: hub });
  const withHeaders = (path, readHeaders, readAddress) => {
    const named = () => {
      const headers = readHeaders();
      headers.set('X-Cr-Application', 'bench');
      return headers;
    };
    return follow(path, named, readAddress);
  };
  const server = await listen({
    handler: () => new Response('', { status: 404 }),
    follow: withHeaders,
    port: 0,
    host: '127.0.0.1',
    limits: { connections: 2 * (WARM + COUNT), perAddress: 2 * (WARM + COUNT) },
  });
  const settle = () => new Promise((resolve) => setTimeout(resolve, 500));
  const weigh = () => {
    collectGarbage();
    return process.memoryUsage();
  };
  let heard = 0;
  const children = [];
  const read = async (from, to) => {
    const child = fork(new URL(import.meta.url).pathname, ['read', server.url, from, to]);
    let told = 0;
    child.on('message', (message) => {
      heard += message.heard - told;
      told = message.heard;
    });
    children.push(child);
    child.once('exit', (status) => {
      if (status) throw new Error(`the readers ended with ${status}`);
    });
    while (hub.count < to) await settle();
    await settle();
  };
  await read(0, WARM);
  const before = weigh();
  await read(WARM, WARM + COUNT);
  const after = weigh();
  const kilobytes = (name) => (after[name] - before[name]) / COUNT / 1024;
  const already = heard;
  seq += 1;
  const started = performance.now();
  hub.notify(Array.from({ length: Math.ceil((WARM + COUNT) / 3) }, (_, index) => String(index)));
  while (heard < already + WARM + COUNT) await new Promise((resolve) => setImmediate(resolve));
  const toldMs = performance.now() - started;
  const [heapKb, processKb] = [kilobytes('heapUsed'), kilobytes('rss')];
  console.log(JSON.stringify({ count: COUNT, heapKb, processKb, toldMs }));
  for (const child of children) child.kill();
  hub.close();
  await server.close();
}
