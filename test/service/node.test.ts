import { connect } from 'node:net';
import { platform } from 'node:os';
import { describe, expect, it } from 'vitest';
import {
  type ConnectionLimits,
  type Listening,
  type ListenOptions,
  listen,
} from '../../src/service/http/node.ts';
import { atEnd } from '../support/at-end.ts';
import { checkoutHost, ORDER } from '../support/checkout-host.ts';

type Handler = (request: Request) => Response | Promise<Response>;

async function start(
  handler: Handler,
  limits: Partial<ConnectionLimits> = {},
  trustedProxies?: readonly string[],
): Promise<Listening> {
  const server = await listen({ handler, port: 0, host: '127.0.0.1', limits, trustedProxies });
  atEnd(() => server.close());
  return server;
}

const hello: Handler = () => new Response('hello');
const fault = (): never => {
  throw new TypeError('a fault of ours');
};

/** Everything a connection answers to these bytes; nothing when it is cut. */
function raw(port: number, bytes: string, localAddress = '127.0.0.1'): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => socket.write(bytes));
    socket.on('data', (data) => {
      said += String(data);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(said));
  });
}

/** Sends a request a byte at a time, for as long as the server bears it; gives what it said. */
function dribble(port: number, head = 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    let drip: NodeJS.Timeout | undefined;
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(head);
      drip = setInterval(() => socket.write('x'), 10);
    });
    socket.on('data', (data) => {
      said += String(data);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(drip);
      resolve(said);
    });
  });
}

interface Held {
  isOpen(): boolean;
  end(): Promise<void>;
}

/** A connection that says nothing, once the server has taken it. */
async function hold(port: number, localAddress: string): Promise<Held> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return {
    isOpen: () => !socket.destroyed,
    end: () => {
      socket.destroy();
      return closed;
    },
  };
}

describe('a served handler', () => {
  it('answers on the address it names', async () => {
    const server = await start(hello);
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(await (await fetch(server.url)).text()).toBe('hello');
  });

  it('sells over HTTP what it sells in process', async () => {
    const { service } = await checkoutHost();
    const { url } = await start(service.fetch);
    const brands = await fetch(`${url}/v1/brands?country_code=us`);
    expect(brands.status).toBe(200);
    const order = await fetch(`${url}/v1/orders`, { method: 'POST', body: JSON.stringify(ORDER) });
    expect(order.status).toBe(402);
    expect(order.headers.get('PAYMENT-REQUIRED')).toMatch(/^[A-Za-z0-9]+$/);
  });

  it('refuses headers beyond 8 kB with 431', async () => {
    const { port } = await start(hello);
    const said = await raw(
      port,
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(9000)}\r\n\r\n`,
    );
    expect(said).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('refuses what is not HTTP with 400', async () => {
    const { port } = await start(hello);
    expect(await raw(port, 'hello?\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('refuses a body that is nested too deep, wherever one is read', async () => {
    const { service } = await checkoutHost();
    const { url } = await start(service.fetch);
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    for (const path of ['/v1/orders', '/verify', '/settle']) {
      const said = [];
      for (const levels of [32, 33, 5_000]) {
        const reply = await fetch(url + path, { method: 'POST', body: nested(levels) });
        said.push(`${reply.status} ${/nested/.test(await reply.text())}`);
      }
      expect(said).toEqual(['400 false', '400 true', '400 true']);
    }
  });

  it('closes five hundred connections that dribble, and answers all others meanwhile', async () => {
    const limits = { headersTimeoutMs: 400, requestTimeoutMs: 400, checkEveryMs: 50 };
    const { port, url } = await start(hello, limits);
    const closed = Array.from({ length: 500 }, () => dribble(port));
    // More requests than any wait between two checks lets through by chance.
    for (let count = 0; count < 50; count += 1) {
      expect(await (await fetch(url)).text()).toBe('hello');
    }
    const said = await Promise.all(closed);
    // Every one was ended by the server; the system may have thrown the farewell away.
    expect(said.filter((text) => !/^(HTTP\/1\.1 408 .*)?$/s.test(text))).toEqual([]);
    expect(said.some((text) => text.startsWith('HTTP/1.1 408 '))).toBe(true);
    expect(await (await fetch(url)).text()).toBe('hello');
  });

  it('closes a body that dribbles, and the handler sees it end', async () => {
    const limits = { headersTimeoutMs: 100, requestTimeoutMs: 200, checkEveryMs: 20 };
    const { service } = await checkoutHost();
    const { port } = await start(service.fetch, limits);
    const head = 'POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n';
    expect(await dribble(port, head)).toMatch(/^(HTTP\/1\.1 408 .*)?$/s);
  });

  // Only Linux answers on all of 127.0.0.0/8 without being told to.
  describe.skipIf(platform() !== 'linux')('that has no room for more connections', () => {
    const GET = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const isOpen = (held: readonly Held[]) => held.map((each) => each.isOpen());

    /** A handler whose replies to /work wait until they are released. */
    function workshop() {
      let arrived = 0;
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const handler: Handler = async ({ url }) => {
        if (!url.endsWith('/work')) return new Response('hello');
        arrived += 1;
        await released;
        return new Response('worked');
      };
      /** Once the request is worked on. */
      async function work(port: number, localAddress: string) {
        const before = arrived;
        const reply = raw(port, GET.replace('/', '/work'), localAddress);
        await expect.poll(() => arrived).toBe(before + 1);
        return { reply };
      }
      return { handler, work, release };
    }

    it('closes the longest idle one of an address that has its share', async () => {
      const server = await start(hello, { perAddress: 3 });
      const held: Held[] = [];
      for (let count = 0; count < 3; count += 1) held.push(await hold(server.port, '127.0.0.1'));
      expect(isOpen(held)).toEqual([true, true, true]);
      expect(await raw(server.port, GET)).toMatch(/^HTTP\/1\.1 200 /);
      await expect.poll(() => isOpen(held)).toEqual([false, true, true]);
      expect(await raw(server.port, GET, '127.0.0.2')).toMatch(/^HTTP\/1\.1 200 /);
      expect(isOpen(held)).toEqual([false, true, true]);
      for (const each of held) await each.end();
    });

    it('refuses an address whose share is at work, and nobody else', async () => {
      const { handler, work, release } = workshop();
      const server = await start(handler, { perAddress: 2 });
      const [one, other] = [
        await work(server.port, '127.0.0.1'),
        await work(server.port, '127.0.0.1'),
      ];
      expect(await raw(server.port, GET)).toBe('');
      expect(await raw(server.port, GET, '127.0.0.2')).toMatch(/^HTTP\/1\.1 200 /);
      release();
      expect(await one.reply).toMatch(/worked$/);
      expect(await other.reply).toMatch(/worked$/);
      expect(await raw(server.port, GET)).toMatch(/^HTTP\/1\.1 200 /);
    });

    it('spares proxies that are named, whose connections are of many callers', async () => {
      const { handler, work, release } = workshop();
      const server = await start(handler, { perAddress: 2 }, ['127.0.9.0/24']);
      const replies: Promise<string>[] = [];
      for (let count = 0; count < 4; count += 1) {
        replies.push((await work(server.port, '127.0.9.1')).reply);
      }
      const held: Held[] = [];
      for (let count = 0; count < 4; count += 1) held.push(await hold(server.port, '127.0.9.2'));
      expect(await raw(server.port, GET, '127.0.9.1')).toMatch(/^HTTP\/1\.1 200 /);
      expect(isOpen(held)).toEqual([true, true, true, true]);
      // An address that is not named has its share, and no more.
      const others = [await work(server.port, '127.0.8.1'), await work(server.port, '127.0.8.1')];
      expect(await raw(server.port, GET, '127.0.8.1')).toBe('');
      release();
      for (const reply of [...replies, ...others.map((each) => each.reply)]) {
        expect(await reply).toMatch(/worked$/);
      }
      for (const each of held) await each.end();
    });

    it('makes room for others where one address waits', async () => {
      const { handler, work, release } = workshop();
      const server = await start(handler, { connections: 4, perAddress: 4 });
      const { reply } = await work(server.port, '127.0.0.1');
      const held: Held[] = [];
      for (let count = 0; count < 3; count += 1) held.push(await hold(server.port, '127.0.0.1'));
      for (const honest of ['127.0.0.2', '127.0.0.3']) {
        expect(await raw(server.port, GET, honest)).toMatch(/^HTTP\/1\.1 200 /);
      }
      await expect.poll(() => isOpen(held)).toEqual([false, true, true]);
      release();
      expect(await reply).toMatch(/worked$/);
      for (const each of held) await each.end();
    });

    it('makes room for others where one address is at work on all connections', async () => {
      const { handler, work, release } = workshop();
      const server = await start(handler, { connections: 2, perAddress: 2 });
      const [first, second] = [
        await work(server.port, '127.0.0.1'),
        await work(server.port, '127.0.0.1'),
      ];
      const { reply } = await work(server.port, '127.0.0.2');
      expect(await first.reply).toBe('');
      // Now each has one, and nobody is cut for a third.
      expect(await raw(server.port, GET, '127.0.0.3')).toBe('');
      release();
      expect(await second.reply).toMatch(/worked$/);
      expect(await reply).toMatch(/worked$/);
    });
  });

  it.each<[string, Partial<ListenOptions>, string?]>([
    ['a handler', { handler: () => fault() }],
    ['a handler, later', { handler: async () => fault() }],
    ['a stream', { follow: () => fault() }],
    ['a stream, later', { follow: async () => fault() }],
    ['a wrapper', { around: () => fault }],
    ['an upgrade', { upgrade: () => fault() }, 'Connection: Upgrade\r\nUpgrade: websocket'],
  ])('answers 500 to what %s throws, reports it, and goes on', async (_what, parts, offer) => {
    const faults: unknown[] = [];
    const report = (error: unknown) => faults.push(error);
    const server = await listen({ handler: hello, port: 0, host: '127.0.0.1', report, ...parts });
    atEnd(() => server.close());
    const ask = `GET / HTTP/1.1\r\nHost: x\r\n${offer ?? 'Connection: close'}\r\n\r\n`;
    for (const time of [1, 2]) {
      expect(await raw(server.port, ask)).toMatch(/^HTTP\/1\.1 500 /);
      expect(faults).toHaveLength(time);
    }
  });

  it('answers 400 to a request of which no URL can be made', async () => {
    const { port } = await start(hello);
    const ask = 'GET http://a b/ HTTP/1.1\r\nHost: [::1\r\nConnection: close\r\n\r\n';
    expect(await raw(port, ask)).toMatch(/^HTTP\/1\.1 400 /);
    const bad = 'GET / HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n\r\n';
    expect(await raw(port, bad)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('cannot take a port that is taken, and says which', async () => {
    const { port } = await start(hello);
    await expect(listen({ handler: hello, port, host: '127.0.0.1' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining(String(port)),
    });
  });

  it('lets a running request finish when it is closed', async () => {
    let arrived = (): void => undefined;
    let finish = (): void => undefined;
    const hasArrived = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const mayFinish = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const server = await listen({
      host: '127.0.0.1',
      port: 0,
      handler: async () => {
        arrived();
        await mayFinish;
        return new Response('done');
      },
    });
    const reply = fetch(server.url).then((response) => response.text());
    await hasArrived;
    const closed = server.close();
    finish();
    expect(await reply).toBe('done');
    await closed;
    await expect(fetch(server.url)).rejects.toThrow();
  });
});
