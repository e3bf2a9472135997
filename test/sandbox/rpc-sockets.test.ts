/** Websockets of the RPC as time goes by: finality, silence, and the end of the server. */
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import { type Chain, openChain } from '../../src/sandbox/chain/chain.ts';
import { createRpcSockets, type RpcSockets } from '../../src/sandbox/rpc/sockets.ts';
import { type Listening, listen } from '../../src/service/http/node.ts';
import { openSqliteChain } from '../../src/store/sqlite.ts';
import type { ChainStore } from '../../src/store/store.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';

const SLOT_MS = 400;
const CHECK_MS = 30_000;
const OWNER = 'So11111111111111111111111111111111111111112';

let store: ChainStore;
let chain: Chain;
let clock: ManualClock;
let sockets: RpcSockets;
let server: Listening;

beforeAll(async () => {
  store = await openSqliteChain(':memory:');
  clock = manualClock();
  chain = await openChain({ store, clock });
  const opened = Promise.resolve({ baseUrl: 'http://127.0.0.1', chain });
  sockets = createRpcSockets({ opened, path: '/rpc', clock });
  const handler = () => new Response();
  server = await listen({ handler, upgrade: sockets.upgrade, port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await store.close();
});

async function connect(options = {}) {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/rpc`, options);
  await once(socket, 'open');
  const next = async () => JSON.parse(String((await once(socket, 'message'))[0]));
  const subscribe = async (method: string, ...params: unknown[]): Promise<number> => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    return (await next()).result;
  };
  return { socket, next, subscribe };
}

/** Once answered, everything that was sent before has been read as well. */
async function pingPong(socket: WebSocket): Promise<void> {
  const answered = once(socket, 'pong');
  socket.ping();
  await answered;
}

const asleep = (count: number) => expect.poll(() => clock.sleepers()).toBe(count);

it('a signature is told at the commitment asked for, which is finalized where none is', async () => {
  const { socket, next, subscribe } = await connect();
  const signature = await chain.requestAirdrop(OWNER, 1_000_000_000n);
  const finalized = await subscribe('signatureSubscribe', signature);
  const confirmed = await subscribe('signatureSubscribe', signature, { commitment: 'confirmed' });
  // One sleeper looks at the chain, the other one at the connections.
  await asleep(2);
  const first = next();
  clock.advance(SLOT_MS);
  expect((await first).params.subscription).toBe(confirmed);
  await asleep(2);
  const last = next();
  clock.advance(31 * SLOT_MS);
  expect((await last).params).toMatchObject({
    subscription: finalized,
    result: { value: { err: null } },
  });
  // Nothing is subscribed to any more, so nothing is looked at.
  await asleep(1);
  socket.close();
  await once(socket, 'close');
});

it('who says nothing and waits for nothing is let go, and who is gone is cut off', async () => {
  const idle = await connect();
  const waiting = await connect();
  const gone = await connect({ autoPong: false });
  await waiting.subscribe('accountSubscribe', OWNER);
  await gone.subscribe('accountSubscribe', OWNER);
  const pinged = [once(idle.socket, 'ping'), once(waiting.socket, 'ping')];
  clock.advance(CHECK_MS);
  await Promise.all(pinged);
  await Promise.all([pingPong(idle.socket), pingPong(waiting.socket)]);
  const closed = [once(idle.socket, 'close'), once(gone.socket, 'close')];
  await asleep(2);
  clock.advance(CHECK_MS);
  const [[letGo], [cutOff]] = (await Promise.all(closed)) as [[number], [number]];
  expect([letGo, cutOff]).toEqual([1000, 1006]);
  expect(waiting.socket.readyState).toBe(WebSocket.OPEN);
  waiting.socket.terminate();
});

it('a client that repeats what was refused is answered once a second', async () => {
  const { socket, subscribe } = await connect();
  await subscribe('accountSubscribe', OWNER);
  let answers = 0;
  const repeat = (): void => {
    const call = { jsonrpc: '2.0', id: 1, method: 'voteSubscribe', params: [] };
    socket.send(JSON.stringify(call));
  };
  // As web3.js does: again at every answer.
  socket.on('message', (data) => {
    if (JSON.parse(String(data)).error === undefined) return;
    answers += 1;
    repeat();
  });
  repeat();
  await expect.poll(() => answers).toBe(8);
  // One sleeper looks at the chain, one at the connections, and one refusal waits.
  await asleep(3);
  // What is not refused is answered meanwhile.
  expect(await subscribe('accountSubscribe', OWNER)).toBeGreaterThan(0);
  expect(answers).toBe(8);
  clock.advance(1000);
  await expect.poll(() => answers).toBe(9);
  await asleep(3);
  expect(answers).toBe(9);
  socket.terminate();
});

it('every one of many refusals is answered, also those that came at once', async () => {
  const { socket } = await connect();
  const answered = new Set<number>();
  socket.on('message', (data) => answered.add(JSON.parse(String(data)).id));
  for (let id = 1; id <= 200; id += 1) {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'voteSubscribe', params: [] }));
  }
  await expect.poll(() => answered.size).toBe(200);
  socket.terminate();
});

it('the server can stop while websockets are open', async () => {
  const { socket, subscribe } = await connect();
  await subscribe('slotSubscribe');
  const closed = once(socket, 'close');
  sockets.close();
  await server.close();
  expect([1001, 1006]).toContain((await closed)[0]);
});
