/** The RPC's websockets as any program may treat them: politely, wrongly, and with too much. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { platform } from 'node:os';
import { text } from 'node:stream/consumers';
import { Keypair } from '@solana/web3.js';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { makeHome } from '../support/cli.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { rpc } from '../support/x402-payer.ts';

const open: WebSocket[] = [];

const sandbox = await serveSandbox(makeHome());
const url = `${sandbox.url.replace('http', 'ws')}/rpc`;
afterEach(() => {
  for (const socket of open.splice(0)) socket.terminate();
});

interface Message {
  readonly id?: number | null;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly method?: string;
  readonly params?: { readonly result: unknown; readonly subscription: number };
}

/** A connection whose messages are read one after another. */
async function connect(headers: Record<string, string> = {}, localAddress?: string) {
  const socket = new WebSocket(url, { headers, localAddress });
  open.push(socket);
  const waiting: ((message: Message) => void)[] = [];
  const heard: Message[] = [];
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    const next = waiting.shift();
    if (next) next(message);
    else heard.push(message);
  });
  await once(socket, 'open');
  const next = (): Promise<Message> =>
    new Promise((resolve) => {
      const message = heard.shift();
      if (message) resolve(message);
      else waiting.push(resolve);
    });
  const call = (method: string, params: unknown[] = []): Promise<Message> => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }));
    return next();
  };
  return { socket, next, call };
}

/** The connection below the library's frames. */
const rawOf = (socket: WebSocket): Socket => Reflect.get(socket, '_socket');

const HANDSHAKE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** The status that an upgrade is refused with. */
async function refusal(headers: Record<string, string>): Promise<number | undefined> {
  const sent = request(`${sandbox.url}/rpc`, { headers: { ...HANDSHAKE, ...headers } });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.destroy();
  return response.statusCode;
}

const airdrop = (owner: string) =>
  rpc<string>(sandbox.url, 'requestAirdrop', [owner, 1_000_000_000]);
const anybody = () => Keypair.generate().publicKey.toBase58();

describe('a subscription', () => {
  it('to a signature is told once, in the form of a validator, and is over', async () => {
    const { next, call } = await connect();
    const signature = await airdrop(anybody());
    const { result: subscription } = await call('signatureSubscribe', [
      signature,
      { commitment: 'confirmed', enableReceivedNotification: true },
    ]);
    const received = { context: { slot: expect.any(Number) }, value: 'receivedSignature' };
    expect(await next()).toEqual({
      jsonrpc: '2.0',
      method: 'signatureNotification',
      params: { result: received, subscription },
    });
    expect((await next()).params?.result).toEqual({ ...received, value: { err: null } });
    const again = await call('signatureUnsubscribe', [subscription]);
    expect(again.error).toEqual({ code: -32602, message: 'Invalid subscription id.' });
  });

  it('to an account tells its changes until it is ended', async () => {
    const { next, call } = await connect();
    const owner = anybody();
    const options = { encoding: 'base64', commitment: 'confirmed' };
    const { result: subscription } = await call('accountSubscribe', [owner, options]);
    await airdrop(owner);
    expect((await next()).params).toEqual({
      result: {
        context: { slot: expect.any(Number) },
        value: expect.objectContaining({ lamports: 1_000_000_000, data: ['', 'base64'], space: 0 }),
      },
      subscription,
    });
    expect((await call('accountUnsubscribe', [subscription])).result).toBe(true);
    const slots = await call('slotSubscribe');
    await airdrop(owner);
    const first = await next();
    expect(first.params?.subscription).toBe(slots.result);
    const { slot = 0, ...rest } = Object(first.params?.result);
    expect([first.method, rest]).toEqual([
      'slotNotification',
      { parent: slot - 1, root: slot - 32 },
    ]);
    expect((await next()).method).toBe('slotNotification');
  });

  it('of another connection cannot be ended', async () => {
    const mine = await connect();
    const { result } = await mine.call('accountSubscribe', [anybody()]);
    const { call } = await connect();
    expect((await call('accountUnsubscribe', [result])).error?.code).toBe(-32602);
    expect((await mine.call('slotUnsubscribe', [result])).error?.code).toBe(-32602);
  });

  it('beyond the number of a connection is refused, and those before it go on', async () => {
    const { call } = await connect();
    for (let count = 1; count <= 64; count += 1) {
      expect(await call('accountSubscribe', [anybody()])).toHaveProperty('result');
    }
    expect((await call('slotSubscribe')).error?.message).toContain('as many as it may');
    expect((await call('accountSubscribe', ['no address'])).error?.code).toBe(-32603);
    const other = await connect();
    expect(await other.call('slotSubscribe')).toHaveProperty('result');
    const last = await other.next();
    expect(last.method).toBe('slotNotification');
  });
});

describe('a message', () => {
  it.each([
    ['voteSubscribe', [], -32601],
    ['blockSubscribe', ['all'], -32601],
    ['logsSubscribe', ['some'], -32602],
    ['logsSubscribe', [{ mentions: [] }], -32602],
    ['programSubscribe', [anybody(), { encoding: 'base58' }], -32602],
    ['programSubscribe', [anybody(), { filters: [{}] }], -32602],
    ['getSlot', [], -32601],
    ['__proto__Subscribe', [], -32601],
    ['signatureSubscribe', ['short'], -32602],
    ['signatureSubscribe', [], -32602],
    ['accountSubscribe', [7], -32602],
    ['accountSubscribe', [anybody(), { encoding: 'hex' }], -32602],
    ['accountSubscribe', [anybody(), { commitment: 'soon' }], -32602],
    ['slotUnsubscribe', ['1'], -32602],
  ])('%s %j is answered with an error', async (method, params, code) => {
    const { call } = await connect();
    expect((await call(method, params)).error?.code).toBe(code);
  });

  it.each([
    ['no JSON', '{', -32700],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"slotSubscribe"}]', -32600],
    ['another version', '{"id":1,"method":"slotSubscribe"}', -32600],
    ['a number', '1', -32600],
  ])('of %s is answered with an error', async (_what, message, code) => {
    const { socket, next } = await connect();
    socket.send(message);
    expect((await next()).error?.code).toBe(code);
  });

  it('that wants no answer gets none', async () => {
    const { socket, call } = await connect();
    socket.send('{"jsonrpc":"2.0","method":"ping"}');
    expect(await call('voteSubscribe')).toMatchObject({ id: 7 });
  });

  it('that is too long ends the connection, and so does what is none', async () => {
    const long = await connect();
    long.socket.send(' '.repeat(16 * 1024 + 1));
    expect((await once(long.socket, 'close'))[0]).toBe(1009);
    const broken = await connect();
    broken.socket.on('error', () => undefined);
    rawOf(broken.socket).write(Buffer.from('\xff\xff\xff\xff garbage', 'latin1'));
    await once(broken.socket, 'close');
    expect(await (await connect()).call('slotSubscribe')).toHaveProperty('result');
  });
});

it('a reader that takes nothing of what it asks for is cut off', async () => {
  const { socket } = await connect();
  socket.on('error', () => undefined);
  rawOf(socket).pause();
  // Refusals of this kind repeat what they refuse.
  const encoding = 'x'.repeat(15_000);
  const params = [anybody(), { encoding }];
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'accountSubscribe', params });
  const closed = once(socket, 'close');
  for (let sent = 0; sent < 2_000; sent += 1) socket.send(call, () => undefined);
  expect((await closed)[0]).toBe(1006);
});

describe('a request to upgrade', () => {
  it.each([
    [{ Host: 'evil.example:4020' }],
    [{ Host: 'localhost.evil.example' }],
    [{ Origin: 'https://evil.example' }],
    [{ Origin: 'null' }],
    [{ Origin: 'http://127.0.0.1.evil.example' }],
  ])('of a page elsewhere, %j, is refused', async (headers) => {
    expect(await refusal(headers)).toBe(403);
  });

  it('of a page of this machine is taken', async () => {
    const { call } = await connect({ Origin: 'http://localhost:3000' });
    expect(await call('slotSubscribe')).toHaveProperty('result');
  });

  it('that no library would send is refused', async () => {
    expect(await refusal({ 'Sec-WebSocket-Version': '1' })).toBe(400);
    expect(await refusal({ 'Sec-WebSocket-Key': 'short' })).toBe(400);
  });

  it('beyond the number of connections is refused, until one of them ends', async () => {
    const opened = (): Promise<string> =>
      connect().then(
        () => 'opened',
        (error: Error) => error.message,
      );
    // Some of the tests before may still be ending: so many of our own, and no more.
    let last = 'opened';
    for (let count = 0; count <= 128 && last === 'opened'; count += 1) last = await opened();
    expect(last).toBe('Unexpected server response: 503');
    // One address keeps no other out. Only Linux answers on all of 127.0.0.0/8.
    if (platform() === 'linux') {
      const other = await connect({}, '127.0.6.1');
      expect(await other.call('slotSubscribe')).toHaveProperty('result');
      expect(await opened()).toBe('Unexpected server response: 503');
    }
    open[64]?.close();
    await expect.poll(opened).toBe('opened');
  });

  it.each([
    ['/v1/brands?country_code=us', 'websocket', 'GET', 200],
    ['/v1/brands?country_code=us', 'h2c', 'GET', 200],
    ['/rpc', 'h2c', 'POST', 200],
    ['/rpc', 'h2c', 'GET', 405],
  ])('of %s to %s is a %s like any other elsewhere', async (path, protocol, method, status) => {
    const headers = {
      Connection: 'Upgrade, HTTP2-Settings',
      Upgrade: protocol,
      'HTTP2-Settings': 'AAMAAABkAAQAAP__',
    };
    const sent = request(`${sandbox.url}${path}`, { method, headers });
    sent.end(method === 'POST' ? '{"jsonrpc":"2.0","id":1,"method":"getHealth"}' : '');
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect([response.statusCode, (await text(response)) === '']).toEqual([status, false]);
  });
});

describe('the next port', () => {
  it('says to a plain request what it is for', async () => {
    const { port } = new URL(sandbox.url);
    const response = await fetch(`http://127.0.0.1:${Number(port) + 1}/rpc`);
    expect([response.status, await response.text()]).toEqual([426, expect.stringContaining('RPC')]);
  });

  it('that is taken is told on stderr, and the rest is served', async () => {
    const [taken, port] = await takenPort();
    const other = makeHome();
    const served = await serveSandbox(other, ['--port', String(port - 1)]);
    await expect.poll(served.warnings).toContain(`Port ${port} is in use`);
    expect((await fetch(`${served.url}/v1/brands?country_code=us`)).status).toBe(200);
    taken.close();
  });
});

/** A port in use whose neighbour below is free. */
async function takenPort(): Promise<[Server, number]> {
  for (;;) {
    const [taken, below] = [createServer(), createServer()];
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    below.listen(port - 1, '127.0.0.1');
    const isFree = await once(below, 'listening').then(
      () => true,
      () => false,
    );
    if (isFree) await new Promise((resolve) => below.close(resolve));
    if (isFree) return [taken, port];
    taken.close();
  }
}
