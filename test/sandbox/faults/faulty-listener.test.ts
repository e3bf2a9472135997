/** What a client sees of each fault, and whether the service behind it did its work. */
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/net/clock.ts';
import { createFaultPlan } from '../../../src/sandbox/faults/fault-plan.ts';
import { parseFault } from '../../../src/sandbox/faults/fault-spec.ts';
import { faultyListener } from '../../../src/sandbox/faults/faulty-parts.ts';
import { hostThat } from '../../support/at-end.ts';
import { manualClock } from '../../support/manual-clock.ts';

const BODY = 'a body of some length, to be cut in the middle';
const HALF = BODY.slice(0, BODY.length / 2);

interface Seen {
  /** All that came over the connection until it was closed. */
  readonly raw: string;
  /** How often the service was asked. */
  readonly handled: number;
}

async function serve(specs: readonly string[], clock = systemClock): Promise<() => Promise<Seen>> {
  let handled = 0;
  const plan = createFaultPlan(specs.map(parseFault), 1);
  const listener = faultyListener(
    (request, response) => {
      handled += 1;
      if (request.url === '/v5/orders/1/subscribe') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: 1\n\n');
        return;
      }
      response.writeHead(200, { 'content-length': BODY.length, connection: 'close' });
      response.write(BODY.slice(0, 10));
      response.end(BODY.slice(10));
    },
    plan,
    clock,
  );
  const port = Number(new URL(await hostThat(listener)).port);
  return async (path = '/v1/brands') => ({ raw: await exchange(port, path), handled });
}

function exchange(port: number, path: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let raw = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      raw += text;
    });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(raw));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`);
  });
}

describe('a request that is struck by', () => {
  it.each([
    ['nothing', 1, new RegExp(`\r\n\r\n${BODY}$`)],
    ['drop-request,x1', 0, /^$/],
    ['drop-reply,x1', 1, /^$/],
    ['cut-reply', 1, new RegExp(`content-length: ${BODY.length}.*\r\n\r\n${HALF}$`, 's')],
    ['status=503:2', 0, /^HTTP\/1\.1 503 .*Retry-After: 2\r\n.*"injected_fault"/s],
    ['late-status=502', 1, /^HTTP\/1\.1 502 .*"injected_fault"(?!.*to be cut)/s],
  ])('%s is handled %i times, and answered so', async (spec, handled, answer) => {
    const ask = await serve(spec === 'nothing' ? [] : [spec]);
    expect(await ask()).toEqual({ raw: expect.stringMatching(answer), handled });
    if (spec.endsWith('x1')) expect((await ask()).raw).toContain(BODY);
  });

  it('latency waits for its time and no longer', async () => {
    const clock = manualClock();
    const ask = await serve(['latency=2s'], clock);
    const asking = ask();
    while (clock.sleepers() === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1_999);
    expect(clock.sleepers()).toBe(1);
    clock.advance(1);
    expect((await asking).raw).toContain(BODY);
  });

  it('stream-cut gets the beginning of its stream', async () => {
    const clock = manualClock();
    const ask = await serve(['stream-cut=3s'], clock);
    const asking = (ask as (path: string) => Promise<Seen>)('/v5/orders/1/subscribe');
    while (clock.sleepers() === 0) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(3_000);
    await asking;
    expect(clock.sleepers()).toBe(0);
  });
});
