/** Lists, as hosts send them: in pieces, broken off, broken in one row. */
import { describe, expect, it } from 'vitest';
import { call } from '../../../src/api/http/call.ts';
import { getBrands } from '../../../src/contract/checkout.ts';
import type { Fetch, Reply } from '../../../src/contract/fetch.ts';
import { START_MS, skippingClock } from '../../support/manual-clock.ts';
import { jsonReply, networkError, scriptedFetch } from '../../support/scripted-fetch.ts';

const BRANDS = ['Amazon.com', 'Café "Zoé"', '} ], ['].map((brand_name, index) => ({
  brand_name,
  family: 'Gift Cards',
  category: 'shopping',
  min: String(index),
}));

const ask = (fetch: Fetch, clock = skippingClock(), timeoutMs = 20_000) =>
  call(fetch, 'https://checkout.example', getBrands, { country_code: 'us' }, { clock, timeoutMs });

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

function replyOf(body: AsyncIterable<Uint8Array>): Reply {
  return { status: 200, headers: new Headers(), body, text: async () => '' };
}

/** A reply whose bytes come in pieces, and may end in a failure. */
function pieces(bytes: Uint8Array, size: number, failure?: Error): Reply {
  async function* body(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
    if (failure) throw failure;
  }
  return replyOf(body());
}

describe('a list', () => {
  it.each([1, 2, 7, 64, 4_096])(
    'that comes in pieces of %i bytes has its rows, with the fields of the interface alone',
    async (size) => {
      const bytes = bytesOf(BRANDS.map((brand) => ({ ...brand, more: 1 })));
      expect(await ask(async () => pieces(bytes, size))).toEqual(BRANDS);
    },
  );

  it.each([
    ['no JSON', '<html>', ''],
    ['nothing', '', ''],
    ['an object', '{"brands":[]}', ''],
    ['a broken row', JSON.stringify([...BRANDS, { brand_name: 'x' }]), '(3.family is missing)'],
  ])('with %s is refused, and the row is named', async (_name, text, named) => {
    const asked = ask(scriptedFetch(jsonReply(200, text)).fetch);
    await expect(asked).rejects.toMatchObject({
      code: 'MERCHANT_REPLY_INVALID',
      message: expect.stringContaining(named),
    });
  });

  it('that breaks off is asked for again, and no row comes twice', async () => {
    const broken = pieces(bytesOf(BRANDS).slice(0, -9), 20, networkError('ECONNRESET'));
    const { fetch, asked } = scriptedFetch(broken, jsonReply(503, {}), jsonReply(200, BRANDS));
    expect(await ask(fetch)).toEqual(BRANDS);
    expect(asked).toHaveLength(3);
  });

  it('that stops in the middle is given up at the timeout', async () => {
    async function* body(): AsyncGenerator<Uint8Array> {
      yield bytesOf(BRANDS).slice(0, 90);
      await new Promise(() => undefined);
    }
    const asked = ask(async () => replyOf(body()), skippingClock(), 20);
    await expect(asked).rejects.toMatchObject({ code: 'NETWORK_UNREACHABLE' });
  });

  it('that broke off late is not asked for again: the time is spent', async () => {
    const clock = skippingClock();
    async function* body(): AsyncGenerator<Uint8Array> {
      yield bytesOf(BRANDS).slice(0, 90);
      clock.advance(21_000);
      throw networkError('ECONNRESET');
    }
    const { fetch, asked } = scriptedFetch(replyOf(body()), jsonReply(200, BRANDS));
    await expect(ask(fetch, clock)).rejects.toMatchObject({ code: 'NETWORK_UNREACHABLE' });
    expect(asked).toHaveLength(1);
    expect(clock.now() - START_MS).toBeLessThan(60_000);
  });
});
