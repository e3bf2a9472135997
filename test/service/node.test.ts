import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../src/service/node.ts';
import { checkoutHost, ORDER } from '../support/checkout-host.ts';

const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

type Handler = (request: Request) => Response | Promise<Response>;

async function start(handler: Handler): Promise<Listening> {
  const server = await listen({ handler, port: 0, host: '127.0.0.1' });
  open.push(server);
  return server;
}

const hello: Handler = () => new Response('hello');

/** A request whose body is sent in chunks, without a stated length. */
function postChunks(url: string, chunk: string, count: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST' }, resolve);
    outgoing.on('error', reject);
    for (let sent = 0; sent < count; sent += 1) outgoing.write(chunk);
    outgoing.end();
  });
}

/** Everything a connection answers to these bytes. */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (data) => {
      said += String(data);
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(said));
  });
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

  it('reads no body beyond the limit, whether its length is stated or not', async () => {
    const { service } = await checkoutHost();
    const { url } = await start(service.fetch);
    const stated = await fetch(`${url}/v1/orders`, { method: 'POST', body: ' '.repeat(70_000) });
    expect(stated.status).toBe(413);
    const chunked = await postChunks(`${url}/v1/orders`, ' '.repeat(10_000), 8);
    expect(chunked.statusCode).toBe(413);
    chunked.resume();
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
