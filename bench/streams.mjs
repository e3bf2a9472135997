// Weight of an idle stream, and time to tell all of them: `node --expose-gc bench/streams.mjs`
// runs the sources. The readers live in a process of their own, so that only ours is weighed.
import { fork } from 'node:child_process';
import { request } from 'node:http';

const COUNT = Number(process.env.STREAMS ?? 1000);
/** Opened first and kept: what a server loads and grows once is not the weight of a stream. */
const WARM = 500;

if (process.argv[2] === 'read') {
  let heard = 0;
  const [url, from, to] = process.argv.slice(3);
  for (let index = Number(from); index < Number(to); index += 1) {
    const outgoing = request(`${url}/v5/orders/${Math.floor(index / 3)}/subscribe`, {
      agent: false,
    });
    outgoing.on('response', (response) => {
      response.on('data', () => {
        heard += 1;
        process.send({ heard });
      });
    });
    outgoing.end();
  }
} else {
  const esbuild = await import('esbuild');
  const { outputFiles } = await esbuild.build({
    stdin: {
      contents:
        "export { listen } from './src/service/node.ts'; export { createOrderHub } from './src/service/partner/order-hub.ts'; export { followOrders } from './src/service/partner/stream.ts';",
      resolveDir: new URL('..', import.meta.url).pathname,
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  const { writeFileSync, rmSync } = await import('node:fs');
  const file = new URL('./.streams-bundle.mjs', import.meta.url);
  writeFileSync(file, outputFiles[0].text);
  const { listen, createOrderHub, followOrders } = await import(file.href);
  rmSync(file);
  let seq = 1;
  const row = (orderId) => ({
    orderId,
    applicationId: '',
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
  const desk = { store, clock: { now: () => Date.now() } };
  const hub = createOrderHub({
    ...desk,
    limits: { perOrder: 3, perProcess: WARM + COUNT },
    view: async ({ orderId }) => ({ order_id: orderId, filler: 'x'.repeat(3000) }),
  });
  const follow = followOrders(desk, hub);
  const withHeaders = (path, readHeaders) =>
    follow(path, () => {
      const headers = readHeaders();
      headers.set('X-Cr-Application', 'bench');
      return headers;
    });
  store.tables.partnerOrders.byId = async (orderId) => ({
    ...row(orderId),
    applicationId: 'bench',
  });
  const server = await listen({
    handler: () => new Response('', { status: 404 }),
    follow: withHeaders,
    port: 0,
    host: '127.0.0.1',
  });
  const settle = () => new Promise((resolve) => setTimeout(resolve, 500));
  const weigh = () => {
    globalThis.gc?.();
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
    while (hub.count < to) await settle();
    await settle();
  };
  await read(0, WARM);
  const before = weigh();
  await read(WARM, WARM + COUNT);
  const after = weigh();
  const each = (name) => ((after[name] - before[name]) / COUNT / 1024).toFixed(1);
  console.log(
    `${COUNT} idle streams after ${WARM}, KB each: heap ${each('heapUsed')}, outside it ${each('external')}, process ${each('rss')}`,
  );
  const already = heard;
  seq += 1;
  const started = performance.now();
  hub.tell(Array.from({ length: Math.ceil((WARM + COUNT) / 3) }, (_, index) => String(index)));
  while (heard < already + WARM + COUNT) await new Promise((resolve) => setImmediate(resolve));
  console.log(`told all of them in ${(performance.now() - started).toFixed(0)} ms`);
  for (const child of children) child.kill();
  hub.close();
  await server.close();
}
