import { get, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { type ListenOptions, listen } from '../../src/service/http/node.ts';
import { atEnd } from '../support/at-end.ts';
import { checkoutHost } from '../support/checkout-host.ts';
import { partnerSandbox } from '../support/partner-sandbox.ts';
import { smallCatalog } from '../support/small-catalog.ts';

const BRANDS = '/v1/brands?country_code=us';
/** Of more than a kilobyte, so that it is compressed. */
const LIST = '/v1/catalog?country_code=us';

interface Said {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A host on a port, and which requests reached its service. */
async function start() {
  const catalog = { ...smallCatalog };
  const { service, clock } = await checkoutHost({ catalog });
  return { ...(await serve(service.fetch)), catalog, clock };
}

async function serve(answer: ListenOptions['handler']) {
  const asked: string[] = [];
  const server = await listen({
    handler: (request, caller) => {
      asked.push(new URL(request.url).pathname);
      return answer(request, caller);
    },
    port: 0,
    host: '127.0.0.1',
  });
  atEnd(() => server.close());
  const read = (path: string, headers: Record<string, string> = {}): Promise<Said> =>
    new Promise((resolve, reject) => {
      get(server.url + path, { agent: false, headers }, async (response) => {
        const body = Buffer.concat(await response.toArray());
        resolve({ status: response.statusCode, headers: response.headers, body });
      }).on('error', reject);
    });
  return { read, asked };
}

describe('an answer that is ready', () => {
  it('is made by the service once, and is the same the next time', async () => {
    const { read, asked } = await start();
    const [first, again] = [await read(BRANDS), await read(BRANDS)];
    expect(asked).toEqual(['/v1/brands']);
    expect(again.body.equals(first.body)).toBe(true);
    const { date: _, ...headers } = first.headers;
    expect(again.headers).toMatchObject(headers);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'no-cache',
      'content-type': 'application/json',
      'content-length': String(first.body.length),
    });
  });

  it('is asked for anew once the catalog has changed', async () => {
    const { read, asked, catalog } = await start();
    await read(BRANDS);
    catalog.version = 'another';
    catalog.brands = () => [];
    expect((await read(BRANDS)).body.toString()).toBe('[]');
    expect(asked.length).toBe(2);
  });

  it.each([
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
  ])('goes out compressed to a client that takes %s', async (accepted, encoding, decode) => {
    const { read, asked } = await start();
    const plain = await read(LIST);
    for (let times = 1; times <= 2; times += 1) {
      const said = await read(LIST, { 'Accept-Encoding': accepted });
      expect(said.headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' });
      expect(decode(said.body).equals(plain.body)).toBe(true);
      const etag = String(said.headers.etag);
      expect(etag).not.toBe(plain.headers.etag);
      const known = { 'If-None-Match': etag, 'Accept-Encoding': accepted };
      const unchanged = await read(LIST, known);
      expect([unchanged.status, unchanged.headers.etag, unchanged.body.length]).toEqual([
        304,
        etag,
        0,
      ]);
    }
    expect(asked.length).toBe(1);
  });

  it('goes out compressed the first time as well', async () => {
    const { read } = await start();
    const said = await read(LIST, { 'Accept-Encoding': 'br' });
    expect(JSON.parse(brotliDecompressSync(said.body).toString())).toHaveLength(4);
  });

  it('goes out plain where it is small, or where no other form is taken', async () => {
    const { read } = await start();
    const small = await read(BRANDS, { 'Accept-Encoding': 'br' });
    const refused = await read(LIST, { 'Accept-Encoding': 'br;q=0, gzip;q=0.0' });
    for (const { headers } of [small, refused]) expect(headers['content-encoding']).toBeUndefined();
  });

  it('tells its time anew each time, where it has one', async () => {
    const { read, asked, clock } = await start();
    const path = '/v1/price?country_code=us&brand_name=Amazon.com&product_id=amazon-50';
    const expiry = async () => JSON.parse((await read(path)).body.toString()).quote_expires_at;
    const first = await expiry();
    clock.advance(1_000);
    expect(Date.parse(await expiry()) - Date.parse(first)).toBe(1_000);
    expect(asked.length).toBe(1);
  });

  it('is not kept where it is a refusal', async () => {
    const { read, asked } = await start();
    for (let times = 1; times <= 2; times += 1) {
      expect((await read('/v1/brands?country_code=zz')).status).toBe(400);
    }
    expect(asked.length).toBe(2);
  });
});

describe('an answer of the partner API that is ready', () => {
  const NAMED = { 'X-Cr-Application': 'acme' };
  const sandbox = partnerSandbox({ catalog: smallCatalog });
  afterAll(async () => (await sandbox).close());
  const startSandbox = async () => serve((await sandbox).current().handle);

  it('is given to those alone who say who they are', async () => {
    const { read, asked } = await startSandbox();
    const path = '/v2/brands?country_code=us';
    expect((await read(path, NAMED)).status).toBe(200);
    expect((await read(path, NAMED)).status).toBe(200);
    expect(asked.length).toBe(1);
    expect((await read(path)).status).toBe(400);
  });

  it('is nobody else’s where it depends on where the caller is', async () => {
    const { read } = await startSandbox();
    const countryOf = async (code: string) => {
      const said = await read('/v2/homepage', { ...NAMED, 'X-Country-ISO-Code': code });
      return JSON.parse(said.body.toString()).country_code;
    };
    const told = [await countryOf('us'), await countryOf('br'), await countryOf('us')];
    expect(told).toEqual(['US', 'BR', 'US']);
  });
});
