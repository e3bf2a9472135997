/** The light web against Node's own: whatever is asked of both, they say the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { installWebShim, ShimHeaders, ShimRequest, ShimResponse } from '../../src/net/web-shim.ts';

/** What came of it; of several things amiss each may name another first. */
async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return { value: await work() };
  } catch {
    return 'refused';
  }
}

const name = fc.oneof(
  fc.constantFrom('Set-Cookie', 'set-cookie', 'ETag', 'Content-Type', 'X-One', 'x-one', 'bad name'),
  fc.string({ maxLength: 8 }),
);
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(' edges\t', 'two\r\nlines', 'caf\u00e9', 'nul\0', 'trailing\n', ''),
);
const change = fc.record({
  verb: fc.constantFrom('set', 'append', 'delete' as const),
  name,
  value,
});

type AnyHeaders = Pick<
  Headers,
  'get' | 'has' | 'set' | 'append' | 'delete' | 'getSetCookie' | 'forEach'
> &
  Iterable<[string, string]>;

function told(headers: AnyHeaders, names: readonly string[]): unknown {
  const visited: string[] = [];
  headers.forEach((text, key) => void visited.push(`${key}: ${text}`));
  const known = names.filter((one) => /^[\w-]+$/.test(one));
  return {
    all: [...headers],
    visited,
    cookies: headers.getSetCookie(),
    named: known.map((one) => [headers.get(one), headers.has(one)]),
  };
}

describe('headers', () => {
  it('are made, changed and read alike', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(name, value), { maxLength: 4 }),
        fc.array(change, { maxLength: 6 }),
        async (pairs, changes) => {
          const run = async (Kind: new (from: [string, string][]) => AnyHeaders) => {
            const headers = new Kind(pairs);
            const steps: unknown[] = [];
            for (const { verb, name: key, value: text } of changes) {
              steps.push(
                await outcome(() =>
                  verb === 'delete' ? headers.delete(key) : headers[verb](key, text),
                ),
              );
            }
            return [steps, told(headers, [...pairs.map(([key]) => key), 'x-one', 'ETag'])];
          };
          expect(await outcome(() => run(ShimHeaders))).toEqual(await outcome(() => run(Headers)));
        },
      ),
    );
  });

  it('of a record are those of its pairs', () => {
    const record = { Accept: 'application/json', 'X-Two': '2' };
    expect([...new ShimHeaders(record)]).toEqual([...new Headers(record)]);
  });
});

const body = fc.oneof(
  fc.constant(null),
  fc.constant(undefined),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.uint8Array({ maxLength: 40 }),
);

type Body = string | Uint8Array<ArrayBuffer> | null | undefined;

/** All that the service, its framework and the client read of a message. */
async function read(message: {
  readonly headers: AnyHeaders;
  readonly body: AsyncIterable<Uint8Array> | null;
  readonly bodyUsed: boolean;
  text(): Promise<string>;
}): Promise<unknown> {
  const before = { hasBody: message.body !== null, isUsed: message.bodyUsed };
  const text = await message.text();
  const again = await outcome(() => message.text());
  return [before, text, again, message.bodyUsed, [...message.headers]];
}

describe('an answer', () => {
  it('says the same of status, headers and body', async () => {
    const status = fc.oneof(fc.constantFrom(undefined, 101, 200, 204, 304, 402, 503), fc.nat(999));
    const headers = fc.option(fc.dictionary(name, value, { maxKeys: 2 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(body, status, headers, async (content: Body, asked, given) => {
        const init = {
          ...(asked === undefined ? {} : { status: asked }),
          ...(given === undefined ? {} : { headers: given }),
        };
        const light = async () => {
          const made = new ShimResponse(content, init);
          return [made.status, made.ok, await read(made)];
        };
        const own = async () => {
          const made = new Response(content, init);
          return [made.status, made.ok, await read(made)];
        };
        expect(await outcome(light)).toEqual(await outcome(own));
      }),
    );
  });

  it('of JSON is read as it was written', async () => {
    const given = [{ a: 1 }, { status: 201, headers: { 'X-One': '1' } }] as const;
    const [light, own] = [ShimResponse.json(...given), Response.json(...given)];
    expect([...light.headers]).toEqual([...own.headers]);
    expect(await light.json()).toEqual(await own.json());
    const typed = { headers: { 'content-type': 'application/problem+json' } };
    expect([...ShimResponse.json(null, typed).headers]).toEqual([
      ...Response.json(null, typed).headers,
    ]);
  });

  it('is made again of another, as a framework adds headers to it', async () => {
    const first = new ShimResponse('goods', { status: 201, headers: { ETag: '"1"' } });
    const second = new ShimResponse(first.body, first);
    expect([second.status, second.headers.get('etag'), await second.text()]).toEqual([
      201,
      '"1"',
      'goods',
    ]);
  });

  it('of a stream hands on its pieces, and its end', async () => {
    const pieces = [Uint8Array.of(1, 2), Uint8Array.of(3)];
    const streamed = () =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const piece of pieces) controller.enqueue(piece);
          controller.close();
        },
      });
    const seen: Uint8Array[] = [];
    for await (const piece of new ShimResponse(streamed()).body ?? []) seen.push(piece);
    expect(seen).toEqual(pieces);
    expect(new Uint8Array(await new ShimResponse(streamed()).arrayBuffer())).toEqual(
      new Uint8Array(await new Response(streamed()).arrayBuffer()),
    );
  });
});

describe('a request', () => {
  const url = fc.constantFrom(
    'http://embedded.invalid/v1/brands?country_code=us',
    'http://embedded.invalid',
    'http://embedded.invalid/a/../b?q=a b#part',
    'no address',
  );
  const method = fc.constantFrom(undefined, 'get', 'GET', 'post', 'POST', 'DELETE');

  it('says the same of address, method, headers and body', async () => {
    await fc.assert(
      fc.asyncProperty(url, method, body, async (address, verb, content: Body) => {
        const init = {
          headers: { Accept: 'application/json' },
          ...(verb === undefined ? {} : { method: verb }),
          ...(content === undefined ? {} : { body: content }),
        };
        const light = async () => {
          const made = new ShimRequest(address, init);
          return [made.url.split('#')[0], made.method, made.signal.aborted, await read(made)];
        };
        const own = async () => {
          const made = new Request(address, init);
          return [made.url.split('#')[0], made.method, made.signal.aborted, await read(made)];
        };
        expect(await outcome(light)).toEqual(await outcome(own));
      }),
    );
  });

  it('carries the signal that it was given', () => {
    const { signal } = new AbortController();
    expect(new ShimRequest('http://embedded.invalid/', { signal }).signal).toBe(signal);
  });
});

it('takes the place of the global ones where it is put', () => {
  const scope = { Headers, Request, Response };
  installWebShim(scope);
  const light = { Headers: ShimHeaders, Request: ShimRequest, Response: ShimResponse };
  expect(scope).toEqual(light);
});
