import { EventSource } from 'eventsource';
import { createParser } from 'eventsource-parser';
import { afterEach, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../../src/service/http/node.ts';
import { createOrderHub } from '../../../src/service/partner/events/order-hub.ts';
import {
  APPLICATION,
  BASE,
  type PartnerSandbox,
  partnerSandbox,
} from '../../support/partner-sandbox.ts';

const open: PartnerSandbox[] = [];
const servers: Listening[] = [];
afterEach(async () => {
  for (const sandbox of open) await sandbox.current().settle();
  await Promise.all(servers.splice(0).map((server) => server.close()));
  for (const sandbox of open.splice(0)) await sandbox.close();
});

async function start(): Promise<PartnerSandbox> {
  const sandbox = await partnerSandbox();
  open.push(sandbox);
  return sandbox;
}

async function serveHere(sandbox: PartnerSandbox): Promise<Listening> {
  const server = await listen({
    handler: (request, caller) => sandbox.current().handle(request, caller),
    follow: (...asked) => sandbox.current().follow(...asked),
    port: 0,
    host: '127.0.0.1',
  });
  servers.push(server);
  return server;
}

interface Said {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

/** Reads a stream to its end, or until so many events were said. */
async function readEvents(response: Response, most = Number.POSITIVE_INFINITY): Promise<Said[]> {
  const said: Said[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => said.push({ id, event, data }),
  });
  const decoder = new TextDecoder();
  if (!response.body) throw new Error('no body');
  for await (const chunk of response.body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (said.length >= most) break;
  }
  return said;
}

const states = (said: readonly Said[]) =>
  said.map(({ event, data }) => event ?? JSON.parse(data).order_state);

const path = (orderId: string) => `/v5/orders/${orderId}/subscribe`;

describe('the stream of an order', () => {
  it('says the order at once, each change with its id, and ends with stop', async () => {
    const sandbox = await start();
    const order = await sandbox.create();
    const response = await sandbox.get(path(order.order_id));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const reading = readEvents(response);
    await sandbox.transfer(order.wallet_address ?? '', 30_000_000n);
    await sandbox.pass(5_000);
    await sandbox.pass(5_000);
    for (let step = 0; step < 5; step += 1) await sandbox.pass(60_000);
    const said = await reading;
    expect(states(said).at(0)).toBe('WaitingForPayment');
    expect(states(said).slice(-2)).toEqual(['Done', 'stop']);
    const ids = said.map(({ id }) => Number(id));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  it('is taken up again after a restart, and nothing is lost', async () => {
    const sandbox = await start();
    const order = await sandbox.create();
    const [first] = await readEvents(await sandbox.get(path(order.order_id)), 1);
    await sandbox.transfer(order.wallet_address ?? '', 30_000_000n);
    await sandbox.restart();
    for (let step = 0; step < 5; step += 1) await sandbox.pass(60_000);
    const resumed = await sandbox.get(path(order.order_id), { 'Last-Event-ID': first?.id ?? '' });
    const said = await readEvents(resumed);
    const ids = said.filter(({ event }) => event === undefined).map(({ id }) => Number(id));
    const from = Number(first?.id) + 1;
    expect(ids).toEqual(Array.from(ids, (_, index) => from + index));
    expect(states(said).slice(-2)).toEqual(['Done', 'stop']);
  });

  it('answers an id that it never gave with the order as it is', async () => {
    const sandbox = await start();
    const order = await sandbox.create();
    const response = await sandbox.get(path(order.order_id), { 'Last-Event-ID': '999' });
    const said = await readEvents(response, 1);
    expect(states(said)).toEqual(['WaitingForPayment']);
  });

  it('tells of what another process did, by one look for all', async () => {
    const sandbox = await start();
    const order = await sandbox.create();
    const reading = readEvents(await sandbox.get(path(order.order_id)));
    const other = await sandbox.beside();
    await sandbox.transfer(order.wallet_address ?? '', 30_000_000n);
    for (let step = 0; step < 5; step += 1) {
      sandbox.clock.advance(60_000);
      await other.tick();
    }
    await other.close();
    await sandbox.current().tick();
    expect(states(await reading).slice(-2)).toEqual(['Done', 'stop']);
  });

  it('has the last event too if the order ends between two reads of it', async () => {
    const sandbox = await start();
    const { order_id: orderId } = await sandbox.create();
    const { tables } = sandbox.current().store;
    const seq = await tables.orderEvents.latestSeq(orderId);
    let isCanceled = false;
    const since: typeof tables.orderEvents.since = async (...asked) => {
      const found = await tables.orderEvents.since(...asked);
      if (!isCanceled) await sandbox.post(`/sandbox/orders/${orderId}/cancel`, {});
      isCanceled = true;
      return found;
    };
    const hub = createOrderHub({
      store: { tables: { ...tables, orderEvents: { ...tables.orderEvents, since } } },
      clock: sandbox.clock,
      view: async ({ orderState }) => ({ order_state: orderState }),
    });
    let told = '';
    const sink = {
      write: (text: string) => {
        told += text;
        return true;
      },
      end: () => undefined,
      cut: () => undefined,
    };
    const marks = {
      needsSnapshot: false,
      isBehind: false,
      mayRead: async () => true,
      lastWriteMs: 0,
    };
    await hub.join({ orderId, sink, seq, ...marks });
    const said = await readEvents(new Response(told));
    expect(states(said)).toEqual(['Canceled', 'stop']);
    expect(said[0]?.id).toBe(String(seq + 1));
  });

  it('is refused beyond three for one order, and to other partners', async () => {
    const sandbox = await start();
    const order = await sandbox.create();
    const streams = [];
    for (let count = 0; count < 3; count += 1)
      streams.push(await sandbox.get(path(order.order_id)));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    const fourth = await sandbox.get(path(order.order_id));
    expect(fourth.status).toBe(429);
    expect(fourth.headers.get('retry-after')).toBe('30');
    await streams[0]?.body?.cancel();
    expect((await sandbox.get(path(order.order_id))).status).toBe(200);
    const foreign = await sandbox.get(path(order.order_id), { 'X-Cr-Application': 'shop-2' });
    expect(foreign.status).toBe(404);
  });

  it('is kept alive every 15 seconds', async () => {
    const sandbox = await start();
    const order = await sandbox.create();
    const response = await sandbox.get(path(order.order_id));
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.read();
    await sandbox.pass(15_000);
    const { value } = (await reader?.read()) ?? {};
    expect(new TextDecoder().decode(value)).toMatch(/^:/);
  });

  it('is cut off when its reader takes nothing for ten seconds, and makes room', async () => {
    const sandbox = await start();
    const order = await sandbox.create();
    const headers = new Headers({ 'X-Cr-Application': APPLICATION });
    const follow = async (isTaken: boolean) => {
      const opened = await sandbox.current().follow(
        path(order.order_id),
        () => headers,
        () => '',
      );
      if (opened === undefined || opened instanceof Response) throw new Error('no stream');
      const said: string[] = [];
      opened.attach({
        write: (text) => {
          said.push(text);
          return isTaken;
        },
        end: () => said.push('end'),
        cut: () => said.push('cut'),
      });
      return said;
    };
    const stalled = await follow(false);
    const reading = await follow(true);
    await sandbox.pass(9_999);
    expect(stalled).not.toContain('cut');
    const before = stalled.length;
    await sandbox.pass(1);
    expect(stalled.slice(before)).toEqual(['cut']);
    expect(reading).not.toContain('cut');
    await sandbox.pass(60_000);
    expect(stalled.slice(before)).toEqual(['cut']);
    // Two more are taken: the third place is free again.
    await follow(true);
    await follow(true);
    const full = await sandbox.current().follow(
      path(order.order_id),
      () => headers,
      () => '',
    );
    expect(full).toBeInstanceOf(Response);
  });

  it('is understood by EventSource, over a socket', async () => {
    const sandbox = await start();
    const order = await sandbox.create();
    const server = await serveHere(sandbox);
    const source = new EventSource(server.url + path(order.order_id), {
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...init?.headers, 'X-Cr-Application': APPLICATION } }),
    });
    const said: string[] = [];
    const ended = new Promise<void>((resolve) => {
      source.addEventListener('stop', () => resolve());
    });
    const heard = new Promise<void>((resolve) => {
      source.onmessage = ({ data }) => {
        said.push(JSON.parse(data).order_state);
        resolve();
      };
    });
    await heard;
    await sandbox.transfer(order.wallet_address ?? '', 30_000_000n);
    for (let step = 0; step < 5; step += 1) await sandbox.pass(60_000);
    await ended;
    source.close();
    expect(said.at(0)).toBe('WaitingForPayment');
    expect(said.at(-1)).toBe('Done');
  });

  it('wants to know who asks', async () => {
    const sandbox = await start();
    const response = await sandbox.current().handle(new Request(`${BASE}${path('x')}`));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ detail: 'APPLICATION_REQUIRED' });
  });

  it.each(['%E2%82%AC', '%0A', '%00', '%ff', 'a%20b'])(
    'refuses %s in its query, where no partner id can be',
    async (named) => {
      const sandbox = await start();
      const { url } = await serveHere(sandbox);
      const asked = `${path('x')}?application=${named}`;
      for (const response of [
        await fetch(url + asked),
        await sandbox.current().handle(new Request(BASE + asked)),
      ]) {
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({
          detail: expect.stringMatching(/^(INVALID_REQUEST|APPLICATION_REQUIRED)$/),
        });
      }
    },
  );
});
