/** Streamable HTTP: what is refused and how, sessions, and calls without one (reliability 6.2). */
import { platform } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AGENT_USER_AGENT } from '../../src/contract/agent.ts';
import { RATE_LIMITS } from '../../src/domain/rate-limit.ts';
import { listen } from '../../src/service/http/node.ts';
import { sendFrom } from '../support/from-address.ts';
import {
  APPLICATION,
  jsonOf,
  orderBody,
  type PartnerSandbox,
  partnerSandbox,
} from '../support/partner-sandbox.ts';
import {
  BOTH,
  INITIALIZE,
  message,
  openSession,
  type RpcReply,
  type ToolWorld,
  toolWorld,
} from '../support/tool-world.ts';

const LIST = message('tools/list');
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const IDLE_MS = 10 * 60_000;

let shop: PartnerSandbox;
let world: ToolWorld;
beforeAll(async () => {
  shop = await partnerSandbox();
});
afterAll(() => shop.close());
beforeEach(() => {
  world = toolWorld(shop.current());
});

describe('a request is refused', () => {
  it.each<[string, number, Parameters<ToolWorld['send']>[0]]>([
    ['of another origin', 403, { body: INITIALIZE, headers: { Origin: 'https://evil.example' } }],
    ['of no origin that can be told', 403, { body: INITIALIZE, headers: { Origin: 'null' } }],
    [
      'of an origin that begins like this machine',
      403,
      { body: INITIALIZE, headers: { Origin: 'http://localhost.evil.example' } },
    ],
    ['to another host name', 403, { body: INITIALIZE, headers: { Host: 'evil.example' } }],
    ['to a host with a user name', 403, { body: INITIALIZE, headers: { Host: 'x@127.0.0.1' } }],
    ['with another method', 405, { method: 'PUT', body: LIST }],
    ['with another content', 415, { body: LIST, headers: { 'Content-Type': 'text/plain' } }],
    ['without saying its content', 415, { body: LIST, headers: { 'Content-Type': null } }],
    ['for another type of reply', 406, { body: LIST, headers: { Accept: 'text/html' } }],
    ['that is too large', 413, { body: message('tools/list', { x: 'x'.repeat(65_536) }) }],
    ['that is not JSON', 400, { body: '{' }],
    ['that is a batch', 400, { body: `[${LIST}]` }],
    ['that is no object', 400, { body: '"tools/list"' }],
    ['of a protocol of its own', 400, { body: LIST, headers: { 'MCP-Protocol-Version': '1999' } }],
    ['of no session', 404, { body: LIST, headers: { 'Mcp-Session-Id': crypto.randomUUID() } }],
    [
      'for the stream of no session',
      400,
      { method: 'GET', headers: { Accept: 'text/event-stream' } },
    ],
    ['to end no session', 400, { method: 'DELETE' }],
    ['at another path', 404, { path: '/mcp/other', body: LIST }],
  ])('%s: %j', async (_name, status, init) => {
    const reply = await world.send(init);
    expect(reply.status).toBe(status);
    expect(await reply.json()).toMatchObject({
      jsonrpc: '2.0',
      error: { code: expect.any(Number) },
    });
  });

  it('beyond the rate of its address, and says when to come back', async () => {
    const { count } = RATE_LIMITS.toolRequestsByAddress;
    for (let sent = 0; sent < count; sent += 1) await world.send({ body: '{' });
    const reply = await world.send({ body: INITIALIZE });
    expect([reply.status, reply.headers.get('Retry-After')]).toEqual([429, '1']);
    expect((await world.send({ body: INITIALIZE, address: '192.0.2.2' })).status).toBe(200);
    world.clock.advance(1_000);
    expect((await world.send({ body: INITIALIZE })).status).toBe(200);
  });

  it('names the methods that there are', async () => {
    expect((await world.send({ method: 'PATCH' })).headers.get('Allow')).toBe('GET, POST, DELETE');
  });
});

describe('a request is taken', () => {
  it.each<[string, Parameters<ToolWorld['send']>[0]]>([
    ['of this machine', { headers: { Origin: 'http://localhost:6274' } }],
    ['of the service itself', { headers: { Origin: 'http://sandbox.invalid' } }],
    ['at the other path', { path: '/mcp/http' }],
    ['with a character set', { headers: { 'Content-Type': 'application/json; charset=utf-8' } }],
  ])('%s', async (_name, init) => {
    expect((await world.send({ ...init, body: INITIALIZE })).status).toBe(200);
  });

  it.each([undefined, '*'])('of any client where the name that is wanted is %s', async (name) => {
    const open = toolWorld(shop.current(), name);
    const reply = await open.send({ body: INITIALIZE, headers: { 'User-Agent': null } });
    expect(reply.status).toBe(200);
  });

  it('of the one client that is wanted, and of no other', async () => {
    const strict = toolWorld(shop.current(), AGENT_USER_AGENT);
    expect((await strict.send({ body: INITIALIZE })).status).toBe(200);
    const other = { 'User-Agent': 'curl' };
    expect((await strict.send({ body: INITIALIZE, headers: other })).status).toBe(403);
  });
});

describe('a session', () => {
  const inSession = (id: string, body: string) =>
    world.send({ body, headers: { 'Mcp-Session-Id': id, 'MCP-Protocol-Version': '2025-06-18' } });

  it('is opened by initialize, with a UUID, and goes on until it is ended', async () => {
    const id = await openSession(world);
    expect(id).toMatch(UUID);
    const told = await inSession(id, message('notifications/initialized', undefined, null));
    expect(told.status).toBe(202);
    const listed = await inSession(id, LIST);
    expect(listed.headers.get('Content-Type')).toBe('text/event-stream');
    expect(await listed.text()).toContain('purchaseElicitation');
    const ended = await world.send({ method: 'DELETE', headers: { 'Mcp-Session-Id': id } });
    expect(ended.status).toBe(200);
    expect((await inSession(id, LIST)).status).toBe(404);
  });

  it('is nobody else’s', async () => {
    const id = await openSession(world);
    const headers = { 'Mcp-Session-Id': id, 'X-Cr-Application': 'another-shop' };
    expect((await world.send({ body: LIST, headers })).status).toBe(404);
    expect((await world.send({ method: 'DELETE', headers })).status).toBe(404);
    expect((await inSession(id, LIST)).status).toBe(200);
  });

  it('ends when nothing was asked for ten minutes', async () => {
    const id = await openSession(world);
    world.clock.advance(IDLE_MS - 1);
    expect((await inSession(id, LIST)).status).toBe(200);
    world.clock.advance(IDLE_MS);
    expect((await inSession(id, LIST)).status).toBe(404);
  });

  describe('where twenty may be open', () => {
    const MOST = 20;
    beforeEach(() => {
      world = toolWorld(shop.current(), undefined, MOST);
    });

    it('is not opened beside as many others, until one of them has ended', async () => {
      for (let opened = 0; opened < MOST; opened += 1) {
        const reply = await world.send({ body: INITIALIZE, address: `address ${opened}` });
        expect(reply.status).toBe(200);
      }
      const reply = await world.send({ body: INITIALIZE });
      expect([reply.status, reply.headers.get('Retry-After')]).toEqual([503, '60']);
      world.clock.advance(IDLE_MS);
      expect((await world.send({ body: INITIALIZE })).status).toBe(200);
    });

    // Only Linux answers on all of 127.0.0.0/8 without being told to.
    it.skipIf(platform() !== 'linux')(
      'of one address that opens all of them gives way to another address',
      async () => {
        const server = await listen({
          handler: (request, { address = '' }) => world.endpoint.handle(request, address),
          port: 0,
          host: '127.0.0.1',
        });
        const send = (address: string, body: string, session?: string) =>
          sendFrom(address, `${server.url}/mcp`, {
            method: 'POST',
            body,
            headers: {
              'Content-Type': 'application/json',
              Accept: BOTH,
              'User-Agent': AGENT_USER_AGENT,
              ...(session === undefined ? {} : { 'Mcp-Session-Id': session }),
            },
          });
        const openAt = async (address: string) => {
          const { status, headers } = await send(address, INITIALIZE);
          return { status, session: String(headers['mcp-session-id']) };
        };
        try {
          const greedy = [];
          for (let opened = 0; opened < MOST; opened += 1) greedy.push(await openAt('127.0.8.1'));
          expect(greedy.map(({ status }) => status)).toEqual(greedy.map(() => 200));
          expect(await openAt('127.0.8.1')).toMatchObject({ status: 503 });
          const honest = await openAt('127.0.8.2');
          expect(honest.status).toBe(200);
          expect((await send('127.0.8.2', LIST, honest.session)).status).toBe(200);
          // What gave way is the session that was used longest ago, and no other.
          const answers = greedy.map(({ session }) => send('127.0.8.1', LIST, session));
          const statuses = (await Promise.all(answers)).map(({ status }) => status);
          expect(statuses).toEqual([404, ...Array.from({ length: MOST - 1 }, () => 200)]);
        } finally {
          await server.close();
        }
      },
    );
  });
});

describe('a client without a session', () => {
  const send = (body: string, application = APPLICATION) =>
    world.send({ body, headers: { Accept: 'application/json', 'X-Cr-Application': application } });
  const ask = async (method: string, params?: unknown, application?: string) =>
    jsonOf<RpcReply>(await send(message(method, params), application));
  const call = (name: string, args: unknown, application?: string) =>
    ask('tools/call', { name, arguments: args }, application);

  it('is told the tools in plain JSON', async () => {
    const reply = await send(LIST);
    expect(reply.headers.get('Content-Type')).toBe('application/json');
    expect(reply.headers.get('Mcp-Session-Id')).toBeNull();
    expect((await jsonOf<RpcReply>(reply)).result.tools).toHaveLength(10);
  });

  it('is given the result of a tool, structured and as text', async () => {
    const { structuredContent, content } = (await call('getCurrencies', {})).result;
    expect(structuredContent.result).toEqual(await (await shop.get('/v3/currencies')).json());
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent);
  });

  it('makes an order of its own partner, which no other partner reads', async () => {
    const made = await call('createOrder', orderBody());
    const orderId = String(made.result.structuredContent.result.order_id);
    expect((await shop.read(orderId)).order_id).toBe(orderId);
    const stranger = await call('getOrderStatus', { order_id: orderId }, 'another-shop');
    expect(stranger.result.isError).toBe(true);
    expect(stranger.result.content[0]?.text).toContain('ORDER_UNKNOWN');
  });

  it('is told of a tool that there is not', async () => {
    expect((await call('payOrder', {})).error).toMatchObject({ code: -32602 });
  });

  it('may greet first, and may notify', async () => {
    const greeted = await jsonOf<RpcReply>(await send(INITIALIZE));
    expect(greeted.result.protocolVersion).toBe('2025-06-18');
    expect((await send(message('notifications/initialized', undefined, null))).status).toBe(202);
  });
});

it('the manifest is read by anybody, and changed by nobody', async () => {
  const path = '/mcp/manifest.json';
  const read = await world.send({ method: 'GET', path, headers: { 'User-Agent': 'curl' } });
  expect(await read.json()).toMatchObject({ name: 'scrip', version: '2025-06-18' });
  expect((await world.send({ path, body: '{}' })).status).toBe(405);
});
