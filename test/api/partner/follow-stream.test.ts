import { describe, expect, it } from 'vitest';
import { type Connection, readStream, type StreamEnd } from '../../../src/api/http/event-stream.ts';
import {
  type FollowPartnerRequest,
  followPartnerOrder,
} from '../../../src/api/partner/follow-stream.ts';
import type { OrderState, PaymentState } from '../../../src/contract/codes.ts';
import type { Fetch } from '../../../src/contract/fetch.ts';
import type { WirePartnerOrder } from '../../../src/contract/partner-orders.ts';
import { manualClock, skippingClock } from '../../support/manual-clock.ts';

const ORDER_ID = '0b1f9f0e-58f5-4d42-a7d0-3a86a3a0a111';

function order(
  order_state: OrderState = 'WaitingForPayment',
  payment_state: PaymentState = 'PaymentRequested',
): WirePartnerOrder {
  return {
    order_id: ORDER_ID,
    created_at: 1_700_000_000,
    order_state,
    payment_state,
    is_payment_processor_external: false,
  };
}

const DONE = order('Done', 'PaymentReceived');
const BROKEN: StreamEnd = { kind: 'broken', reason: 'cut' };

/** One connection of a test: what it says, then how it ends. */
interface Script {
  readonly says?: readonly { readonly data: string; readonly id?: string }[];
  readonly end: StreamEnd;
}

const says = (value: unknown, id = '') => ({ data: JSON.stringify(value), id });

const CUT: Script = { end: BROKEN };
const saying = (...order: Parameters<typeof says>): Script => ({ ...CUT, says: [says(...order)] });
const PARTNER = { applicationId: 'shop', version: '1.2.3', countryCode: 'us' };

function follow(
  scripts: readonly Script[],
  parts: { readonly reads?: readonly WirePartnerOrder[] } & Partial<FollowPartnerRequest> = {},
) {
  const reads = [...(parts.reads ?? [order()])];
  const left = [...scripts];
  const delays: number[] = [];
  const ids: string[] = [];
  const seen: string[] = [];
  const fetch: Fetch = async () => {
    const next = reads.length > 1 ? reads.shift() : reads[0];
    return new Response(JSON.stringify(next));
  };
  const request: FollowPartnerRequest = {
    host: {
      fetch,
      apiUrl: 'https://api.example',
      ...PARTNER,
      clock: skippingClock(),
    },
    orderId: ORDER_ID,
    mode: 'auto',
    timeoutMs: 600_000,
    seen: ({ order_state }) => seen.push(order_state),
    reconnecting: (_reason, waitMs) => delays.push(waitMs),
    connect: async (connection: Connection) => {
      ids.push(connection.lastEventId);
      const script = left.shift();
      if (script === undefined) throw new Error('one connection too many');
      for (const { data, id = '' } of script.says ?? []) connection.message({ data, id });
      return script.end;
    },
    ...parts,
  };
  return { delays, ids, seen, left, ended: followPartnerOrder(request) };
}

describe('the delays', () => {
  it('of a stream cut six times are 1, 2, 4, 8, 16 and 30 seconds', async () => {
    const cuts = Array.from({ length: 6 }, () => CUT);
    const reads = [...Array.from({ length: 7 }, () => order()), DONE];
    const run = follow([...cuts, saying(DONE)], { reads });
    await expect(run.ended).resolves.toMatchObject({ isDecided: true });
    expect(run.delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
  });

  it('start again after a valid message', async () => {
    const run = follow([
      CUT,
      CUT,
      saying(order('PaymentStarted', 'PaymentStarted')),
      CUT,
      saying(DONE),
    ]);
    await run.ended;
    expect(run.delays).toEqual([1_000, 2_000, 1_000, 2_000]);
  });

  it.each([
    ['no JSON', { data: 'hello' }],
    ['another shape', says({ order_id: ORDER_ID })],
    ['another order', says({ ...order(), order_id: ORDER_ID.replace('0', '1') })],
  ])('go on after a message of %s', async (_what, message) => {
    const run = follow([
      { says: [message], end: BROKEN },
      { says: [message], end: BROKEN },
      saying(DONE),
    ]);
    await run.ended;
    expect(run.delays).toEqual([1_000, 2_000]);
  });
});

describe('a stream', () => {
  it('that says stop is not opened again', async () => {
    const run = follow([{ says: [], end: { kind: 'stopped' } }], { reads: [order(), DONE] });
    await expect(run.ended).resolves.toMatchObject({ order: { order_state: 'Done' } });
    expect(run.delays).toEqual([]);
  });

  it('is resumed from the last id that fits into a header', async () => {
    const run = follow([
      saying(order(), '7'),
      saying(order(), 'é'),
      saying(order(), 'x'.repeat(257)),
      saying(DONE),
    ]);
    await run.ended;
    expect(run.ids).toEqual(['', '7', '7', '7']);
  });

  it.each<readonly [string, StreamEnd]>([
    ['is refused', { kind: 'refused', status: 404 }],
    ['is not there', { kind: 'absent' }],
  ])('that %s gives way to polling', async (_what, end) => {
    const run = follow([{ end }], { reads: [order(), order(), DONE] });
    await expect(run.ended).resolves.toMatchObject({ isDecided: true });
  });

  it('that is refused is an error where a stream was asked for', async () => {
    const run = follow([{ end: { kind: 'refused', status: 410 } }], { mode: 'sse' });
    await expect(run.ended).rejects.toMatchObject({ code: 'STREAM_ENDED' });
  });

  it('that never says anything is given up for polling', async () => {
    const cuts = Array.from({ length: 8 }, () => CUT);
    const run = follow(cuts, { timeoutMs: 300_000 });
    await expect(run.ended).resolves.toMatchObject({ isDecided: false });
    expect(run.left).toEqual([]);
  });
});

it('a timeout of 0 asks once', async () => {
  const run = follow([], { timeoutMs: 0 });
  await expect(run.ended).resolves.toMatchObject({ isDecided: false });
  expect(run.seen).toEqual(['WaitingForPayment']);
});

it('polling asks every thirty seconds', async () => {
  const clock = skippingClock();
  const startMs = clock.now();
  const host = {
    fetch: async () =>
      new Response(JSON.stringify(clock.now() - startMs >= 90_000 ? DONE : order())),
    apiUrl: 'https://api.example',
    ...PARTNER,
    clock,
  };
  const request = { host, orderId: ORDER_ID, mode: 'poll', timeoutMs: 600_000 } as const;
  const ended = await followPartnerOrder(request);
  expect(ended.isDecided).toBe(true);
  expect(clock.now() - startMs).toBe(90_000);
});

describe('one connection', () => {
  const connect = (fetch: Fetch, clock = manualClock()) => {
    const messages: { readonly data: string; readonly id: string }[] = [];
    const ended = readStream({
      fetch,
      url: 'https://api.example/stream',
      headers: { 'x-cr-application': 'shop' },
      lastEventId: '41',
      clock,
      message: (message) => messages.push(message),
    });
    return { messages, ended };
  };
  const stream = (text: string, status = 200) =>
    new Response(status === 204 ? null : text, {
      status,
      headers: { 'content-type': 'text/event-stream' },
    });

  it('gives its messages with their ids and ends at stop', async () => {
    const asked: unknown[] = [];
    const run = connect(async (_url, init) => {
      asked.push(init?.headers, init?.redirect);
      return stream('retry: 0\n\n: hello\n\nid: 42\ndata: {"a":1}\n\nevent: stop\ndata: done\n\n');
    });
    await expect(run.ended).resolves.toEqual({ kind: 'stopped' });
    expect(run.messages).toEqual([{ data: '{"a":1}', id: '42' }]);
    expect(asked).toEqual([
      expect.objectContaining({ 'last-event-id': '41', 'x-cr-application': 'shop' }),
      'error',
    ]);
  });

  it.each<readonly [string, number, object]>([
    ...[401, 403, 404, 410].map((status) => ['', status, { kind: 'refused', status }] as const),
    ...[500, 502, 503].map((status) => ['', status, { kind: 'broken' }] as const),
    ['', 204, { kind: 'absent' }],
    ['without stop: data: x\n\n', 200, { kind: 'broken' }],
    ['x'.repeat(1024 * 1024 + 1), 200, { kind: 'broken' }],
  ])('has an end of a kind that is known (%#)', async (text, status, end) => {
    const run = connect(async () => stream(text, status));
    await expect(run.ended).resolves.toMatchObject(end);
  });

  it('is broken after forty seconds without a byte, whenever they begin', async () => {
    const clock = manualClock();
    const silent = new Response(new ReadableStream(), {
      headers: { 'content-type': 'text/event-stream' },
    });
    const run = connect(async () => silent, clock);
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const state = { isOver: false };
    const ended = run.ended.finally(() => {
      state.isOver = true;
    });
    const startMs = clock.now();
    while (!state.isOver) {
      for (let turns = 0; turns < 5; turns += 1) await turn();
      if (clock.sleepers() > 0) clock.advance(5_000);
    }
    await expect(ended).resolves.toMatchObject({
      kind: 'broken',
      reason: expect.stringMatching(/silent for 40000 ms/),
      isSilent: true,
    });
    // The head of the reply is heard, perhaps after the first part.
    expect(clock.now() - startMs).toBeLessThanOrEqual(45_000);
  });

  it.each([
    'Text/Event-Stream;charset=UTF-8',
    'TEXT/EVENT-STREAM',
    'text/event-stream; charset=utf-8',
  ])('is a stream of the type %s', async (type) => {
    const stop = 'event: stop\ndata: done\n\n';
    const run = connect(async () => new Response(stop, { headers: { 'content-type': type } }));
    await expect(run.ended).resolves.toEqual({ kind: 'stopped' });
  });
});

describe('a stream that stays silent', () => {
  const SILENT: StreamEnd = { kind: 'broken', reason: 'silent', isSilent: true };

  it('from its first byte is read once more and then polled', async () => {
    const run = follow([{ end: SILENT }], { reads: [order(), order(), DONE] });
    await expect(run.ended).resolves.toMatchObject({ isDecided: true });
    expect([run.delays, run.left]).toEqual([[], []]);
  });

  it('hides no end where only streams are to be used: the order is read each time', async () => {
    const run = follow([{ end: SILENT }, { end: SILENT }], {
      mode: 'sse',
      reads: [order(), order(), DONE],
    });
    await expect(run.ended).resolves.toMatchObject({ isDecided: true });
    expect(run.delays).toEqual([1_000, 2_000]);
  });

  it('after a message is opened again', async () => {
    const reads = [order(), order('PaymentStarted', 'PaymentStarted'), DONE];
    const run = follow(
      [{ says: [says(order('PaymentStarted', 'PaymentStarted'))], end: SILENT }, saying(DONE)],
      { reads },
    );
    await expect(run.ended).resolves.toMatchObject({ isDecided: true });
    expect(run.delays).toEqual([1_000]);
  });
});
