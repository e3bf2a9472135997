/** A served service: the paths of monitors, names of requests, and how it stops. */
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { type Message, t } from '../../src/domain/message/message.ts';
import { systemClock } from '../../src/net/clock.ts';
import { type OpenService, type Serving, serveService } from '../../src/service/http/serving.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';

let serving: Serving<OpenService>;
let faults: Set<string>;
let reports: unknown[];
let rates: Message | null;
let ownLines: () => Promise<readonly string[]>;
let handle: (request: Request) => Promise<Response>;
let clock: ManualClock;
const DRAIN_MS = 3_000;
const check = (part: string) => async () => {
  if (faults.has(part)) throw new ScripError('CHAIN_UNREACHABLE', t`rpc.secret.example is away`);
};

beforeEach(async () => {
  faults = new Set();
  reports = [];
  rates = null;
  handle = async () => new Response('here');
  ownLines = async () => ['scrip_orders 7'];
  clock = manualClock();
  serving = await serveService<OpenService>({
    port: 0,
    host: '127.0.0.1',
    clock: { ...clock, now: systemClock.now },
    drainMs: DRAIN_MS,
    random: (length) => new Uint8Array(length).fill(7),
    report: (error) => reports.push(error),
    open: async () => ({
      handle: (request) => handle(request),
      follow: () => undefined,
      tick: async () => undefined,
      settle: async () => undefined,
      close: async () => undefined,
      checks: { database: check('database'), chain: check('chain') },
      degraded: () => ({ rates }),
      metrics: () => ownLines(),
    }),
  });
});
afterEach(() => closeNow());

/** Does not wait for a balancer. */
async function closeNow(): Promise<void> {
  const closed = serving.close();
  clock.advance(DRAIN_MS);
  await closed;
}

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${serving.url}${path}`, { headers });

describe('monitors', () => {
  it('are told that the process runs, and which part cannot be used', async () => {
    expect((await get('/livez')).status).toBe(200);
    const ready = await get('/readyz');
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { ready: true, checks: { database: 'ok', chain: 'ok' } },
    ]);
    faults.add('chain');
    const away = await get('/readyz');
    expect([away.status, await away.json()]).toEqual([
      503,
      { ready: false, checks: { database: 'ok', chain: 'CHAIN_UNREACHABLE' } },
    ]);
  });

  it('are told what is sold no longer, and that the rest is', async () => {
    rates = t`Goods in EUR are not sold`;
    const ready = await get('/readyz');
    expect([ready.status, await ready.json()]).toEqual([
      200,
      {
        ready: true,
        checks: { database: 'ok', chain: 'ok' },
        degraded: { rates: 'Goods in EUR are not sold' },
      },
    ]);
    expect(await (await get('/metrics')).text()).toContain('scrip_degraded{part="rates"} 1\n');
    rates = null;
    expect(await (await get('/metrics')).text()).toContain('scrip_degraded{part="rates"} 0\n');
  });

  it('read counts as Prometheus has them', async () => {
    faults.add('chain');
    await get('/v1/orders/cr_secret');
    for (const name of ['__proto__', 'constructor']) await get(`/${name}`);
    const text = await (await get('/metrics')).text();
    expect(text).toContain('scrip_http_requests_total{surface="other",status="200"} 2\n');
    expect(text).toContain('scrip_http_requests_total{surface="checkout",status="200"} 1\n');
    expect(text).toContain('scrip_http_request_seconds_bucket{surface="checkout",le="+Inf"} 1\n');
    expect(text).toContain('scrip_ready{part="chain"} 0\n');
    expect(text).toMatch(/^scrip_orders 7$/m);
    expect(text).not.toContain('secret');
  });

  it('are told the rest while the database is away', async () => {
    ownLines = async () => {
      throw new ScripError('STORE_UNUSABLE', t`The store is away`);
    };
    const text = await (await get('/metrics')).text();
    expect(text).toContain('scrip_ready{part="chain"} 1\n');
    expect(reports).toMatchObject([{ code: 'STORE_UNUSABLE' }]);
  });
});

describe('a request', () => {
  it('has a name, its own or a new one', async () => {
    const idOf = async (given: Record<string, string>) =>
      (await get('/v1/brands', given)).headers.get('x-request-id');
    expect(await idOf({})).toMatch(/^[0-9a-f]{16}-\d+$/);
    expect(await idOf({ 'x-request-id': 'of-the.proxy_1' })).toBe('of-the.proxy_1');
    expect(await idOf({ 'x-request-id': 'no good' })).toMatch(/^[0-9a-f]{16}-\d+$/);
  });

  it('that fails is reported by its name, without its path', async () => {
    handle = async () => new Response(null, { status: 500 });
    await (await get('/v1/orders/cr_secret', { 'x-request-id': 'mine' })).text();
    await closeNow();
    expect(reports.map(String)).toEqual([expect.stringContaining('Request mine (GET checkout)')]);
    serving = { ...serving, close: async () => undefined };
  });
});

it('a server that stops finishes what it has begun', async () => {
  let finish: (reply: Response) => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    handle = () => {
      resolve();
      return new Promise((answer) => {
        finish = answer;
      });
    };
  });
  const reply = get('/v1/orders');
  await begun;
  const closed = closeNow();
  finish(new Response('done'));
  expect(await (await reply).text()).toBe('done');
  await closed;
  serving = { ...serving, close: async () => undefined };
});

it('a server that stops says so first, and takes what comes until the balancer has noticed', async () => {
  const kept = await get('/v1/orders');
  expect(kept.headers.get('connection')).toBe('keep-alive');
  const closed = serving.close();
  const ready = await get('/readyz');
  expect([ready.status, await ready.json()]).toEqual([
    503,
    { ready: false, checks: { service: 'STOPPING' } },
  ]);
  const last = await get('/v1/orders');
  expect([last.status, last.headers.get('connection')]).toEqual([200, 'close']);
  clock.advance(DRAIN_MS);
  await closed;
  await expect(get('/v1/orders')).rejects.toThrow();
  serving = { ...serving, close: async () => undefined };
});

it('connections that wait to be taken when a server stops are answered', async () => {
  const { port } = new URL(serving.url);
  const request = 'GET /v1/orders HTTP/1.1\r\nHost: shop\r\n\r\n';
  const answers = Array.from({ length: 20 }, async () => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(request);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return text.split('\r\n')[0];
  });
  // The system has accepted them; this process has not yet looked.
  const closed = closeNow();
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 200 OK']));
  await closed;
  serving = { ...serving, close: async () => undefined };
});
