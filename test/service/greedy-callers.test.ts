/** Callers at addresses of their own, over HTTP, on a host that limits them. */
import { networkInterfaces, platform } from 'node:os';
import { describe, expect, it } from 'vitest';
import { encodeHeader, SESSION_HEADER } from '../../src/contract/x402.ts';
import { listen } from '../../src/service/http/node.ts';
import type { TrafficOptions } from '../../src/service/http/rate-limits.ts';
import { atEnd } from '../support/at-end.ts';
import { checkoutHost, fail, type Host, ORDER, paymentFor } from '../support/checkout-host.ts';
import { type Answered, sendFrom } from '../support/from-address.ts';

const HAS_IPV6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.family === 'IPv6');

interface World extends Pick<Host, 'clock' | 'script'> {
  readonly url: string;
  ask(address: string): Promise<Answered>;
  /** Asks for sessions until it is refused, and pays for none; how many it got. */
  grab(address: string): Promise<number>;
  /** Both phases; the status that it ends with. */
  buy(address: string): Promise<number>;
}

async function serve(traffic: TrafficOptions = {}, host = '127.0.0.1'): Promise<World> {
  const { service, clock, script } = await checkoutHost({ traffic });
  const server = await listen({ handler: service.fetch, port: 0, host });
  atEnd(() => server.close());
  const url = `http://127.0.0.1:${server.port}`;
  const post = (address: string, headers = {}) =>
    sendFrom(address, `${url}/v1/orders`, { method: 'POST', body: JSON.stringify(ORDER), headers });
  return {
    url,
    clock,
    script,
    ask: post,
    async grab(address) {
      for (let got = 0; ; got += 1) if ((await post(address)).status !== 402) return got;
    },
    async buy(address) {
      const asked = await post(address);
      if (asked.status !== 402) return asked.status;
      const [requirement] = JSON.parse(asked.body).accepts;
      const sessionId = String(asked.headers['x-session-id']);
      const payment = paymentFor({ body: ORDER, sessionId, requirement });
      const paid = { 'PAYMENT-SIGNATURE': encodeHeader(payment), [SESSION_HEADER]: sessionId };
      return (await post(address, paid)).status;
    },
  };
}

// Only Linux answers on all of 127.0.0.0/8 without being told to. The clock stands still but where it is moved.
describe.skipIf(platform() !== 'linux')('a host with greedy callers', () => {
  it('gives each address ten sessions a minute that it does not pay for', async () => {
    const { grab, ask, clock } = await serve();
    expect(await grab('127.0.1.1')).toBe(10);
    const refused = await ask('127.0.1.1');
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '6']);
    expect(await grab('127.0.1.2')).toBe(10);
    clock.advance(60_000);
    expect(await grab('127.0.1.1')).toBe(10);
  });

  it('sells to newcomers while sixty take all they get, and leaves each of these less', async () => {
    const { grab, buy } = await serve();
    const sixty = Array.from({ length: 60 }, (_, last) => `127.0.60.${last + 1}`);
    const got = [];
    for (const address of sixty) got.push(await grab(address));
    expect(got.every((count) => count >= 1)).toBe(true);
    expect(got.slice(30).every((count) => count < 10)).toBe(true);
    expect(await buy('127.0.61.1')).toBe(200);
    expect(await buy('127.0.61.2')).toBe(200);
    expect(await grab('127.0.61.3')).toBe(4);
    // Whoever paid has what a caller has on a quiet day.
    expect(await grab('127.0.61.1')).toBe(10);
  });

  it('takes any number of orders that are paid, and counts those that are not', async () => {
    const { buy, grab, script } = await serve();
    for (let count = 0; count < 25; count += 1) expect(await buy('127.0.2.1')).toBe(200);
    script.settle = fail('invalid_exact_svm_transaction_failed');
    const failed = [];
    for (let count = 0; count < 11; count += 1) failed.push(await buy('127.0.2.2'));
    expect(failed).toEqual([...Array.from({ length: 10 }, () => 402), 429]);
    expect(await grab('127.0.2.1')).toBe(10);
  });

  it.skipIf(!HAS_IPV6)(
    'knows callers by their own address where it is bound to both versions of IP',
    async () => {
      const { grab } = await serve({}, '::');
      expect(await grab('127.0.3.1')).toBe(10);
      expect(await grab('127.0.3.2')).toBe(10);
    },
  );
});
