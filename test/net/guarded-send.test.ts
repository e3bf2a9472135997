import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOwnAddress } from '../../src/domain/address/public-address.ts';
import { webhookProblem } from '../../src/domain/address/webhook-address.ts';
import { Message } from '../../src/domain/message/message.ts';
import { createGuardedSend } from '../../src/net/guarded-send.ts';
import { listenOn } from '../support/at-end.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { createPrivateCa } from '../support/private-ca.ts';

let connections = 0;
const server = createServer((request, response) => {
  if (request.url === '/redirect') response.writeHead(302, { location: '/' });
  else if (request.url === '/long') response.write('x'.repeat(1_000_000));
  response.end();
});
server.on('connection', () => {
  connections += 1;
});
const port = Number(new URL(await listenOn(server)).port);

const PRIVATE = [
  'http://example.com/',
  'https://user:pass@example.com/',
  'https://example.com:22/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'https://localhost/',
  'https://localhost./',
  'https://a.localhost/',
  'https://printer.local/',
  'https://metadata.google.internal/',
  'https://router.lan/',
  'https://1.0.0.127.in-addr.arpa/',
  'https://intranet/',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://0x7f.1/',
  'https://2130706433/',
  'https://0177.0.0.1/',
  'https://１２７.0.0.1/',
  'https://①②⑦.0.0.1/',
  'https://0.0.0.0/',
  'https://10.0.0.1/',
  'https://100.64.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://192.0.2.1/',
  'https://198.18.0.1/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[fe80::1]/',
  'https://[fd00::1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001:db8::1]/',
  'https://[64:ff9b::7f00:1]/',
];

const SCHEMES = ['https', 'https', 'http', 'HTTPS', 'wss'] as const;
const octet = fc.integer({ min: 0, max: 255 });
const quad = fc
  .tuple(octet, octet, octet)
  .chain(([b, c, d]) =>
    fc.constantFrom(
      [127, b, c, d],
      [10, b, c, d],
      [0, b, c, d],
      [169, 254, c, d],
      [172, 16 + (b % 16), c, d],
      [192, 168, c, d],
      [100, 64 + (b % 64), c, d],
      [198, 18 + (b % 2), c, d],
      [224 + (b % 32), b, c, d],
    ),
  );
/** A private IPv4 address in one of the spellings that `URL` takes. */
const spelled = fc
  .tuple(quad, fc.constantFrom('dec', 'hex', 'oct', 'int', 'wide'))
  .map(([parts, how]) => {
    const number = parts.reduce((sum, part) => sum * 256 + part, 0);
    if (how === 'int') return String(number);
    if (how === 'hex') return parts.map((part) => `0x${part.toString(16)}`).join('.');
    if (how === 'oct') return parts.map((part) => `0${part.toString(8)}`).join('.');
    const plain = parts.join('.');
    if (how === 'dec') return plain;
    return plain.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
  });
const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
const v6 = fc.oneof(
  quad.map((parts) => `[::ffff:${parts.join('.')}]`),
  group.map((tail) => `[fe80::${tail}]`),
  fc.tuple(group, group).map(([one, two]) => `[fd00:${one}::${two}]`),
  group.map((tail) => `[2002:${tail}::1]`),
  group.map((tail) => `[64:ff9b::${tail}]`),
  group.map((tail) => `[ff02::${tail}]`),
);
const name = fc
  .tuple(
    fc.stringMatching(/^[a-z]{1,8}$/),
    fc.constantFrom('localhost', 'local', 'lan', 'internal'),
  )
  .map((labels) => labels.join('.'));
const rebound = fc.stringMatching(/^[a-z]{1,12}$/).map((label) => `${label}.example`);
const privateHost = fc.oneof(spelled, v6, name, rebound);

function portOf(listening: TcpServer): Promise<number> {
  return new Promise((resolve) =>
    listening.listen(0, '127.0.0.1', () => resolve((listening.address() as AddressInfo).port)),
  );
}

function closed(listening: TcpServer): Promise<void> {
  return new Promise((resolve) => {
    listening.close(() => resolve());
    if ('closeAllConnections' in listening) (listening as Server).closeAllConnections();
  });
}

describe('a guarded post', () => {
  it.each(PRIVATE)('goes not to %s', async (url) => {
    const before = connections;
    expect(webhookProblem(url, { isPrivateAllowed: false })).toBeInstanceOf(Message);
    const send = createGuardedSend({ isPrivateAllowed: false });
    expect(await send({ url, headers: {}, body: '' })).toEqual({ failure: 'ADDRESS_REFUSED' });
    expect(connections).toBe(before);
  });

  it.each([
    ['https://example.com/hook'],
    ['https://example.com:8443/hook?x=1'],
    ['https://93.184.216.34/'],
    ['https://[2606:2800:220:1:248:1893:25c8:1946]/'],
  ])('may go to %s', (url) => {
    expect(webhookProblem(url, { isPrivateAllowed: false })).toBeUndefined();
  });

  it('goes not to a name whose address turns private, nor to one with a private address among others', async () => {
    const before = connections;
    let asked = 0;
    const send = createGuardedSend({
      isPrivateAllowed: false,
      ports: [port],
      resolve: async () => {
        asked += 1;
        const hidden = { address: '127.0.0.1', family: 4 };
        return asked % 2 === 0 ? [hidden] : [{ address: '93.184.216.34', family: 4 }, hidden];
      },
    });
    const url = `https://rebind.example:${port}/`;
    for (let time = 0; time < 4; time += 1) {
      expect(await send({ url, headers: {}, body: '' })).toEqual({ failure: 'ADDRESS_REFUSED' });
    }
    expect(asked).toBe(4);
    expect(connections).toBe(before);
  });

  it.each([
    ['http://127.0.0.1/', true],
    ['http://[::1]/', true],
    ['http://10.1.2.3/', true],
    ['http://192.168.0.9/', true],
    ['http://[fd00::1]/', true],
    ['http://169.254.169.254/latest/meta-data/', false],
    ['http://[fe80::1]/', false],
    ['http://0.0.0.0/', false],
    ['http://93.184.216.34/', false],
    ['http://[2606:2800:220:1:248:1893:25c8:1946]/', false],
  ])('that stays in networks of one’s own may go to %s: %s', async (url, isAllowed) => {
    expect(isOwnAddress(new URL(url).hostname.replace(/^\[|\]$/g, ''))).toBe(isAllowed);
    if (isAllowed) return;
    const send = createGuardedSend({ isPrivateAllowed: true, isAddressAllowed: isOwnAddress });
    expect(await send({ url, headers: {}, body: '' })).toEqual({ failure: 'ADDRESS_REFUSED' });
  });

  it('that stays there goes to no name with an address elsewhere', async () => {
    const before = connections;
    const own = { address: '127.0.0.1', family: 4 };
    for (const more of [[], [{ address: '93.184.216.34', family: 4 }]]) {
      const send = createGuardedSend({
        isPrivateAllowed: true,
        isAddressAllowed: isOwnAddress,
        resolve: async () => [own, ...more],
      });
      const posted = await send({ url: `http://shop.example:${port}/`, headers: {}, body: '' });
      expect(posted).toEqual(more.length === 0 ? { status: 200 } : { failure: 'ADDRESS_REFUSED' });
    }
    expect(connections).toBe(before + 1);
  });

  it('follows no redirect, and reads no long answer', async () => {
    const send = createGuardedSend({ isPrivateAllowed: true });
    const base = `http://127.0.0.1:${port}`;
    const before = connections;
    expect(await send({ url: `${base}/redirect`, headers: {}, body: '{}' })).toEqual({
      status: 302,
    });
    expect(await send({ url: `${base}/long`, headers: {}, body: '{}' })).toEqual({ status: 200 });
    expect(connections).toBe(before + 2);
  });

  it('goes to no private address, however it is written', async () => {
    const before = connections;
    let asked = 0;
    const send = createGuardedSend({
      isPrivateAllowed: false,
      ports: [port],
      // Whatever a name is looked up as, it is this machine.
      resolve: async () => {
        asked += 1;
        return [
          asked % 2 === 0 ? { address: '127.0.0.1', family: 4 } : { address: '::1', family: 6 },
        ];
      },
    });
    await fc.assert(
      fc.asyncProperty(privateHost, fc.constantFrom(...SCHEMES), async (host, scheme) => {
        const url = `${scheme}://${host}:${port}/`;
        const posted = await send({ url, headers: {}, body: '' });
        expect(posted).toEqual({ failure: 'ADDRESS_REFUSED' });
      }),
      { numRuns: fuzzRuns(200) },
    );
    expect(connections).toBe(before);
  });

  it.each([
    ['127.0.0.1', 4],
    ['::1', 6],
    ['169.254.169.254', 4],
    ['::ffff:127.0.0.1', 6],
    ['fd00::1', 6],
  ])('goes not where the name service says %s', async (address, family) => {
    const resolve = async () => [{ address, family }];
    const send = createGuardedSend({ isPrivateAllowed: false, resolve });
    const posted = await send({ url: 'https://named.example/', headers: {}, body: '' });
    expect(posted).toEqual({ failure: 'ADDRESS_REFUSED' });
  });

  it('goes to no server whose certificate nobody vouches for', async () => {
    let requests = 0;
    const untrusted = createTlsServer(
      createPrivateCa().issue('127.0.0.1'),
      (_request, response) => {
        requests += 1;
        response.end();
      },
    );
    const at = await portOf(untrusted);
    const send = createGuardedSend({ isPrivateAllowed: true });
    const url = `https://127.0.0.1:${at}/`;
    const body = '{"secret":"for nobody"}';
    expect(await send({ url, headers: {}, body })).toEqual({
      failure: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    });
    expect(requests).toBe(0);
    await closed(untrusted);
  });

  it('waits no longer for a connection, nor for an answer, than it may', async () => {
    const held = new Set<Socket>();
    const silent = createTcpServer((socket) => {
      held.add(socket);
      socket.on('error', () => undefined);
    });
    const at = await portOf(silent);
    const send = createGuardedSend({
      isPrivateAllowed: true,
      connectTimeoutMs: 40,
      totalTimeoutMs: 120,
    });
    const post = (url: string) => send({ url, headers: {}, body: '{}' });
    // The connection stands, TLS never does; over plain http the answer never comes.
    expect(await post(`https://127.0.0.1:${at}/`)).toEqual({ failure: 'CONNECT_TIMEOUT' });
    expect(await post(`http://127.0.0.1:${at}/`)).toEqual({ failure: 'TIMEOUT' });
    for (const socket of held) socket.destroy();
    await closed(silent);
  });

  it('reads no more than 64 kB of an answer that never ends', async () => {
    let written = 0;
    const endless = createServer((request, response) => {
      request.resume();
      response.on('error', () => undefined);
      const more = (): void => {
        while (!response.destroyed && written < 50_000_000) {
          written += 16_384;
          if (!response.write('x'.repeat(16_384))) break;
        }
      };
      response.on('drain', more);
      more();
    });
    const at = await portOf(endless);
    const send = createGuardedSend({ isPrivateAllowed: true });
    expect(await send({ url: `http://127.0.0.1:${at}/`, headers: {}, body: '{}' })).toEqual({
      status: 200,
    });
    // What the sockets hold on the way is beyond it; what is read is not.
    expect(written).toBeLessThan(50_000_000);
    await closed(endless);
  });

  it('tells a closed port by its code alone', async () => {
    const send = createGuardedSend({ isPrivateAllowed: true });
    const posted = await send({ url: 'http://127.0.0.1:1/', headers: {}, body: '' });
    expect(posted).toEqual({ failure: 'ECONNREFUSED' });
  });
});
