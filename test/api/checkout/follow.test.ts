import { describe, expect, it } from 'vitest';
import { followOrder } from '../../../src/api/checkout/follow.ts';
import type { Fetch } from '../../../src/contract/fetch.ts';
import { START_MS, skippingClock } from '../../support/manual-clock.ts';
import { jsonReply, networkError, scriptedFetch } from '../../support/scripted-fetch.ts';

const status = (value: string) => jsonReply(200, { order_id: 'cr_1', status: value });
const follow = (fetch: Fetch, timeoutMs = 60_000, clock = skippingClock()) =>
  followOrder({ fetch, baseUrl: 'https://checkout.example', orderId: 'cr_1', clock, timeoutMs });

describe('following an order', () => {
  it.each(['completed', 'failed', 'expired'])('ends at %s', async (value) => {
    const { fetch, asked } = scriptedFetch(status('processing'), status(value));
    expect(await follow(fetch)).toMatchObject({ status: value });
    expect(asked).toHaveLength(2);
  });

  it('asks every five seconds', async () => {
    const clock = skippingClock();
    const times: number[] = [];
    const fetch: Fetch = async () => {
      times.push(clock.now() - START_MS);
      return status(times.length === 4 ? 'completed' : 'processing');
    };
    await follow(fetch, 60_000, clock);
    expect(times).toEqual([0, 5_000, 10_000, 15_000]);
  });

  it('gives the last status when the time is over', async () => {
    const clock = skippingClock();
    const result = await follow(scriptedFetch(status('processing')).fetch, 20_000, clock);
    expect(result).toMatchObject({ status: 'processing' });
    expect(clock.now() - START_MS).toBeLessThanOrEqual(20_000);
  });

  it('with no time asks once', async () => {
    const { fetch, asked } = scriptedFetch(status('processing'));
    expect(await follow(fetch, 0)).toMatchObject({ status: 'processing' });
    expect(asked).toHaveLength(1);
  });

  it('tells every status that it read, and every failure', async () => {
    const seen: string[] = [];
    await followOrder({
      fetch: scriptedFetch(status('processing'), jsonReply(502, ''), status('completed')).fetch,
      baseUrl: 'https://checkout.example',
      orderId: 'cr_1',
      clock: skippingClock(),
      timeoutMs: 60_000,
      seen: (order) => seen.push(order.status),
      unanswered: ({ code }) => seen.push(code),
    });
    expect(seen).toEqual(['processing', 'MERCHANT_ERROR', 'completed']);
  });

  it('goes on after failures that pass, and honours Retry-After', async () => {
    const clock = skippingClock();
    const { fetch } = scriptedFetch(
      networkError('ECONNRESET'),
      jsonReply(500, ''),
      jsonReply(429, '', { 'retry-after': '9' }),
      status('completed'),
    );
    expect(await follow(fetch, 60_000, clock)).toMatchObject({ status: 'completed' });
    expect(clock.now() - START_MS).toBe(5_000 + 5_000 + 9_000);
  });

  it('says what failed when no status was ever read', async () => {
    const { fetch } = scriptedFetch(networkError('ECONNREFUSED'));
    await expect(follow(fetch, 5_000)).rejects.toMatchObject({ code: 'NETWORK_UNREACHABLE' });
  });

  it('an unknown order is an error at once', async () => {
    const { fetch, asked } = scriptedFetch(jsonReply(404, { error: 'order_not_found' }));
    await expect(follow(fetch)).rejects.toMatchObject({ code: 'ORDER_UNKNOWN' });
    expect(asked).toHaveLength(1);
  });
});
