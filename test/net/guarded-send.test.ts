import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webhookProblem } from '../../src/domain/webhook-address.ts';
import { createGuardedSend } from '../../src/net/guarded-send.ts';

let server: Server;
let port = 0;
let connections = 0;
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/redirect') response.writeHead(302, { location: '/' });
    else if (request.url === '/long') response.write('x'.repeat(1_000_000));
    response.end();
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

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

describe('a guarded post', () => {
  it.each(PRIVATE)('goes not to %s', async (url) => {
    const before = connections;
    expect(webhookProblem(url, { isPrivateAllowed: false })).toBeTypeOf('string');
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

  it('tells a closed port by its code alone', async () => {
    const send = createGuardedSend({ isPrivateAllowed: true });
    const posted = await send({ url: 'http://127.0.0.1:1/', headers: {}, body: '' });
    expect(posted).toEqual({ failure: 'ECONNREFUSED' });
  });
});
