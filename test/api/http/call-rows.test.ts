import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { call } from '../../../src/api/http/call.ts';
import { callRows } from '../../../src/api/http/call-rows.ts';
import { getBrands } from '../../../src/contract/checkout.ts';
import type { Fetch, Reply } from '../../../src/contract/fetch.ts';
import { ScripError } from '../../../src/domain/errors.ts';
import { fuzzRuns } from '../../support/fuzz.ts';
import { START_MS, skippingClock } from '../../support/manual-clock.ts';
import { jsonReply, networkError, scriptedFetch } from '../../support/scripted-fetch.ts';

const BASE = 'https://checkout.example';
const US = { country_code: 'us' };
const BRANDS = ['Amazon.com', 'Café "Zoé"', '} ], ['].map((brand_name, index) => ({
  brand_name,
  family: 'Gift Cards',
  category: 'shopping',
  min: String(index),
}));

interface Outcome {
  readonly rows: readonly unknown[];
  readonly error: ScripError | undefined;
}

function scripError(thrown: unknown): ScripError {
  expect(thrown).toBeInstanceOf(ScripError);
  return thrown as ScripError;
}

async function inParts(fetch: Fetch, clock = skippingClock()): Promise<Outcome> {
  const rows: unknown[] = [];
  try {
    for await (const some of callRows(fetch, BASE, getBrands, US, { clock })) rows.push(...some);
    return { rows, error: undefined };
  } catch (thrown) {
    return { rows, error: scripError(thrown) };
  }
}

async function atOnce(fetch: Fetch, clock = skippingClock()): Promise<Outcome> {
  try {
    return { rows: await call(fetch, BASE, getBrands, US, { clock }), error: undefined };
  } catch (thrown) {
    return { rows: [], error: scripError(thrown) };
  }
}

/** A reply whose bytes come in pieces, and may end in a failure. */
function pieces(bytes: Uint8Array, size: number, failure?: Error): Reply {
  async function* body(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
    if (failure) throw failure;
  }
  return { status: 200, headers: new Headers(), body: body(), text: async () => '' };
}

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

describe('a list that is read in parts', () => {
  it.each([1, 2, 7, 64, 4_096])(
    'has the rows that it has as a whole, in pieces of %i bytes',
    async (size) => {
      const fetch = async () =>
        pieces(bytesOf(BRANDS.map((brand) => ({ ...brand, more: 1 }))), size);
      expect(await inParts(fetch)).toEqual({ rows: BRANDS, error: undefined });
      expect(await inParts(fetch)).toEqual(await atOnce(fetch));
    },
  );

  it('ends as it ends as a whole, whatever comes', async () => {
    const row = fc.record(
      { brand_name: fc.string(), family: fc.string(), category: fc.string(), min: fc.jsonValue() },
      { requiredKeys: ['brand_name', 'family'] },
    );
    const list = fc.array(fc.oneof({ weight: 9, arbitrary: row }, fc.jsonValue()), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(list, fc.jsonValue()),
        fc.integer({ min: 1, max: 80 }),
        async (json, size) => {
          const fetch = async () => pieces(bytesOf(json), size);
          const [parts, whole] = [await inParts(fetch), await atOnce(fetch)];
          expect(parts.error?.code).toBe(whole.error?.code);
          if (whole.error === undefined) expect(parts.rows).toEqual(whole.rows);
          if (parts.rows.length === 0) expect(parts.error?.message).toBe(whole.error?.message);
        },
      ),
      { numRuns: fuzzRuns(200) },
    );
  });

  it.each([
    ['no JSON', '<html>'],
    ['nothing', ''],
    ['an object', '{"brands":[]}'],
    ['a broken row', JSON.stringify([{ brand_name: 1 }])],
  ])('with %s is refused in the same words', async (_name, text) => {
    const fetch = scriptedFetch(jsonReply(200, text)).fetch;
    const { error } = await inParts(fetch);
    expect(error?.code).toBe('MERCHANT_REPLY_INVALID');
    expect(error?.message).toBe((await atOnce(fetch)).error?.message);
  });

  it('names the row that is broken by its place in the whole list', async () => {
    const bytes = bytesOf([...BRANDS, { brand_name: 'x' }]);
    const { rows, error } = await inParts(async () => pieces(bytes, 1));
    expect(rows).toEqual(BRANDS);
    expect(error?.message).toContain(`(${BRANDS.length}.family is missing)`);
  });

  it('that is longer than its cap is cut off', async () => {
    const spaces = new Uint8Array(1024 * 1024).fill(32);
    async function* body(): AsyncGenerator<Uint8Array> {
      for (;;) yield spaces;
    }
    const reply = { status: 200, headers: new Headers(), body: body(), text: async () => '' };
    expect((await inParts(async () => reply)).error?.code).toBe('MERCHANT_REPLY_INVALID');
  });
});

describe('a failure', () => {
  it('is tried again while no row was given', async () => {
    const broken = pieces(bytesOf(BRANDS).slice(0, 20), 20, networkError('ECONNRESET'));
    const { fetch, asked } = scriptedFetch(broken, jsonReply(503, {}), jsonReply(200, BRANDS));
    expect(await inParts(fetch)).toEqual({ rows: BRANDS, error: undefined });
    expect(asked).toHaveLength(3);
  });

  it('ends the list once a row was given: no row comes twice', async () => {
    const broken = pieces(bytesOf(BRANDS).slice(0, -9), 200, networkError('ECONNRESET'));
    const { fetch, asked } = scriptedFetch(broken, jsonReply(200, BRANDS));
    const { rows, error } = await inParts(fetch);
    expect(rows).toEqual(BRANDS.slice(0, rows.length));
    expect(rows.length).toBeGreaterThan(0);
    expect(error?.code).toBe('NETWORK_UNREACHABLE');
    expect(asked).toHaveLength(1);
  });

  it('starts the list over where its rows can be forgotten', async () => {
    const broken = pieces(bytesOf(BRANDS).slice(0, -9), 200, networkError('ECONNRESET'));
    const { fetch, asked } = scriptedFetch(broken, jsonReply(200, BRANDS));
    let rows: unknown[] = [];
    const forgotten: unknown[] = [];
    const startOver = () => {
      forgotten.push(...rows);
      rows = [];
    };
    const options = { clock: skippingClock(), startOver };
    for await (const some of callRows(fetch, BASE, getBrands, US, options)) rows.push(...some);
    expect(forgotten.length).toBeGreaterThan(0);
    expect(rows).toEqual(BRANDS);
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['a status', [jsonReply(404, { error: 'country_not_supported' })]],
    ['a redirect', [jsonReply(302, {})]],
    ['three faults', [jsonReply(500, {})]],
    ['no connection', [networkError('ECONNREFUSED')]],
  ])('of %s is told in the same words', async (_name, answers) => {
    const [parts, whole] = [scriptedFetch(...answers), scriptedFetch(...answers)];
    const [one, other] = [await inParts(parts.fetch), await atOnce(whole.fetch)];
    expect(one.error).toMatchObject({ code: other.error?.code, message: other.error?.message });
    expect(parts.asked).toHaveLength(whole.asked.length);
    const sent = ({ url, init }: (typeof parts.asked)[number]) => ({
      ...init,
      url,
      signal: undefined,
    });
    expect(parts.asked.map(sent)).toEqual(whole.asked.map(sent));
  });
});

describe('time', () => {
  it('a host that stops in the middle is given up at the timeout', async () => {
    async function* body(): AsyncGenerator<Uint8Array> {
      yield bytesOf(BRANDS).slice(0, 90);
      await new Promise(() => undefined);
    }
    const reply = { status: 200, headers: new Headers(), body: body(), text: async () => '' };
    const options = { clock: skippingClock(), timeoutMs: 20 };
    const rows = callRows(async () => reply, BASE, getBrands, US, options);
    await expect(rows.next()).resolves.toMatchObject({ value: [BRANDS[0]] });
    await expect(rows.next()).rejects.toMatchObject({ code: 'NETWORK_UNREACHABLE' });
  });

  it('a host that sends a little at a time is given no more than one timeout in all', async () => {
    const clock = skippingClock();
    async function* body(): AsyncGenerator<Uint8Array> {
      for (;;) {
        clock.advance(8_000);
        yield new TextEncoder().encode(' ');
      }
    }
    const reply = { status: 200, headers: new Headers(), body: body(), text: async () => '' };
    const { fetch, asked } = scriptedFetch(reply);
    const { error } = await inParts(fetch, clock);
    expect(error?.code).toBe('NETWORK_UNREACHABLE');
    expect(asked).toHaveLength(1);
    expect(clock.now() - START_MS).toBeLessThan(60_000);
  });

  it('the time that its reader takes is not the host’s', async () => {
    const clock = skippingClock();
    const rows: unknown[] = [];
    const list = callRows(async () => pieces(bytesOf(BRANDS), 80), BASE, getBrands, US, { clock });
    for await (const some of list) {
      rows.push(...some);
      clock.advance(60_000);
    }
    expect(rows).toEqual(BRANDS);
  });

  it('a caller that leaves hangs up', async () => {
    const { fetch, asked } = scriptedFetch(pieces(bytesOf(BRANDS), 90));
    for await (const _some of callRows(fetch, BASE, getBrands, US, { clock: skippingClock() }))
      break;
    expect(asked[0]?.init.signal?.aborted).toBe(true);
  });

  it('the user’s interruption ends it at once', async () => {
    const stop = new AbortController();
    const options = { clock: skippingClock(), signal: stop.signal };
    const rows = callRows(async () => pieces(bytesOf(BRANDS), 90), BASE, getBrands, US, options);
    await rows.next();
    stop.abort(new Error('enough'));
    await expect(rows.next()).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });
});
